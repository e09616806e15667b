"""The chance that a random order of tied items sorts the labels.

A score group of t items in which c items share a label comes out sorted in ``prod c! / t!`` of its orders. As
a product of (place among equal labels) / (place in the group) it never overflows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["sorted_chance"]


@kernel
def _chance(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    depth: int,
    ideal: NDArray[np.float64],
) -> float:
    items = labels.size
    i = 0
    while i < items:
        end = int(ends[i]) if i < depth else items
        # Sorted, these places hold labels between these two: then no earlier group has a worse label.
        best, worst = ideal[i], ideal[end - 1]
        for j in range(i, end):
            if not worst <= labels[j] <= best:
                return 0.0
        i = end
    chance = 1.0
    i = 0
    while i < items:
        end = int(ends[i]) if i < depth else items
        alike = 1
        for j in range(i + 1, end):
            # Places i..end of the sorted list hold the labels of this very group.
            alike = alike + 1 if ideal[j] == ideal[j - 1] else 1
            chance *= alike / (j - i + 1)
        i = end
    return chance


@kernel
def sorted_chance(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """The chance for queries low..high; NaN where all labels are equal."""
    for q in range(low, high):
        a, b = offsets[q], offsets[q + 1]
        if b == a or ideal[a] == ideal[b - 1]:
            out[q] = np.nan
        else:
            out[q] = _chance(labels[a:b], ends[a:b], depth[q], ideal[a:b])
