"""Values of metrics on data, with intervals, and paired comparisons."""
