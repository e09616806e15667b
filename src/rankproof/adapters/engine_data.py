"""What an engine hands back for a data set, in our terms: labels, where queries start, weights.

Engines keep labels as float32. A label that was written 0.7 then comes back as 0.699999988, and would miss
the threshold ``rel=0.7``. So a label is read as the shortest decimal number that float32 rounds to it: labels
of up to six digits come back as they were written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s, as_labels, as_weights, flat_floats
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError
from rankproof.losses.supervision import first_of_query

__all__ = ["as_written", "mean_weights", "offsets_from_sizes", "weighted_by_query"]


def as_written(labels: Any) -> Float64s:
    """Labels as float64: those in float32 as the shortest decimal that rounds to them.

    >>> as_written(np.array([0.7, 3.0, np.nan], dtype=np.float32)).tolist()
    [0.7, 3.0, nan]
    """
    numbers = np.asarray(labels)
    if numbers.dtype != np.float32 or np.array_equal(numbers, np.trunc(numbers), equal_nan=True):
        return as_labels(numbers)
    values, which = np.unique(numbers, return_inverse=True)
    return as_labels(np.array([float(str(value)) for value in values])[which])


def offsets_from_sizes(sizes: Any, rows: int, where: str) -> Int64s:
    """Where queries start, from the group sizes of a data set of the engine.

    >>> offsets_from_sizes([2, 1], 3, "the Dataset").tolist()
    [0, 2, 3]
    """
    groups = flat_floats("group", [] if sizes is None else sizes)
    if groups.size == 0:
        raise ArgumentError(
            f"{where} has no groups, so it is not known which rows are the items of one query. "
            f"Give the group sizes (for one query of all rows, group=[{rows}])."
        )
    wrong = ~((groups >= 0) & (groups == np.trunc(groups)))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ArgumentError(
            f"{where} has a group of {groups[at]:g} rows at {at}: sizes are whole numbers >= 0."
        )
    offsets = np.concatenate(([0], np.cumsum(groups.astype(np.int64)))).astype(np.int64)
    if int(offsets[-1]) != rows:
        raise ArgumentError(f"{where} has {rows} rows, but its group sizes add up to {int(offsets[-1])}.")
    return offsets


def mean_weights(row_weights: Any, offsets: Int64s) -> Float64s:
    """The weight with which each query counts in a mean: the mean of its rows' weights.

    >>> mean_weights([2, 2, 1, 4], np.array([0, 2, 4, 4])).tolist()
    [2.0, 2.5, 0.0]
    """
    rows = as_weights("weight", as_written(row_weights), int(offsets[-1]))
    first, differs = first_of_query(rows, offsets)
    sizes = np.diff(offsets)
    full = sizes > 0
    sums = np.zeros(sizes.size)
    sums[full] = np.add.reduceat(rows, offsets[:-1][full]) if full.any() else 0.0
    # A sum of equal numbers over their count may be off by a rounding.
    count = np.concatenate(([0], np.cumsum(differs)))
    equal = count[offsets[1:]] == count[offsets[:-1]]
    return np.where(equal, first, sums / np.maximum(sizes, 1))


def weighted_by_query(data: RankingData) -> RankingData:
    """What the mean of a metric reads: weights of rows have become those of queries.

    >>> rows = ranking_data(np.zeros(3), np.array([0, 2, 3]), item_weights=np.array([1.0, 3.0, 1.0]))
    >>> weighted_by_query(rows).query_weights
    array([2., 1.])
    """
    if data.item_weights is None:
        return data
    weights = mean_weights(data.item_weights, data.offsets)
    if data.query_weights is not None:
        weights = weights * data.query_weights
    return ranking_data(data.labels, data.offsets, query_weights=weights)
