"""Items of a query that cannot be told apart: the same features, perhaps with different grades.

No scorer can rank them, and where their grades differ the labels are known to be noisy.

>>> X = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 0.0], [1.0, 2.0]])
>>> data = RankingData(labels=[0, 1, 1, 0], offsets=[0, 3, 4], X=X)
>>> duplicates(data)  # the last item is of another query
Duplicates(items=2, contradictory=2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Int64s, query_of_item
from rankproof.data.ranking import Features, RankingData

__all__ = ["Duplicates", "duplicates"]

# Entries that are looked at at a time: bounds the memory beside the data.
_ENTRIES = 1 << 22


@dataclass(frozen=True)
class Duplicates:
    """How many items share their features with another item of their query, and with one of another grade."""

    items: int
    contradictory: int


def duplicates(data: RankingData) -> Duplicates:
    """The duplicates of the data; 0 without features."""
    if data.X is None or not data.items:
        return Duplicates(0, 0)
    query, mark = query_of_item(data.offsets), _marks(data.X)
    order = np.lexsort((data.labels, mark, query))
    near = (query[order[1:]] == query[order[:-1]]) & (mark[order[1:]] == mark[order[:-1]])
    places = np.flatnonzero(near)
    # Equal marks are all but certainly equal rows; this makes it certain.
    same = np.zeros(data.items - 1, np.bool_)
    same[places] = _equal(data.X, order[places], order[places + 1])
    group = np.concatenate(([0], np.cumsum(~same)))
    sizes = np.bincount(group)
    labels = data.labels[order]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    # NaN, an item without a judgment, contradicts nothing.
    low, high = np.fmin.reduceat(labels, starts), np.fmax.reduceat(labels, starts)
    return Duplicates(int(sizes[sizes > 1].sum()), int(sizes[low < high].sum()))


def _marks(X: Features) -> NDArray[np.uint64]:
    """One whole number per row, the same for equal rows: a sum of bits times odd random numbers."""
    random_bits = np.random.default_rng(0).integers(1 << 63, size=X.shape[1], dtype=np.uint64)
    factors = np.bitwise_or(random_bits, np.uint64(1))
    marks = np.zeros(X.shape[0], np.uint64)
    if isinstance(X, np.ndarray):
        step = max(1, _ENTRIES // max(1, X.shape[1]))
        for start in range(0, X.shape[0], step):
            part = _bits(X[start : start + step])
            marks[start : start + step] = (part * factors).sum(axis=1, dtype=np.uint64)
        return marks
    stored = np.flatnonzero(np.diff(X.indptr))
    if stored.size:
        marks[stored] = np.add.reduceat(_bits(X.data) * factors[X.indices], X.indptr[stored])
    return marks


def _bits(values: NDArray[np.float32]) -> NDArray[np.uint64]:
    # Adding 0 turns the negative zero into the other one.
    return (np.ascontiguousarray(values, np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)


def _equal(X: Features, first: Int64s, second: Int64s) -> NDArray[np.bool_]:
    """Whether rows are equal; NaN is equal to NaN."""
    equal = np.ones(first.size, np.bool_)
    step = max(1, _ENTRIES // max(1, X.shape[1]))
    for start in range(0, first.size, step):
        part = slice(start, start + step)
        a, b = _dense(X[first[part]]), _dense(X[second[part]])
        equal[part] = ((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)
    return equal


def _dense(rows: Features) -> NDArray[np.float32]:
    return rows if isinstance(rows, np.ndarray) else rows.toarray()
