"""Where the expected loss is least: found in floats, then enclosed by a proof."""
