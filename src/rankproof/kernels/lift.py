"""Squared margins over all ordered pairs, weighted by the target of the first item, in linear time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.order_preserving import HUGE, bounded

__all__ = ["lift"]


@kernel
def _apart(score: float, first: float) -> float:
    """The score less the first item's, so that what all have in common cancels before it can round."""
    return min(max(score, -HUGE), HUGE) - min(max(first, -HUGE), HUGE)


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
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        if n < 2:
            continue
        first, mean, all_targets = scores[start], 0.0, 0.0
        for i in range(start, end):
            # Kept where the gradient will stand, so that it is not computed three times.
            gradient[i] = _apart(scores[i], first)
            mean += gradient[i] / n
            a = targets[i] * item_weights[i] if weighted else targets[i]
            all_targets += a
        squares, products = 0.0, 0.0
        for i in range(start, end):
            c = gradient[i] - mean
            gradient[i] = c
            a = targets[i] * item_weights[i] if weighted else targets[i]
            squares += c * c
            products += a * c
        total = all_targets * (bounded(squares) - 1.0) / n
        for i in range(start, end):
            c = gradient[i]
            a = targets[i] * item_weights[i] if weighted else targets[i]
            total += a * bounded((1.0 - c) * (1.0 - c))
            gradient[i] = bounded(2.0 * ((all_targets * (1.0 + c) - products) / n - a * (1.0 - c)))
            if second:
                hessian[i] = 2.0 * ((n - 2) * a + all_targets) / n
        values[q] = bounded(total)
