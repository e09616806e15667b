"""The extended Kullback-Leibler divergence of exponential scores from targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["extended_kl"]


@kernel
def extended_kl(
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
    """Sum of v_i (u_i log(u_i / exp(s_i)) - u_i + exp(s_i)), where 0 log 0 is 0."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    for q in range(low, high):
        total = 0.0
        for i in range(offsets[q], offsets[q + 1]):
            v = item_weights[i] if weighted else 1.0
            if v == 0.0:
                continue
            s, u = scores[i], targets[i]
            e = np.exp(s)
            term = e
            # Beyond the largest float the exponential outweighs u s, whatever u.
            if (u > 0.0) & (e < np.inf):
                term = e + u * (np.log(u) - s - 1.0)
            total += v * term
            gradient[i] = v * (e - u)
            if second:
                hessian[i] = v * e
        values[q] = total
