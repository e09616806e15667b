"""Models: from an objective to a ranker that predicts, scores, saves and loads."""
