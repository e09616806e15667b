"""Plackett-Luce log-likelihood of sorting by label, in one pass up and one pass down.

Sums of exponentials are kept as (peak, mass): the largest score, and the sum of exp(score - peak).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["listmle"]


@kernel
def listmle(
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    together: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Sum of log(sum of exp(s) from the place on) - s (or, ``together``, from the start of its tie group)."""
    second = hessian.size > 0
    longest = 0
    for q in range(low, high):
        longest = max(longest, offsets[q + 1] - offsets[q])
    peaks, masses = np.empty(longest), np.empty(longest)
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        peak, mass = -np.inf, 0.0
        for k in range(n - 1, -1, -1):
            s = scores[start + order[start + k]]
            if s > peak:
                mass = mass * np.exp(peak - s) + 1.0
                peak = s
            else:
                mass += np.exp(s - peak)
            peaks[k], masses[k] = peak, mass
        total = 0.0
        # first, squares: sums over the places so far of exp(peak - log-sum) and of its square.
        peak, first, squares = 0.0, 0.0, 0.0
        k = 0
        while k < n:
            end = int(ends[start + k]) if together else k + 1
            if first > 0.0:
                fall = np.exp(peaks[k] - peak)
                first *= fall
                squares *= fall * fall
            peak = peaks[k]
            share = 1.0 / masses[k]
            first += (end - k) * share
            squares += (end - k) * share * share
            rest = np.log(masses[k])
            for j in range(k, end):
                i = start + order[start + j]
                total += (peak - scores[i]) + rest
                e = np.exp(scores[i] - peak)
                gradient[i] = e * first - 1.0
                if second:
                    hessian[i] = max(e * first - e * e * squares, 0.0)
            k = end
        values[q] = total
