"""Logistic losses at one or more thresholds, item by item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["all_thresholds"]


@kernel
def all_thresholds(
    scores: NDArray[np.float64],
    labels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    thresholds: NDArray[np.float64],
    grades: NDArray[np.float64],
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Sum over items and thresholds of log(1 + exp(-z (s_i - t_k))), z = 1 when y_i >= grades[k], else -1."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    for q in range(low, high):
        total = 0.0
        for i in range(offsets[q], offsets[q + 1]):
            v = item_weights[i] if weighted else 1.0
            value, slope, bend = 0.0, 0.0, 0.0
            for k in range(thresholds.size):
                above = labels[i] >= grades[k]
                margin = scores[i] - thresholds[k] if above else thresholds[k] - scores[i]
                e = np.exp(-abs(margin))
                value += max(-margin, 0.0) + np.log1p(e)
                wrong = (e if margin > 0.0 else 1.0) / (1.0 + e)
                slope += -wrong if above else wrong
                bend += e / ((1.0 + e) * (1.0 + e))
            total += v * value
            gradient[i] = v * slope
            if second:
                hessian[i] = v * bend
        values[q] = total
