"""What `BoostedRanker` asks of an engine, done by each of them: train, predict, explain, save, load."""
