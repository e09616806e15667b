"""TREC runs and judgments: read, joined and written."""
