"""Sheets: all grades that one judge gave to the items of one query, with gaps where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, frozen, query_of_item
from rankproof.judgments.numbered import numbered_pairs

__all__ = ["NO_GRADE", "Sheets", "sheets_of"]

NO_GRADE = -1


@dataclass(frozen=True, eq=False)
class Sheets:
    """The sheets of all queries, query by query, and in a query by the number of the judge.

    Attributes
    ----------
    places : array of int16
        Sheet s has the entries ``starts[s]:starts[s + 1]``, one per item of its query in their order: the
        place of the grade in ``grades``, or -1 where the judge gave none.
    starts : array of int64, one more than there are sheets
    of_query : array of int64, one more than there are queries
        Query q has the sheets ``of_query[q]:of_query[q + 1]``.
    judge : array of int64, one per sheet
        The number of the judge.
    query : array of int64, one per sheet
        The number of the query.
    grades : array of float64
        The different grades, rising.
    """

    places: NDArray[np.int16]
    starts: Int64s
    of_query: Int64s
    judge: Int64s
    query: Int64s
    grades: Float64s

    @property
    def size(self) -> int:
        """How many sheets there are."""
        return self.judge.size

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Whether a sheet has a grade for every item of its query."""
        if not self.size:
            return np.zeros(0, np.bool_)
        return frozen(np.minimum.reduceat(self.places, self.starts[:-1]) != NO_GRADE)

    @cached_property
    def labels(self) -> Float64s:
        """The grades in place of their numbers; NaN where the judge gave none."""
        return frozen(np.append(self.grades, np.nan)[self.places])

    def of(self, query: int) -> NDArray[np.int16]:
        """The sheets of a query as a matrix, one row per judge."""
        low, high = int(self.of_query[query]), int(self.of_query[query + 1])
        return self.places[self.starts[low] : self.starts[high]].reshape(high - low, -1)


def sheets_of(offsets: Int64s, item: Int64s, judge: Int64s, place: Int64s, grades: Float64s) -> Sheets:
    """The sheets of judgments in flat form, in any order."""
    query = query_of_item(offsets)[item]
    order = np.lexsort((judge, query))
    firsts, sheet = numbered_pairs(query[order], judge[order])
    of, by = query[order][firsts], judge[order][firsts]
    sizes = np.diff(offsets)[of]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    places = np.full(int(starts[-1]), NO_GRADE, np.int16)
    places[starts[sheet] + item[order] - offsets[of[sheet]]] = place[order]
    of_query = np.searchsorted(of, np.arange(offsets.size)).astype(np.int64)
    return Sheets(frozen(places), frozen(starts), frozen(of_query), frozen(by), frozen(of), frozen(grades))
