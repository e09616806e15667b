"""Kernels that turn labels into targets."""
