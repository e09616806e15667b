"""What each report says: of a training run, of a comparison, of the matrix of verdicts."""
