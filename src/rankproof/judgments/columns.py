"""From columns with a row per judgment to numbers of queries, items and judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import DataError
from rankproof.judgments.numbered import numbered, numbered_pairs
from rankproof.shown import quoted

__all__ = [
    "MOST_GRADES", "Codes", "Layout", "RepeatedError", "codes_of", "grade_places", "grouped_items",
    "refuse_repeated",
]  # fmt: skip

# More different grades than this are measurements, not grades: a table of items × grades would not hold them.
MOST_GRADES = 1000


class Codes(NamedTuple):
    """Different ids in the order of their first row, and the number of the id of every row."""

    names: NDArray[Any]
    numbers: Int64s


class RepeatedError(DataError):
    """A judge graded an item twice; the rows are those of the two, counted from 0."""

    def __init__(self, message: str, rows: tuple[int, int]) -> None:
        self.rows = rows
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return RepeatedError, (str(self), self.rows)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where queries start, the item of every row, and the number of the document that every item is."""

    offsets: Int64s
    item: Int64s
    doc: Int64s


def codes_of(ids: NDArray[Any]) -> Codes:
    """The ids of a column as numbers."""
    return Codes(*numbered(ids))


def grouped_items(queries: Codes, docs: Codes) -> Layout:
    """Items query by query, in the order of their first row."""
    firsts, which = numbered_pairs(queries.numbers, docs.numbers)
    of = queries.numbers[firsts]
    order = np.argsort(of, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    sizes = np.bincount(of, minlength=queries.names.size)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Layout(offsets, place[which], docs.numbers[firsts[order]])


def refuse_repeated(
    item: Int64s, judges: Codes, judged: NDArray[np.bool_], names: tuple[Codes, Codes]
) -> None:
    """Raise when a judge has two grades for one item."""
    rows = np.flatnonzero(judged)
    firsts, which = numbered_pairs(item[rows], judges.numbers[rows])
    if firsts.size == rows.size:
        return
    second = int(np.argmax(firsts[which] != np.arange(rows.size)))
    first, row = int(rows[firsts[which[second]]]), int(rows[second])
    query, doc = (codes.names[codes.numbers[row]] for codes in names)
    raise RepeatedError(
        f"Judge {quoted(judges.names[judges.numbers[row]])} grades item {quoted(doc)} of query "
        f"{quoted(query)} twice, in rows {first} and {row} (counted from 0). Keep one of them, or give each "
        "its own judge.",
        (first, row),
    )


def grade_places(grade: Float64s) -> tuple[Float64s, Int64s]:
    """The different grades, rising, and the place of every one of them."""
    grades, place = np.unique(grade, return_inverse=True)
    if grades.size > MOST_GRADES:
        raise DataError(
            f"There are {grades.size} different grades, more than {MOST_GRADES}. Round them first: a law of "
            "grades needs grades that come back."
        )
    return grades, place.reshape(-1).astype(np.int64)
