"""Labels of a query as small whole numbers in the same order: what pair counting is done on.

Whole labels 0..63 stand for themselves; any other labels are numbered 0, 1, 2, ... from the lowest up. Only
the order of labels matters to a count of pairs, so both ways give the same counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.order import sort_queries

__all__ = ["Grades", "longest_query", "number_labels", "whole_grades"]

Grades = NDArray[np.int32]


@kernel
def longest_query(offsets: NDArray[np.int64], low: int, high: int) -> int:
    """Items of the longest of the queries low..high: the size of scratch arrays."""
    size = 0
    for q in range(low, high):
        size = max(size, offsets[q + 1] - offsets[q])
    return size


@kernel
def whole_grades(labels: NDArray[np.float64], grades: Grades) -> int:
    """Fill ``grades`` with whole labels 0..63 and return the highest; -1 when a label is another number."""
    top = np.int32(-1)
    whole = True
    for i in range(labels.size):
        y = labels[i]
        # A label outside the range becomes 0, which it does not equal: no branch, so the loop vectorises.
        grade = np.int32(y if 0.0 <= y < 64.0 else 0.0)
        whole = whole & (grade == y)
        grades[i] = grade
        top = max(top, grade)
    return int(top) if whole else -1


@kernel
def _number(
    places: NDArray[np.int32],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    numbers: Grades,
) -> None:
    for q in range(low, high):
        start, number = offsets[q], -1
        last = np.int32(-1)
        for i in range(offsets[q + 1] - 1, start - 1, -1):
            number += ends[i] != last
            last = ends[i]
            numbers[start + places[i]] = number


def number_labels(
    labels: NDArray[np.float64], offsets: NDArray[np.int64], low: int, high: int, numbers: Grades
) -> None:
    """Number the distinct labels of each of the queries low..high from the lowest up."""
    places, ends = np.empty(labels.size, np.int32), np.empty(labels.size, np.int32)
    tied = np.empty(offsets.size - 1, np.bool_)
    sort_queries(labels, offsets, np.diff(offsets), places, ends, tied, low, high)
    _number(places, ends, offsets, low, high, numbers)
