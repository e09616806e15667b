"""The target of XE-NDCG: gains less gamma, divided by their sum over the query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["xe_ndcg_target"]


@kernel
def xe_ndcg_target(
    labels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    gamma: float,
    low: int,
    high: int,
    shares: NDArray[np.float64],
) -> None:
    """(2^y_i - gamma) / sum_j (2^y_j - gamma), grades below 0 taken as 0; 0 where the sum is 0."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        peak = 0.0
        for i in range(start, end):
            peak = max(peak, labels[i])
        # In units of the largest gain, which alone could overflow.
        taken = gamma * np.exp2(-peak)
        mass = 0.0
        for i in range(start, end):
            shares[i] = np.exp2(max(labels[i], 0.0) - peak) - taken
            mass += shares[i]
        for i in range(start, end):
            shares[i] = shares[i] / mass if mass > 0.0 else 0.0
