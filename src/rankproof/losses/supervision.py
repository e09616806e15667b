"""What a loss reads beside the scores: targets, query ids and weights, checked and brought into one form."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_weights, offsets_from_qid
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.ids import as_ids
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.weighting import warn_if_weights_move

__all__ = [
    "Supervision",
    "check_judged",
    "first_of_query",
    "per_query_weights",
    "query_offsets",
    "supervision",
]


_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class Supervision:
    """What the loss reads beside the scores: targets, where queries start, weights of queries and items.

    ``total_weight`` is what the sum over queries is divided by: the sum of the query weights as they were
    given.
    """

    targets: Float64s
    offsets: Int64s
    total_weight: float
    query_weights: Float64s | None = None
    item_weights: Float64s = field(default_factory=lambda: _NOTHING)

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def row_weights(self) -> Float64s | None:
        """How much every item counts in all, or None when all count the same."""
        if not self.item_weights.size:
            return self.weight_of_item
        return self.item_weights if self.weight_of_item is None else self.item_weights * self.weight_of_item

    @cached_property
    def weight_of_item(self) -> Float64s | None:
        """The weight of every item's query, or None when all are 1."""
        if self.query_weights is None:
            return None
        return np.repeat(self.query_weights, np.diff(self.offsets))


def query_offsets(qid: Any, rows: int) -> Int64s:
    """Where queries start; without ``qid`` all rows are one query."""
    if qid is None:
        return np.array([0, rows], dtype=np.int64)
    ids = as_ids(qid)
    if ids.shape != (rows,):
        raise ArgumentError(
            f"Argument qid must have one query id per row of X ({rows}), got shape {ids.shape}."
        )
    return offsets_from_qid(ids)


def check_judged(labels: Float64s, offsets: Int64s, qid: Any = None, *, unit: str = "row") -> None:
    """Raise `DataError` for a label that nothing can be learnt from: NaN, or infinite.

    ``unit`` is what labels are counted in. Queries are named by their ids, or else by their number.

    >>> check_judged(np.array([1.0, 0.0, np.nan]), np.array([0, 1, 3]), ["a", "b", "b"])
    Traceback (most recent call last):
        ...
    rankproof.errors.DataError: Labels to learn from must be finite, got NaN at row 2: an item without a
    judgment, item 1 of query 'b' (counted from 0). Drop such items, or give them grade 0.
    """
    bad = ~np.isfinite(labels)
    if not bad.any():
        return
    at = int(np.argmax(bad))
    query = _query_of(at, offsets)
    name = f"number {query}" if qid is None else repr(np.asarray(qid)[at : at + 1].tolist()[0])
    place = f"item {at - int(offsets[query])} of query {name} (counted from 0)"
    if np.isnan(labels[at]):
        what = f"NaN at {unit} {at}: an item without a judgment"
        way_out = "Drop such items, or give them grade 0."
    else:
        what, way_out = f"{labels[at]} at {unit} {at}", "Correct such labels, or drop their items."
    raise DataError(f"Labels to learn from must be finite, got {what}, {place}. {way_out}")


def _query_of(item: int, offsets: Int64s) -> int:
    return int(np.searchsorted(offsets, item, side="right")) - 1


def first_of_query(rows: Float64s, offsets: Int64s) -> tuple[Float64s, NDArray[np.bool_]]:
    """The first row's number in every query (0 without rows), and which rows have another one."""
    sizes = np.diff(offsets)
    first = np.zeros(sizes.size)
    first[sizes > 0] = rows[offsets[:-1][sizes > 0]]
    differs: NDArray[np.bool_] = rows != np.repeat(first, sizes)
    return first, differs


def per_query_weights(query_weight: Any, offsets: Int64s, name: str = "query_weight") -> Float64s | None:
    """One weight per query; from one per query, or one per row that is the same within each query.

    >>> per_query_weights([2, 2, 1], np.array([0, 2, 3])).tolist()
    [2.0, 1.0]
    """
    if query_weight is None:
        return None
    queries, rows = offsets.size - 1, int(offsets[-1])
    numbers = np.asarray(query_weight)
    if numbers.ndim == 1 and numbers.size == rows and rows != queries:
        weights, differs = first_of_query(as_weights(name, numbers, rows), offsets)
        if differs.any():
            raise ArgumentError(
                f"Argument {name} with one number per row must be the same within a query, "
                f"got another at row {int(np.argmax(differs))}."
            )
    elif numbers.ndim == 1 and numbers.size == queries:
        weights = as_weights(name, numbers, queries)
    else:
        raise ArgumentError(
            f"Argument {name} must have one number per query ({queries}) or per row ({rows}), "
            f"got shape {numbers.shape}."
        )
    if not weights.any():
        raise ArgumentError(f"Argument {name} must have a weight that is not zero.")
    return weights


def supervision(loss: Loss, data: RankingData, *, weight_name: str = "sample_weight") -> Supervision:
    """Targets and weights for a loss.

    A loss that is not a sum over items takes weights of items only when they are the same within each query:
    then they multiply the loss of the query, as they would for a sum. ``weight_name`` is what the caller's
    user knows them by.
    """
    labels, offsets, by_query = data.labels, data.offsets, data.query_weights
    check_judged(labels, offsets)
    targets = labels if data.expected is not None else loss.targets(labels, offsets)
    if data.expected is not None and data.expected != loss.target:
        raise ArgumentError(
            f"The labels are the mean of {data.expected}, and the loss {loss} aims at {loss.target}."
        )
    loss.check_targets(targets)
    total = float(offsets.size - 1 if by_query is None else by_query.sum())
    if data.item_weights is None:
        return Supervision(targets, offsets, total, by_query)
    items = as_weights(weight_name, data.item_weights, labels.size)
    if not items.any():
        raise ArgumentError(f"Argument {weight_name} must have a weight that is not zero.")
    if by_query is not None and not (items * np.repeat(by_query, np.diff(offsets))).any():
        raise ArgumentError(
            f"Arguments query_weight and {weight_name} leave no row with a weight: where one of them is not "
            "zero, the other is. Give one of them, or weights that meet."
        )
    factor, differs = first_of_query(items, offsets)
    if loss.takes_item_weights:
        if differs.any():
            warn_if_weights_move(loss, weight_name)
        return Supervision(targets, offsets, total, by_query, items)
    if differs.any():
        at = int(np.argmax(differs))
        query = _query_of(at, offsets)
        raise ArgumentError(
            f"Row {at} has weight {items[at]:g}, other rows of its query {query} have {factor[query]:g}; the "
            f"loss {loss.name} is not a sum over items, so {weight_name} must be the same within a query. "
            "Give all rows of a query the same weight, or use a loss with item weights: "
            f"{', '.join(name for name, kind in LOSSES.items() if kind.takes_item_weights)}."
        )
    return Supervision(targets, offsets, total, factor if by_query is None else factor * by_query)
