"""What an engine hands back for a data set, in our terms: labels, where queries start, weights.

Engines keep labels as float32. A label that was written 0.7 then comes back as 0.699999988, and would miss
the threshold ``rel=0.7``. So a label is read as the shortest decimal number that float32 rounds to it: labels
of up to six digits come back as they were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s, as_labels, as_weights, flat_floats
from rankproof.errors import ArgumentError
from rankproof.fit.inputs import first_of_query, supervision
from rankproof.fit.objective import Supervision
from rankproof.losses.base import Loss

__all__ = ["Judged", "as_written", "judged", "offsets_of_sizes", "supervised", "weights_of_queries"]


def as_written(labels: Any) -> Float64s:
    """Labels as float64: those in float32 as the shortest decimal that rounds to them.

    >>> as_written(np.array([0.7, 3.0, np.nan], dtype=np.float32)).tolist()
    [0.7, 3.0, nan]
    """
    given = np.asarray(labels)
    if given.dtype != np.float32 or np.array_equal(given, np.trunc(given), equal_nan=True):
        return as_labels(given)
    values, which = np.unique(given, return_inverse=True)
    return as_labels(np.array([float(str(value)) for value in values])[which])


def offsets_of_sizes(sizes: Any, rows: int, where: str) -> Int64s:
    """Where queries start, from the group sizes of a data set of the engine.

    >>> offsets_of_sizes([2, 1], 3, "the Dataset").tolist()
    [0, 2, 3]
    """
    given = flat_floats("group", [] if sizes is None else sizes)
    if given.size == 0:
        raise ArgumentError(
            f"{where} has no groups, so it is not known which rows are the items of one query. "
            f"Give the group sizes (for one query of all rows, group=[{rows}])."
        )
    wrong = ~((given >= 0) & (given == np.trunc(given)))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ArgumentError(
            f"{where} has a group of {given[at]:g} rows at {at}: sizes are whole numbers >= 0."
        )
    offsets = np.concatenate(([0], np.cumsum(given.astype(np.int64)))).astype(np.int64)
    if int(offsets[-1]) != rows:
        raise ArgumentError(f"{where} has {rows} rows, but its group sizes add up to {int(offsets[-1])}.")
    return offsets


def weights_of_queries(row_weights: Any, offsets: Int64s) -> Float64s | None:
    """The weight with which each query counts in a mean: the mean of its rows' weights.

    >>> weights_of_queries([2, 2, 1, 4], np.array([0, 2, 4, 4])).tolist()
    [2.0, 2.5, 0.0]
    """
    if row_weights is None:
        return None
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


@dataclass(frozen=True, eq=False)
class Judged:
    """What a metric is evaluated on beside the scores; ``weights`` are those of queries."""

    labels: Float64s
    offsets: Int64s
    weights: Float64s | None


def judged(labels: Any, offsets: Int64s, row_weights: Any) -> Judged:
    """The judged data behind an engine's data set, whose weights are those of rows."""
    return Judged(as_written(labels), offsets, weights_of_queries(row_weights, offsets))


def supervised(
    loss: Loss,
    labels: Any,
    offsets: Int64s,
    *,
    row_weights: Any = None,
    query_weights: Any = None,
    weight_name: str = "weight",
    threads: int | None = None,
) -> Supervision:
    """Targets and weights of a loss, from what the engine keeps; weights of rows are those of items."""
    rows = None if row_weights is None else as_written(row_weights)
    return supervision(
        loss, as_written(labels), offsets, query_weights, rows, weight_name=weight_name, threads=threads
    )
