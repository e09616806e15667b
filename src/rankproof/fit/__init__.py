"""Rankers: estimators that learn to score items."""
