"""A linear function of the scores with a strictly convex penalty on each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["penalised_linear"]


@kernel
def penalised_linear(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    nu: float,
    cosh: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Sum of v_i (nu r(s_i) - s_i u_i) with r(s) = s^2, or cosh(s) - 1."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    for q in range(low, high):
        total = 0.0
        for i in range(offsets[q], offsets[q + 1]):
            v = item_weights[i] if weighted else 1.0
            if v == 0.0:
                continue
            s, u = scores[i], targets[i]
            if cosh:
                half = np.sinh(0.5 * s)
                penalty = 2.0 * half * half
                # Beyond the largest float the penalty outweighs s u, whatever u.
                total += v * (nu * penalty - (s * u if penalty < np.inf else 0.0))
                gradient[i] = v * (nu * np.sinh(s) - u)
                if second:
                    hessian[i] = v * nu * np.cosh(s)
            else:
                # As a product, so that huge scores do not give infinity less infinity.
                total += v * (s * (nu * s - u))
                gradient[i] = v * (2.0 * nu * s - u)
                if second:
                    hessian[i] = v * 2.0 * nu
        values[q] = total
