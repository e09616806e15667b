"""`RankedLists`: what every metric kernel reads. One sort per query serves all metrics.

Per query: the labels from the highest score down, the end of the tie group each place is in, how many items
were retrieved (the rest of the query's range are judged items the run did not return: they count in totals
such as the number of relevant items, but stand at no rank), and the labels from the best grade down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, frozen, has_nan
from rankproof.threads import chunks_by_items, run

__all__ = ["Order", "RankedLists", "Unjudged", "sort_by_score"]

Unjudged = Literal["zero", "drop", "error", "keep"]


@dataclass(frozen=True, eq=False)
class Order:
    """Items of every query sorted by score, best first.

    ``places[i]`` is the item (counted from its query's start) at sorted place i, ``ends[i]`` the end of the
    group of equal scores it belongs to, ``tied[q]`` whether query q has such a group among its retrieved
    items, ``depth[q]`` the number of these.
    """

    places: NDArray[np.int32]
    ends: NDArray[np.int32]
    tied: NDArray[np.bool_]
    offsets: Int64s
    depth: Int64s

    def each(self, work: Callable[[int, int], None]) -> None:
        """Run ``work(low, high)`` over ranges of queries."""
        run(work, chunks_by_items(self.offsets))

    def broken_by(self, keys: Float64s) -> Order:
        """The same order with ties broken by ``keys``, largest first, then by place in the input."""
        from rankproof.kernels.metrics.order import break_ties

        places, ends, keys = np.empty_like(self.places), np.empty_like(self.ends), frozen(keys)
        self.each(
            lambda a, b: break_ties(
                keys, self.offsets, self.depth, self.places, self.ends, places, ends, a, b
            )
        )
        return Order(places, ends, np.zeros_like(self.tied), self.offsets, self.depth)


def sort_by_score(scores: Float64s, offsets: Int64s, depth: Int64s | None = None) -> Order:
    """Sort every query by score, best first; equal scores form groups.

    >>> order = sort_by_score(np.array([0.1, 0.7, 0.1]), np.array([0, 3]))
    >>> order.places.tolist(), order.ends.tolist()
    ([1, 0, 2], [1, 3, 3])
    """
    from rankproof.kernels.metrics.order import sort_queries

    # Read-only whatever they were, so that kernels compile for one kind of array only.
    scores, offsets = frozen(scores), frozen(offsets)
    depth = frozen(np.diff(offsets) if depth is None else depth)
    # Few large blocks rather than many: glibc gives freed memory back to the system, to be fetched again page
    # by page at the next call, when it is more than twice the largest block that it has seen.
    places, ends = np.empty((2, scores.size), np.int32)
    order = Order(places, ends, np.zeros(offsets.size - 1, np.bool_), offsets, depth)
    order.each(lambda a, b: sort_queries(scores, offsets, depth, places, ends, order.tied, a, b))
    return order


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Labels in ranked order with their tie groups: the one input of all metric kernels."""

    labels: Float64s
    ends: NDArray[np.int32]
    offsets: Int64s
    depth: Int64s
    # Where `ideal` is written, if somebody asks for it.
    room: Float64s | None = None

    @classmethod
    def from_order(cls, order: Order, labels: Float64s) -> RankedLists:
        """Labels (in item order, possibly NaN) put into the order of the scores."""
        from rankproof.kernels.metrics.order import gather

        (ranked, room), labels = np.empty((2, labels.size)), frozen(labels)
        order.each(lambda a, b: gather(labels, order.offsets, order.places, ranked, a, b))
        return cls(ranked, order.ends, order.offsets, order.depth, room)

    @classmethod
    def from_ranked(cls, rows: Float64s) -> RankedLists:
        """One query per row: the labels of a strict ranking from the top down, all retrieved."""
        queries, items = rows.shape
        ends = np.tile(np.arange(1, items + 1, dtype=np.int32), queries)
        offsets = np.arange(queries + 1, dtype=np.int64) * items
        depth = np.full(queries, items, dtype=np.int64)
        return cls(rows.reshape(-1), ends, frozen(offsets), frozen(depth))

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @cached_property
    def longest(self) -> int:
        """Items of the longest query."""
        return int(np.diff(self.offsets).max(initial=0))

    @cached_property
    def ideal(self) -> Float64s:
        """The labels of every query from the best grade down."""
        from rankproof.kernels.metrics.ideal import sort_labels

        out = np.empty(self.labels.size) if self.room is None else self.room
        self.each(lambda a, b: sort_labels(self.labels, self.offsets, out, a, b))
        return out

    @cached_property
    def highest(self) -> float:
        """The highest label of all (NaN left out)."""
        return float(np.nanmax(self.labels, initial=-np.inf))

    def each(self, work: Callable[[int, int], None]) -> None:
        """Run ``work(low, high)`` over ranges of queries."""
        run(work, chunks_by_items(self.offsets))

    def values(self, kernel: Callable[[int, int, Float64s], None]) -> Float64s:
        """One number per query from a kernel ``(low, high, out)``."""
        out = np.empty(self.queries)
        self.each(lambda a, b: kernel(a, b, out))
        return out

    def with_unjudged(self, policy: Unjudged) -> RankedLists:
        """These lists with NaN labels handled: ``zero``, ``drop`` (a condensed list) or ``keep``."""
        if policy == "keep" or not has_nan(self.labels):
            return self
        unjudged = np.isnan(self.labels)
        if policy == "zero":
            labels = np.where(unjudged, 0.0, self.labels)
            return RankedLists(labels, self.ends, self.offsets, self.depth)
        return self._without(unjudged)

    def _without(self, gone: NDArray[np.bool_]) -> RankedLists:
        kept = np.concatenate(([0], np.cumsum(~gone)))
        sizes = np.diff(self.offsets)
        start = np.repeat(self.offsets[:-1], sizes)
        # The end of a group, counted in kept items from the query's start.
        ends = (kept[start + self.ends] - kept[start])[~gone].astype(np.int32)
        depth = kept[self.offsets[:-1] + self.depth] - kept[self.offsets[:-1]]
        return RankedLists(self.labels[~gone], ends, frozen(kept[self.offsets]), frozen(depth))
