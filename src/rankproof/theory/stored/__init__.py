"""Evidence as it lies in a file, and what it takes to believe it."""
