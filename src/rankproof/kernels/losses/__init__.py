"""Kernels that compute losses with their derivatives."""
