"""Kernels that sort lists and compute metrics."""
