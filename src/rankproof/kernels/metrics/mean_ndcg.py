"""The mean of nDCG@1, nDCG@2, ..., nDCG@n of every query, exact under ties, in one pass with running sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.dcg import gain

__all__ = ["mean_ndcg"]


@kernel
def mean_ndcg(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    table: NDArray[np.float64],
    formula: int,
    weights: NDArray[np.float64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """MeanNDCG of queries low..high; NaN where no item has a gain. ``weights`` covers the longest query."""
    for q in range(low, high):
        a, b = offsets[q], offsets[q + 1]
        if b == a or gain(ideal[a], table, formula) * weights[0] <= 0.0:
            out[q] = np.nan
            continue
        value, best, total = 0.0, 0.0, 0.0
        end, mean = np.int64(0), 0.0
        for k in range(b - a):
            if k < depth[q]:
                if k == end:
                    end = np.int64(ends[a + k])
                    mass = 0.0
                    for j in range(k, end):
                        mass += gain(labels[a + j], table, formula)
                    mean = mass / (end - k)
                value += weights[k] * mean
            best += weights[k] * gain(ideal[a + k], table, formula)
            total += value / best
        # Rounding may not lift a perfect ranking above 1.
        out[q] = min(total / (b - a), 1.0)
