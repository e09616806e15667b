"""What an engine hands back for a data set, in our terms: labels, where queries start, weights.

Engines keep labels as float32. A label that was written 0.7 then comes back as 0.699999988, and would miss
the threshold ``rel=0.7``. So a label is read as the shortest decimal number that float32 rounds to it: labels
of up to six digits come back as they were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_labels, as_weights
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.inputs import supervision
from rankproof.fit.objective import Supervision
from rankproof.losses.base import LOSSES, Loss

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
    given = np.zeros(0) if sizes is None else np.asarray(sizes)
    if given.size == 0:
        raise ArgumentError(
            f"{where} has no groups, so it is not known which rows are the items of one query. "
            f"Give the group sizes (for one query of all rows, group=[{rows}])."
        )
    # Unsigned sizes would wrap around where they are subtracted.
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
    first, differs = _first_of_query(rows, offsets)
    sizes = np.diff(offsets)
    full = sizes > 0
    sums = np.zeros(sizes.size)
    sums[full] = np.add.reduceat(rows, offsets[:-1][full]) if full.any() else 0.0
    # A sum of equal numbers over their count may be off by a rounding.
    count = np.concatenate(([0], np.cumsum(differs)))
    equal = count[offsets[1:]] == count[offsets[:-1]]
    return np.where(equal, first, sums / np.maximum(sizes, 1))


def _first_of_query(rows: Float64s, offsets: Int64s) -> tuple[Float64s, NDArray[np.bool_]]:
    """The first row's number in every query (0 without rows), and which rows have another one."""
    sizes = np.diff(offsets)
    first = np.zeros(sizes.size)
    first[sizes > 0] = rows[offsets[:-1][sizes > 0]]
    differs: NDArray[np.bool_] = rows != np.repeat(first, sizes)
    return first, differs


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
    threads: int | None = None,
) -> Supervision:
    """Targets and weights of a loss, from what the engine keeps.

    Weights of rows are weights of items for a loss that is a sum over items. For any other they must be the
    same within each query, and multiply the query's loss.
    """
    known = as_written(labels)
    if np.isnan(known).any():
        raise DataError(
            f"The labels hold NaN at row {int(np.argmax(np.isnan(known)))}: an item without a judgment. "
            "Drop such items, or give them grade 0."
        )
    rows = None if row_weights is None else as_weights("weight", as_written(row_weights), known.size)
    if rows is not None and not loss.takes_item_weights:
        first, unequal = _first_of_query(rows, offsets)
        if unequal.any():
            at = int(np.argmax(unequal))
            query = int(np.searchsorted(offsets, at, side="right")) - 1
            raise ArgumentError(
                f"Row {at} has weight {rows[at]:g}, other rows of its query {query} have {first[query]:g}; "
                f"the loss {loss.name} is not a sum over items, so that items have no weights of their own. "
                f"Give all rows of a query the same weight, or use a loss with item weights: "
                f"{', '.join(name for name, kind in LOSSES.items() if kind.takes_item_weights)}."
            )
    return supervision(loss, known, offsets, query_weights, rows, threads=threads)
