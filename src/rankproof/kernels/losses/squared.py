"""Squared differences of scores and targets, as they are and after both are centred per query."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["centred_squared", "centred_squared_gradient", "squared"]


@kernel
def squared(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Sum of v_i (s_i - u_i)^2."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    for q in range(low, high):
        total = 0.0
        for i in range(offsets[q], offsets[q + 1]):
            v = item_weights[i] if weighted else 1.0
            d = scores[i] - targets[i]
            total += v * d * d
            gradient[i] = 2.0 * v * d
            if second:
                hessian[i] = 2.0 * v
        values[q] = total


@kernel
def centred_squared(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Sum of ((s_i - u_i) - mean(s - u))^2."""
    second = hessian.size > 0
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        if n == 0:
            continue
        # Differences to the first item's: what all scores have in common cancels before it can round.
        first = scores[start] - targets[start]
        mean = 0.0
        for i in range(start, end):
            mean += (scores[i] - targets[i] - first) / n
        total = 0.0
        for i in range(start, end):
            c = scores[i] - targets[i] - first - mean
            total += c * c
            gradient[i] = 2.0 * c
            if second:
                hessian[i] = 2.0 - 2.0 / n
        values[q] = total


@kernel
def centred_squared_gradient(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    factor: NDArray[np.float64],
    gradient: NDArray[np.floating],
) -> bool:
    """The gradient alone, times a factor per query (or one for all); whether all scores are finite."""
    by_query, finite = factor.size > 1, True
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        if n == 0:
            continue
        times = factor[q] if by_query else factor[0]
        first, mean = scores[start] - targets[start], 0.0
        for i in range(start, end):
            mean += (scores[i] - targets[i] - first) / n
        finite = finite and math.isfinite(mean)
        for i in range(start, end):
            gradient[i] = times * (2.0 * (scores[i] - targets[i] - first - mean))
    return finite
