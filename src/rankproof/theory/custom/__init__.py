"""Metrics and losses that users wrote themselves."""
