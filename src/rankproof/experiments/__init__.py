"""Whole experiments: the demo, and the papers' tables made again."""
