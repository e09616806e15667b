"""Laws of labels on a grid: what is best under each, and what each loss would do."""
