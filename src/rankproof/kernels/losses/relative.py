"""Squares around 1 and around 0, weighted by the target and by its mean over the query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["relative"]


@kernel
def relative(
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
    """Sum of a_i (1 - s_i)^2 + mean(a) s_i^2, with a_i = v_i u_i."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        mean = 0.0
        for i in range(start, end):
            a = targets[i] * item_weights[i] if weighted else targets[i]
            mean += a / (end - start)
        total = 0.0
        for i in range(start, end):
            a = targets[i] * item_weights[i] if weighted else targets[i]
            s, away = scores[i], 1.0 - scores[i]
            # In this order nothing times 0 is ever infinite.
            total += a * away * away + mean * s * s
            gradient[i] = 2.0 * (mean * s - a * away)
            if second:
                hessian[i] = 2.0 * (a + mean)
        values[q] = total
