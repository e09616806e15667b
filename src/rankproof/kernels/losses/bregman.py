"""The q-norm of the scores squared, less twice their inner product with the targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.q_family import peak_and_norm

__all__ = ["bregman"]


@kernel
def bregman(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    q: float,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """|s|_q^2 - 2 <s, u>."""
    second = hessian.size > 0
    for query in range(low, high):
        start, end = offsets[query], offsets[query + 1]
        peak, norm = peak_and_norm(scores, start, end, q)
        if peak == 0.0:
            for i in range(start, end):
                gradient[i] = -2.0 * targets[i]
                if second:
                    # Along one axis the norm squared is s_i^2.
                    hessian[i] = 2.0
            continue
        c = 0.0
        for i in range(start, end):
            c += (scores[i] / peak / norm) * targets[i]
        # As a product, so that huge scores do not give infinity less infinity.
        values[query] = (peak * norm) * (peak * norm - 2.0 * c)
        for i in range(start, end):
            a = abs(scores[i]) / peak / norm
            power = a ** (q - 2.0)
            g = np.copysign(a * power, scores[i])
            gradient[i] = 2.0 * (peak * norm * g - targets[i])
            if second:
                hessian[i] = 2.0 * (g * g + (q - 1.0) * (power - g * g))
