"""Discounted targets at smooth ranks: a rank is 1 plus the sum of sigmoids of score differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["approx_ndcg"]


@kernel
def approx_ndcg(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    temperature: float,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Sum of -v_i u_i / log2(1 + rank_i); an item without a target costs no pass over the others."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    longest = 0
    for q in range(low, high):
        longest = max(longest, offsets[q + 1] - offsets[q])
    slopes, bends = np.empty(longest), np.empty(longest)
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        total = 0.0
        for i in range(start, end):
            u = targets[i] * item_weights[i] if weighted else targets[i]
            if u == 0.0:
                continue
            rank, slope, bend = 1.0, 0.0, 0.0
            for j in range(start, end):
                if j == i:
                    slopes[j - start] = 0.0
                    bends[j - start] = 0.0
                    continue
                x = (scores[j] - scores[i]) / temperature
                e = np.exp(-abs(x))
                above = (1.0 if x >= 0.0 else e) / (1.0 + e)
                rank += above
                d = e / ((1.0 + e) * (1.0 + e))
                slopes[j - start] = d / temperature
                slope += d / temperature
                if second:
                    b = d * (1.0 - 2.0 * above) / temperature / temperature
                    bends[j - start] = b
                    bend += b
            log = np.log1p(rank)
            total -= u * np.log(2.0) / log
            f1 = u * np.log(2.0) / ((1.0 + rank) * log * log)
            f2 = -f1 * (log + 2.0) / ((1.0 + rank) * log)
            for j in range(end - start):
                gradient[start + j] += f1 * slopes[j]
            gradient[i] -= f1 * slope
            if second:
                for j in range(end - start):
                    hessian[start + j] += f2 * slopes[j] * slopes[j] + f1 * bends[j]
                hessian[i] += f2 * slope * slope + f1 * bend
        values[q] = total
