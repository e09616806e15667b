"""The ragged convention: flat arrays plus ``offsets``; query q owns ``[offsets[q], offsets[q+1])``.

Every function here takes what a user may pass and returns an array the kernels may trust, or raises an
error that names the argument, the value and the rule.

>>> offsets_from_qid([7, 7, 7, 9]).tolist()
[0, 3, 4]
>>> offsets_from_qid(["a", "b", "a"])
Traceback (most recent call last):
    ...
rankproof.errors.DataError: Argument qid must list the items of one query next to each other, but query
'a' comes back at item 2 after another query. Sort the items by query first.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.errors import ArgumentError, DataError
from rankproof.ids import as_ids
from rankproof.shown import quoted

__all__ = [
    "Float32s",
    "Float64s",
    "Int64s",
    "as_labels",
    "as_offsets",
    "as_scores",
    "as_weights",
    "as_whole_number",
    "flat_floats",
    "frozen",
    "has_nan",
    "items_of_queries",
    "offsets_from_qid",
    "query_of_item",
    "spans_by_items",
]

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Int64s = NDArray[np.int64]
A = TypeVar("A", bound=NDArray[Any])


def frozen(array: A) -> A:
    """A read-only view of ``array``."""
    view = array.view()
    view.flags.writeable = False
    return view


def has_nan(array: Float64s) -> bool:
    """Whether one of the numbers is NaN; without the mask that `numpy.isnan` would make.

    >>> has_nan(np.array([1.0, -np.inf])), has_nan(np.array([1.0, np.nan])), has_nan(np.array([]))
    (False, True, False)
    """
    return bool(np.isnan(array.min(initial=0.0)))


def flat_floats(name: str, values: ArrayLike) -> Float64s:
    """``values`` as a contiguous one-dimensional float64 array; no finiteness check."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"Argument {name} must be a sequence of numbers: {error}.") from None
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ArgumentError(f"Argument {name} must be one-dimensional, got shape {array.shape}.")
    return np.ascontiguousarray(array)


def _first(mask: NDArray[np.bool_]) -> int:
    return int(np.argmax(mask))


def as_scores(scores: ArrayLike, items: int | None = None) -> Float64s:
    """Scores as float64: NaN is refused (it has no place in an order), infinities are kept."""
    array = flat_floats("scores", scores)
    if items is not None and array.size != items:
        raise ArgumentError(f"Argument scores must have one number per item ({items}), got {array.size}.")
    if has_nan(array):
        bad = np.isnan(array)
        raise DataError(
            f"Argument scores holds NaN at item {_first(bad)} ({int(bad.sum())} in all); "
            "a NaN has no place in a ranking. Correct the model's output or drop these items."
        )
    return array


def as_labels(labels: ArrayLike, name: str = "labels") -> Float64s:
    """Labels as float64: any finite number, NaN for an item that was not judged."""
    array = flat_floats(name, labels)
    if np.isfinite(array.min(initial=0.0)) and np.isfinite(array.max(initial=0.0)):
        return array
    bad = np.isinf(array)
    if bad.any():
        raise DataError(
            f"Argument {name} holds {array[_first(bad)]} at item {_first(bad)}; "
            "labels are finite numbers, or NaN for an item that was not judged."
        )
    return array


def as_offsets(offsets: ArrayLike, items: int) -> Int64s:
    """Offsets as int64: start at 0, never decrease, end at the number of items."""
    raw = np.asarray(offsets)
    if raw.ndim != 1 or raw.size < 1 or not np.issubdtype(raw.dtype, np.integer):
        raise ArgumentError(
            "Argument offsets must be a one-dimensional array of integers, "
            f"got {raw.dtype} of shape {raw.shape}."
        )
    array = np.ascontiguousarray(raw, dtype=np.int64)
    if array[0] != 0 or array[-1] != items:
        raise ArgumentError(
            f"Argument offsets must start at 0 and end at the number of items ({items}), "
            f"got {array[0]} ... {array[-1]}."
        )
    steps = np.diff(array) < 0
    if steps.any():
        at = _first(steps)
        raise ArgumentError(f"Argument offsets must not fall, got {array[at]} then {array[at + 1]} at {at}.")
    return array


def as_weights(name: str, weights: ArrayLike, size: int) -> Float64s:
    """Weights as float64: finite and not negative."""
    array = flat_floats(name, weights)
    if array.size != size:
        raise ArgumentError(f"Argument {name} must have {size} numbers, got {array.size}.")
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise ArgumentError(
            f"Argument {name} must be finite and not negative, got {array[_first(bad)]} at {_first(bad)}."
        )
    return array


def offsets_from_qid(qid: ArrayLike, *, what: str = "Argument qid", way_out: str = "") -> Int64s:
    """Offsets of a per-item query column whose queries stand together.

    An error calls the column ``what``, and ends with ``way_out``.
    """
    array = as_ids(qid)
    if array.ndim != 1:
        raise ArgumentError(f"Argument qid must be one-dimensional, got shape {array.shape}.")
    if array.size == 0:
        return np.zeros(1, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate(([True], array[1:] != array[:-1])))
    names = array[starts]
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[inverse] != np.arange(names.size))
    if again.size:
        raise DataError(
            f"{what} must list the items of one query next to each other, but query "
            f"{quoted(names[again[0]])} comes back at item {starts[again[0]]} after another query. "
            f"Sort the items by query first.{way_out}"
        )
    return np.concatenate((starts, [array.size])).astype(np.int64)


def query_of_item(offsets: Int64s) -> Int64s:
    """The query number of every item.

    >>> query_of_item(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(offsets.size - 1, dtype=np.int64), np.diff(offsets))


def items_of_queries(offsets: Int64s, queries: Int64s) -> tuple[Int64s, Int64s]:
    """Where some queries start when they stand alone, in the order given, and the numbers of their items.

    >>> [part.tolist() for part in items_of_queries(np.array([0, 2, 2, 5]), np.array([2, 0]))]
    [[0, 3, 5], [2, 3, 4, 0, 1]]
    """
    sizes = offsets[queries + 1] - offsets[queries]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return starts, np.arange(starts[-1]) + np.repeat(offsets[queries] - starts[:-1], sizes)


def spans_by_items(offsets: Int64s, items: int) -> list[tuple[int, int]]:
    """Ranges of whole queries with about ``items`` items each.

    >>> spans_by_items(np.array([0, 3, 5, 6, 20, 22]), 5)
    [(0, 2), (2, 4), (4, 5)]
    """
    marks = np.arange(items, int(offsets[-1]), items)
    edges = np.concatenate(([0], np.searchsorted(offsets, marks), [offsets.size - 1])).tolist()
    return [(low, high) for low, high in pairwise(edges) if low < high]


def as_whole_number(name: str, value: object, least: int) -> int:
    """``value`` as an int of at least ``least``.

    >>> as_whole_number("cutoff of nDCG", 0, 1)
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument cutoff of nDCG must be an int >= 1, got 0.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ArgumentError(f"Argument {name} must be an int >= {least}, got {value!r}.")
    return int(value)
