"""Kernels that multiply feature matrices."""
