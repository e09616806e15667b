"""Metrics and losses that are a user's own functions."""
