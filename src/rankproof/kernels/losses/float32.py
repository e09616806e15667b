"""Derivatives as engines hold them: scaled, and rounded to float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["hold"]


@kernel
def hold(
    derivative: NDArray[np.float64],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    factor: NDArray[np.float64],
    rounded: NDArray[np.float32],
) -> None:
    """Multiply by the factor of the query, in place; ``rounded`` gets the rounded products."""
    for q in range(low, high):
        times = factor[q]
        for i in range(offsets[q], offsets[q + 1]):
            derivative[i] *= times
            rounded[i] = np.float32(derivative[i])
