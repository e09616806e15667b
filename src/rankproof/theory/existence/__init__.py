"""Is there a target whose mean sorts into best rankings? With a proof either way."""
