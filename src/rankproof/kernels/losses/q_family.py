"""Scores divided by their q-norm, against targets; the norm also serves `kernels.bregman`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["peak_and_norm", "q_family"]


@kernel
def peak_and_norm(x: NDArray[np.float64], start: int, end: int, q: float) -> tuple[float, float]:
    """The largest absolute value, and the q-norm in units of it, which lies between 1 and n."""
    peak = 0.0
    for i in range(start, end):
        peak = max(peak, abs(x[i]))
    if peak == 0.0:
        return 0.0, 1.0
    total = 0.0
    for i in range(start, end):
        total += (abs(x[i]) / peak) ** q
    return peak, total ** (1.0 / q)


@kernel
def q_family(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    exponent: float,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """-<s, u> / |s|_q with q = ``exponent``, or log(n) + 2 when that is 0."""
    second = hessian.size > 0
    for query in range(low, high):
        start, end = offsets[query], offsets[query + 1]
        if start == end:
            continue
        q = exponent if exponent > 0.0 else np.log(float(end - start)) + 2.0
        peak, norm = peak_and_norm(scores, start, end, q)
        if peak == 0.0:
            for i in range(start, end):
                gradient[i] = -targets[i]
            continue
        c = 0.0
        for i in range(start, end):
            c += (scores[i] / peak / norm) * targets[i]
        values[query] = -c
        for i in range(start, end):
            a, u = abs(scores[i]) / peak / norm, targets[i]
            # One power serves all: a^(q-1) = a * a^(q-2).
            power = a ** (q - 2.0)
            g = np.copysign(a * power, scores[i])
            gradient[i] = (c * g - u) / norm / peak
            if second:
                bend = (q - 1.0) * (power - g * g)
                hessian[i] = (2.0 * u * g + c * (bend - 2.0 * g * g)) / norm / peak / norm / peak
