"""Targets of many queries: what each item is worth, from the labels of its query.

Kernels fill ``out`` for the items of queries low..high. ``ideal`` holds the labels of every query from the
best grade down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.dcg import gain

__all__ = ["gains", "normalised_gains", "relevance_shares", "standings", "weighted_labels"]


@kernel
def gains(
    labels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    table: NDArray[np.float64],
    formula: int,
    scale: float,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """The gain of every label, times ``scale``."""
    for i in range(offsets[low], offsets[high]):
        y = labels[i]
        # Written out: a call that takes the table would count references to it at every item.
        grade = np.int64(min(max(y, 0.0), table.size - 1.0))
        worth = table[grade]
        if grade != y:
            worth = gain(y, table, formula)
        out[i] = scale * worth


@kernel
def normalised_gains(
    ideal: NDArray[np.float64],
    offsets: NDArray[np.int64],
    table: NDArray[np.float64],
    formula: int,
    weights: NDArray[np.float64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """The gains in ``out`` divided by the best discounted sum of their query; 0 when that is 0."""
    ranks = weights.size
    while ranks > 0 and weights[ranks - 1] == 0.0:
        ranks -= 1
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        best = 0.0
        for k in range(min(end - start, ranks)):
            worth = gain(ideal[start + k], table, formula)
            if worth <= 0.0:
                break
            best += weights[k] * worth
        for i in range(start, end):
            out[i] = out[i] / best if best > 0.0 else 0.0


@kernel
def relevance_shares(
    labels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    rel: float,
    per_relevant: float,
    per_item: float,
    constant: float,
    pairs: bool,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """1[y >= rel] over per_relevant R + per_item n + constant, or over R (n - R) when ``pairs``; 0/0 is 0."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        relevant = 0
        for i in range(start, end):
            relevant += labels[i] >= rel
        if pairs:
            divisor = float(relevant) * float(end - start - relevant)
        else:
            divisor = per_relevant * relevant + per_item * (end - start) + constant
        share = 1.0 / divisor if divisor > 0.0 else 0.0
        for i in range(start, end):
            out[i] = share if labels[i] >= rel else 0.0


@kernel
def weighted_labels(
    labels: NDArray[np.float64],
    ideal: NDArray[np.float64],
    offsets: NDArray[np.int64],
    exponential: bool,
    normalised: bool,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """f(y) = y or 2^y, over the sum of f(y_i) - f(y_j) of all pairs when ``normalised`` (0 without pairs)."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        total = 0.0
        if normalised:
            for k in range(start + 1, end):
                a, b = ideal[k - 1], ideal[k]
                if a > b:
                    # Every pair of an item above this gap and one below it has the gap in its weight.
                    gap = np.exp2(a) - np.exp2(b) if exponential else a - b
                    total += gap * (float(k - start) * float(end - k))
        for i in range(start, end):
            y = labels[i]
            worth = np.exp2(y) if exponential else y
            if normalised:
                worth = worth / total if total > 0.0 else 0.0
            out[i] = worth


@kernel
def standings(
    labels: NDArray[np.float64],
    ideal: NDArray[np.float64],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    above: NDArray[np.float64],
    below: NDArray[np.float64],
) -> None:
    """How many items of its query have a higher label than each item, and how many a lower one."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        for i in range(start, end):
            y = labels[i]
            first, last = start, end
            while first < last:
                middle = (first + last) // 2
                if ideal[middle] > y:
                    first = middle + 1
                else:
                    last = middle
            above[i] = first - start
            last = end
            while first < last:
                middle = (first + last) // 2
                if ideal[middle] >= y:
                    first = middle + 1
                else:
                    last = middle
            below[i] = end - first
