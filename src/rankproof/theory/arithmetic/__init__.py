"""Numbers that proofs rest on: fractions, roots, intervals, and intervals with derivatives."""
