"""Ranked lists: orders, ties, relevance and empty queries."""
