"""Kernels that resample."""
