"""The ranking objectives of installed engines, trained on laws whose best ranking is known."""
