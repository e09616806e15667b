"""Training inside the engines people run: losses, targets and exact metrics for each of them."""
