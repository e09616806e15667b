"""Rank-biased precision, exact under ties: the weights of a tie group are shared out evenly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["rank_biased_precision"]


@kernel
def rank_biased_precision(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    rel: float,
    weights: NDArray[np.float64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """Sum of the weights of relevant places, for queries low..high; NaN where nothing is relevant.

    ``weights`` has one entry per rank that counts, so its length is the cutoff.
    """
    for q in range(low, high):
        start = offsets[q]
        if start == offsets[q + 1] or not ideal[start] >= rel:
            out[q] = np.nan
            continue
        mine, mine_ends = labels[start : start + depth[q]], ends[start : start + depth[q]]
        last = min(depth[q], weights.size)
        total = 0.0
        i = 0
        while i < last:
            if mine_ends[i] == i + 1:
                # A factor, not a branch: whether an item is relevant cannot be predicted.
                total += weights[i] * (1.0 if mine[i] >= rel else 0.0)
                i += 1
            else:
                end = int(mine_ends[i])
                inside = 0
                for y in mine[i:end]:
                    inside += y >= rel
                # Added up, not a difference of running sums: far down those agree in all their digits.
                mass = 0.0
                for k in range(i, min(end, last)):
                    mass += weights[k]
                total += mass * inside / (end - i)
                i = end
        # Weights that sum to almost 1 may round to a little more.
        out[q] = min(total, 1.0)
