"""Cross-entropy of targets with the softmax of the scores, and the softmax of labels, per query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["cross_entropy", "softmax_of"]


@kernel
def cross_entropy(
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
    """Add the sum of v_i u_i (log sum_j exp(s_j) - s_i) to ``values``; a target of 0 adds nothing."""
    weighted, second = item_weights.size > 0, hessian.size > 0
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        if start == end:
            continue
        peak = scores[start]
        for i in range(start + 1, end):
            peak = max(peak, scores[i])
        mass = 0.0
        for i in range(start, end):
            e = np.exp(scores[i] - peak)
            gradient[i] = e
            mass += e
        rest, all_targets = np.log(mass), 0.0
        total = 0.0
        for i in range(start, end):
            u = targets[i] * item_weights[i] if weighted else targets[i]
            if u != 0.0:
                # The logarithm of the mass is added last: beside a score of 1e300 it would be lost.
                total += u * ((peak - scores[i]) + rest)
                all_targets += u
        values[q] += total
        for i in range(start, end):
            u = targets[i] * item_weights[i] if weighted else targets[i]
            share = gradient[i] / mass
            gradient[i] = all_targets * share - u
            if second:
                hessian[i] = all_targets * share * (1.0 - share)


@kernel
def softmax_of(
    labels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    shares: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """``shares`` = softmax of the labels of each query; ``values`` = the sum of p log p."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        if start == end:
            continue
        peak = labels[start]
        for i in range(start + 1, end):
            peak = max(peak, labels[i])
        mass = 0.0
        for i in range(start, end):
            shares[i] = np.exp(labels[i] - peak)
            mass += shares[i]
        rest, total = np.log(mass), 0.0
        for i in range(start, end):
            shares[i] /= mass
            if shares[i] > 0.0:
                total += shares[i] * (labels[i] - peak - rest)
        values[q] = total
