"""`CountForm`: what makes the mean of a target over independent grades cheap to compute exactly.

Most targets are the worth of an item's own grade times a factor that depends on *how many* items of the query
have which grade, and often on the best few of them only (the best DCG at cutoff K, the number of relevant
items). Under independent grades the law of these counts is found by adding the items one by one, over a
number of states that does not grow with 2^n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s

__all__ = ["CountForm", "own_worths", "relevant_counts"]


@dataclass(frozen=True, eq=False)
class CountForm:
    """``u_i = worth(y_i) · factor(counts)``, for grades out of a list.

    Attributes
    ----------
    worths : array of float64, one per class
        What an item of the class is worth; class 0 is worth 0 unless there is no factor.
    classes : array of int64, one per grade
        The class of every grade of the list: 0 for grades that are not counted, and 1, 2, ... rising with the
        grade.
    depth : int or None
        How many items count, those of the highest classes first; None for all.
    factor : function (counts, items) -> array, or None
        From counts of the classes 1, 2, ... (one row per case) of a query with so many items. None: always 1,
        so that u depends on the item's own grade alone.
    by_items : bool
        Whether the factor depends on the number of items of the query, given the counts.
    """

    worths: Float64s
    classes: Int64s
    depth: int | None = None
    factor: Callable[[NDArray[np.int64], int], Float64s] | None = None
    by_items: bool = False


def own_worths(worths: Float64s) -> CountForm:
    """The form of a target that depends on an item's own grade alone: a class for every grade."""
    return CountForm(np.asarray(worths, dtype=np.float64), np.arange(len(worths)))


def relevant_counts(
    grades: Float64s, rel: float, divisor: Callable[[Float64s, int], Float64s], *, by_items: bool
) -> CountForm:
    """The form of 1[y >= rel] / divisor(relevant items, items); 0 where the divisor is 0."""

    def factor(counts: NDArray[np.int64], items: int) -> Float64s:
        below = divisor(counts[:, 0].astype(np.float64), items)
        return np.divide(1.0, below, out=np.zeros(below.size), where=below > 0)

    return CountForm(np.array([0.0, 1.0]), (grades >= rel).astype(np.int64), None, factor, by_items)
