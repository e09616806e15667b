"""The demo: what each loss converges to in a world whose best ranking is known."""
