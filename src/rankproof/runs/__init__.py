"""Training runs: train, tune, and the folders that keep them."""
