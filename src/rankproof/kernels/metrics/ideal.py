"""Every query's labels from the best grade down: ideal values and counts of relevant items are read off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["sort_labels"]

_GRADES = 64


@kernel
def _by_counting(
    labels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    out: NDArray[np.float64],
    general: NDArray[np.bool_],
    low: int,
    high: int,
) -> None:
    """Whole grades 0..63 are counted, not sorted; other queries are marked in ``general``."""
    # Four tallies in turn: equal neighbours would otherwise wait for each other's store.
    counts = np.zeros((4, _GRADES), np.int64)
    longest = 0
    for q in range(low, high):
        longest = max(longest, offsets[q + 1] - offsets[q])
    grades = np.empty(longest, np.uint8)
    for q in range(low, high):
        start, n = offsets[q], offsets[q + 1] - offsets[q]
        odd = 0
        for i in range(n):
            y = labels[start + i]
            z = y if (y >= 0.0) & (y < 64.0) else 0.0
            grade = np.int32(z)
            odd += np.float64(grade) != y
            grades[i] = grade
        general[q] = odd > 0
        if odd > 0:
            continue
        for i in range(n):
            counts[i & 3, grades[i]] += 1
        at, top = start, _GRADES - 1
        while at < start + n:
            many = counts[0, top] + counts[1, top] + counts[2, top] + counts[3, top]
            for j in range(at, at + many):
                out[j] = top
            for k in range(4):
                counts[k, top] = 0
            at += many
            top -= 1


def sort_labels(
    labels: NDArray[np.float64], offsets: NDArray[np.int64], out: NDArray[np.float64], low: int, high: int
) -> None:
    """``out`` = labels of each query in descending order, for queries low..high."""
    general = np.zeros(offsets.size - 1, np.bool_)
    _by_counting(labels, offsets, out, general, low, high)
    for q in np.flatnonzero(general).tolist():
        part = slice(int(offsets[q]), int(offsets[q + 1]))
        out[part] = -np.sort(-labels[part])
