"""Discounted sums of gains, exact under ties: each item of a tie group gets the group's mean gain.

With running sums of the discounts, a group costs one product, however long it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["dcg", "gain"]


@kernel
def gain(y: float, table: NDArray[np.float64], formula: int) -> float:
    """The worth of a grade: by table for whole grades, else 2^y - 1 (0) or y (1); 0 below grade 0."""
    # Tests that go the same way for all whole grades: one for y <= 0 would be a coin flip.
    if (y >= 0.0) & (y < table.size):
        grade = np.int64(y)
        if grade == y:
            return float(table[grade])
    if y <= 0.0:
        return 0.0
    return y if formula == 1 else np.exp2(y) - 1.0


@kernel
def _discounted(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    depth: int,
    table: NDArray[np.float64],
    formula: int,
    weights: NDArray[np.float64],
    running: NDArray[np.float64],
    ranks: int,
) -> float:
    """One query's sum over its first ``ranks`` ranks; ``ranks`` never exceeds ``weights.size``."""
    total = 0.0
    last = min(depth, ranks)
    i = 0
    while i < last:
        if ends[i] == i + 1:
            y = labels[i]
            # Written out: a call that takes the table would count references to it at every item.
            grade = np.int64(min(max(y, 0.0), table.size - 1.0))
            worth = table[grade]
            if grade != y:
                worth = gain(y, table, formula)
            total += weights[i] * worth
            i += 1
        else:
            end = int(ends[i])
            mass = 0.0
            for j in range(i, end):
                mass += gain(labels[j], table, formula)
            total += mass / (end - i) * (running[min(end, last)] - running[i])
            i = end
    return total


@kernel
def _best(
    ideal: NDArray[np.float64],
    table: NDArray[np.float64],
    formula: int,
    weights: NDArray[np.float64],
    ranks: int,
) -> float:
    total = 0.0
    for k in range(min(ideal.size, ranks)):
        worth = gain(ideal[k], table, formula)
        if worth <= 0.0:
            break
        total += weights[k] * worth
    return total


@kernel
def dcg(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    table: NDArray[np.float64],
    formula: int,
    weights: NDArray[np.float64],
    running: NDArray[np.float64],
    normalised: bool,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """DCG, or nDCG when ``normalised``, of queries low..high; NaN where no item has a gain."""
    ranks = weights.size
    while ranks > 0 and weights[ranks - 1] == 0.0:
        ranks -= 1
    for q in range(low, high):
        a, b = offsets[q], offsets[q + 1]
        if b == a or gain(ideal[a], table, formula) <= 0.0:
            out[q] = np.nan
            continue
        value = _discounted(labels[a:b], ends[a:b], depth[q], table, formula, weights, running, ranks)
        if normalised:
            best = _best(ideal[a:b], table, formula, weights, ranks)
            # The best order's own sum: no rounding may lift a perfect ranking above 1.
            value = min(value / best, 1.0) if best > 0.0 else np.nan
        out[q] = value
