"""The definition of every loss, written out once more and apart from the kernels."""
