"""Trained rankers as the files that search engines and runtimes serve, each checked against the ranker."""
