"""Metrics of the user's own: plain functions ``(ranking, feedback) -> number``, exact under ties."""
