"""Squared margins over all ordered pairs, weighted by the target of the first item, in linear time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.order_preserving import HUGE, bounded

__all__ = ["lift", "lift_gradient"]

# Squared scores and targets that add up to less are far from overflow, and need not be held back.
_MODEST = 1e100
_ONE = np.ones(1)


@kernel
def lift(
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
    """Mean over j != i of a_i (1 - s_i + s_j)^2, summed over i, with a_i = v_i u_i.

    With scores c of mean 0, sum_j (1 - c_i + c_j)^2 = n (1 - c_i)^2 + sum_j c_j^2: no pair is visited.
    """
    weighted, second = item_weights.size > 0, hessian.size > 0
    modest = lift_gradient(scores, targets, offsets, item_weights, low, high, _ONE, gradient)
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        if n < 2:
            continue
        share, first, mean, all_targets = 1.0 / n, scores[start], 0.0, 0.0
        for i in range(start, end):
            mean += (scores[i] - first if modest else _apart(scores[i], first)) * share
            all_targets += targets[i] * item_weights[i] if weighted else targets[i]
        squares, total = 0.0, 0.0
        for i in range(start, end):
            c = (scores[i] - first if modest else _apart(scores[i], first)) - mean
            a = targets[i] * item_weights[i] if weighted else targets[i]
            square = (1.0 - c) * (1.0 - c)
            squares += c * c
            total += a * (square if modest else bounded(square))
            if second:
                hessian[i] = 2.0 * ((n - 2) * a + all_targets) / n
        values[q] = bounded(total + all_targets * (bounded(squares) - 1.0) / n)


@kernel
def lift_gradient(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    low: int,
    high: int,
    factor: NDArray[np.float64],
    gradient: NDArray[np.floating],
) -> bool:
    """The gradient alone, times a factor per query (or one for all); whether nothing came near overflow.

    Every sum is made in one pass, and the pass that writes has none, so that it runs on several at once.
    """
    weighted, by_query, modest = item_weights.size > 0, factor.size > 1, True
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        if n < 2:
            modest = modest and (n == 0 or math.isfinite(scores[start]))
            continue
        times = factor[q] if by_query else factor[0]
        # Less the first item's score, so that what all have in common cancels before it can round.
        first, mean, squares, all_targets, products = scores[start], 0.0, 0.0, 0.0, 0.0
        for i in range(start, end):
            apart = scores[i] - first
            a = targets[i] * item_weights[i] if weighted else targets[i]
            mean += apart
            squares += apart * apart
            all_targets += a
            products += a * apart
        if not squares + all_targets < _MODEST:
            modest = False
            _held_back(scores, targets, item_weights, start, end, times, gradient)
            continue
        mean /= n
        products -= all_targets * mean
        level, slope = 2.0 * (all_targets - products) / n, 2.0 * all_targets / n
        for i in range(start, end):
            c = scores[i] - first - mean
            a = targets[i] * item_weights[i] if weighted else targets[i]
            gradient[i] = times * (level + slope * c - 2.0 * a * (1.0 - c))
    return modest


@kernel
def _apart(score: float, first: float) -> float:
    return min(max(score, -HUGE), HUGE) - min(max(first, -HUGE), HUGE)


@kernel
def _held_back(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    item_weights: NDArray[np.float64],
    start: int,
    end: int,
    times: float,
    gradient: NDArray[np.floating],
) -> None:
    """The gradient of one query, in steps that keep each number in range, or at its end."""
    weighted, n = item_weights.size > 0, end - start
    first, mean, all_targets = scores[start], 0.0, 0.0
    for i in range(start, end):
        mean += _apart(scores[i], first) / n
        all_targets += targets[i] * item_weights[i] if weighted else targets[i]
    products = 0.0
    for i in range(start, end):
        c = _apart(scores[i], first) - mean
        products += c * (targets[i] * item_weights[i] if weighted else targets[i])
    for i in range(start, end):
        c = _apart(scores[i], first) - mean
        a = targets[i] * item_weights[i] if weighted else targets[i]
        gradient[i] = times * bounded(2.0 * ((all_targets * (1.0 + c) - products) / n - a * (1.0 - c)))
