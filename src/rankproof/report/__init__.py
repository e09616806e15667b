"""What is left behind for readers: the folder of a run, and what is told of it."""
