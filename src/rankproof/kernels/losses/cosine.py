"""Cosine of the angle between scores and targets, per query; lengths are taken after division by the peak."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["cosine"]


@kernel
def _peak_and_length(x: NDArray[np.float64], start: int, end: int) -> tuple[float, float]:
    """The largest absolute value, and the Euclidean length in units of it: neither can overflow."""
    peak = 0.0
    for i in range(start, end):
        peak = max(peak, abs(x[i]))
    if peak == 0.0:
        return 0.0, 1.0
    total = 0.0
    for i in range(start, end):
        a = x[i] / peak
        total += a * a
    return peak, np.sqrt(total)


@kernel
def cosine(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    normalize: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """1 - <s, u> / |s|, over |u| as well when ``normalize``."""
    second = hessian.size > 0
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        if start == end:
            continue
        unit, size = _peak_and_length(targets, start, end) if normalize else (1.0, 1.0)
        if unit == 0.0:
            unit = 1.0
        peak, length = _peak_and_length(scores, start, end)
        if peak == 0.0:
            values[q] = 1.0
            for i in range(start, end):
                gradient[i] = -targets[i] / unit / size
            continue
        c = 0.0
        for i in range(start, end):
            c += (scores[i] / peak / length) * (targets[i] / unit / size)
        values[q] = 1.0 - c
        for i in range(start, end):
            t, u = scores[i] / peak / length, targets[i] / unit / size
            gradient[i] = (t * c - u) / length / peak
            if second:
                hessian[i] = (2.0 * u * t + c - 3.0 * c * t * t) / length / peak / length / peak
