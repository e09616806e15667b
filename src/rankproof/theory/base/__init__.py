"""What all parts of the theory stand on: the question, its space, values, risks and verdicts."""
