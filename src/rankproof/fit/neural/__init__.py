"""Neural rankers in torch."""
