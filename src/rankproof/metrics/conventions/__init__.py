"""Metrics as named tools compute them."""
