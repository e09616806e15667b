"""What the pairwise metrics share: pairs of items with different labels, and who loses them.

A pair is lost when the better item does not stand above the worse one. A ranking with ties loses a tied pair
in half of the orders of its tie group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.metrics.base import Number
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["COLUMNS", "NO_PAIR", "lost_and_all", "pair_counts", "pair_rows", "pair_weights", "ratio"]

Weight = Callable[[Any, Any], Number]

# What `Metric.empty_when` says of pairwise metrics.
NO_PAIR = "its items all have the same label"
# The numbers of each row of `pair_rows`.
COLUMNS = ("label", "above", "tied", "adds", "sum")


def ratio(part: Number, whole: Number) -> Number:
    """The quotient, exact for exact numbers."""
    if isinstance(part, float) or isinstance(whole, float):
        return part / whole
    return Fraction(part) / Fraction(whole)


def lost_and_all(labels: Sequence[Any], weight: Weight) -> tuple[Number, Number]:
    """The definition on one strict ranking: the weight of the pairs lost, and of all pairs.

    >>> lost_and_all([0, 2, 1], lambda better, worse: better - worse)  # (2 - 0) + (1 - 0); and 2 - 1
    (3, 4)
    """
    lost: Number = 0
    total: Number = 0
    for above, below in combinations(labels, 2):
        if above != below:
            mass = weight(max(above, below), min(above, below))
            total += mass
            lost += mass if above < below else 0
    return lost, total


def pair_counts(lists: RankedLists) -> Int64s:
    """Per query: the columns of `rankproof.kernels.metrics.pairs`, which are whole numbers of pairs."""
    from rankproof.kernels.metrics.grades import number_labels
    from rankproof.kernels.metrics.pairs import LOST, count_pairs

    out = np.empty((lists.queries, 4), np.int64)
    numbers = np.empty(0, np.int32)

    def count(low: int, high: int) -> None:
        count_pairs(lists.labels, lists.ends, lists.offsets, lists.depth, numbers, low, high, out)

    lists.each(count)
    if (out[:, LOST] < 0).any():
        numbers = np.empty(lists.labels.size, np.int32)
        lists.each(lambda low, high: number_labels(lists.labels, lists.offsets, low, high, numbers))
        lists.each(count)
    return out


def pair_weights(lists: RankedLists, *, exponential: bool, full: bool) -> tuple[Float64s, Float64s]:
    """Per query: the weight of the pairs lost, and of all pairs, for f(y) = y or 2^y and f(y_i) - f(y_j)."""
    from rankproof.kernels.metrics.grades import number_labels
    from rankproof.kernels.metrics.rank_sums import LOST, TOTAL, weigh_pairs

    out = np.empty((lists.queries, 2))
    numbers = np.empty(0, np.int32)

    def weigh(low: int, high: int) -> None:
        weigh_pairs(
            *(lists.labels, lists.ends, lists.offsets, lists.depth, numbers),
            *(exponential, full, low, high, out),
        )

    lists.each(weigh)
    if (out[:, LOST] < 0).any():
        numbers = np.empty(lists.labels.size, np.int32)
        lists.each(lambda low, high: number_labels(lists.labels, lists.offsets, low, high, numbers))
        lists.each(weigh)
    return out[:, LOST], out[:, TOTAL]


def pair_rows(
    lists: RankedLists, labels: Sequence[float], weight: Weight, tie: float
) -> tuple[list[tuple[float, ...]], float, float]:
    """Per ranked place: its label, the weight of the pairs it loses to items above it, of those it ties, what
    it adds (a tied pair is two items, of which the better one counts it, ``tie`` of its weight), and the sum.
    Then what items that were not retrieved add, and the weight of all pairs.
    """
    depth, items = int(lists.depth[0]), len(labels)
    seen: dict[float, int] = {}
    rows: list[tuple[float, ...]] = []
    total = rest = 0.0
    tail = [(depth, items)] if depth < items else []
    for start, end in [*tie_groups(lists), *tail]:
        inside: dict[float, int] = {}
        for y in labels[start:end]:
            inside[y] = inside.get(y, 0) + 1
        for y in labels[start:end]:
            above = sum(float(weight(y, x)) * count for x, count in seen.items() if x < y)
            tied = sum(float(weight(y, x)) * count for x, count in inside.items() if x < y)
            adds = above + tie * tied
            if start < depth:
                total += adds
                rows.append((y, above, tied, adds, total))
            else:
                rest += adds
        for y, count in inside.items():
            seen[y] = seen.get(y, 0) + count
    grades = sorted(seen)
    every = sum(float(weight(y, x)) * seen[x] * seen[y] for x, y in combinations(grades, 2))
    return rows, rest, every
