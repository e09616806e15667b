"""The demonstration: what losses converge to in a world whose law is known, and what it costs."""
