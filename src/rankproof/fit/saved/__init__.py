"""Saved models of every kind, read back."""
