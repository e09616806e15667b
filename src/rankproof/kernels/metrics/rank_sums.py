"""Pairwise values that need only sums of ranks: AUC, and disagreement with additive weights.

The relevant items of a list lose to ``sum of their ranks - R(R + 1)/2`` others; a tied item has the mean rank
of its group. When the weight of a pair is ``f(y_i) - f(y_j)`` it is the sum of the steps of f between the two
labels, so the weight lost is one such count per step: whole numbers times steps, all of one sign, and no
difference of large sums. Ranks are doubled, so that mean ranks stay whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.grades import Grades, longest_query, whole_grades
from rankproof.kernels.metrics.pairs import all_apart

__all__ = ["LOST", "TOTAL", "area_under_curve", "weigh_pairs"]

# Columns of `weigh_pairs`: the weight of the pairs lost, and of all pairs.
LOST, TOTAL = 0, 1


@kernel
def area_under_curve(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    rel: float,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """AUC of queries low..high; NaN where all or none of the items are relevant."""
    for q in range(low, high):
        start, items, retrieved = offsets[q], offsets[q + 1] - offsets[q], depth[q]
        relevant, ranks = 0, 0
        i = 0
        if all_apart(ends[start : start + items], retrieved, items):
            for j in range(items):
                hit = int(labels[start + j] >= rel)
                relevant += hit
                ranks += hit * (2 * j + 2)
            i = items
        while i < items:
            end = int(ends[start + i]) if i < retrieved else items
            inside = 0
            for j in range(i, end):
                inside += int(labels[start + j] >= rel)
            relevant += inside
            ranks += inside * (i + 1 + end)
            i = end
        pairs = 2 * relevant * (items - relevant)
        out[q] = (pairs - (ranks - relevant * (relevant + 1))) / pairs if pairs > 0 else np.nan


@kernel
def _sum_ranks(
    grades: Grades,
    ends: NDArray[np.int32],
    depth: int,
    counts: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> None:
    """Per grade: the number of items and twice the sum of their mean ranks."""
    items = grades.size
    i = 0
    if all_apart(ends, depth, items):
        for j in range(items):
            counts[grades[j]] += 1
            ranks[grades[j]] += 2 * j + 2
        i = items
    while i < items:
        end = int(ends[i]) if i < depth else items
        for j in range(i, end):
            counts[grades[j]] += 1
            ranks[grades[j]] += i + 1 + end
        i = end


@kernel
def _sum_worst_ranks(
    grades: Grades,
    ends: NDArray[np.int32],
    depth: int,
    counts: NDArray[np.int64],
    ranks: NDArray[np.int64],
    scratch: NDArray[np.int64],
) -> None:
    """As `_sum_ranks`, but with the items of a tie group from the worst to the best."""
    items = grades.size
    for i in range(items):
        counts[grades[i]] += 1
    order, taken, first = scratch[:items], scratch[items : 2 * items], scratch[2 * items :]
    # Items from the best down, by counting: ``first[g]`` moves through the places of grade g.
    at = 0
    for g in range(counts.size - 1, -1, -1):
        first[g] = at
        at += counts[g]
    for i in range(items):
        order[first[grades[i]]] = i
        first[grades[i]] += 1
        taken[i] = 0
    # The best item of a group takes its last rank, the next the one before; the last place names the group.
    for k in range(items):
        i = order[k]
        end = int(ends[i]) if i < depth else items
        ranks[grades[i]] += 2 * (end - taken[end - 1])
        taken[end - 1] += 1


@kernel
def _weigh(
    values: NDArray[np.float64],
    items: int,
    counts: NDArray[np.int64],
    ranks: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Sum up the steps between neighbouring labels that occur, from the top down."""
    lost, total = 0.0, 0.0
    better, sums, upper = 0, 0, -1
    for g in range(counts.size - 1, -1, -1):
        if counts[g] == 0:
            continue
        if upper >= 0:
            step = values[upper] - values[g]
            lost += step * (0.5 * (sums - better * (better + 1)))
            total += step * (better * (items - better))
        better += counts[g]
        sums += ranks[g]
        upper = g
    out[LOST], out[TOTAL] = lost, total


@kernel
def weigh_pairs(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    numbers: Grades,
    exponential: bool,
    full: bool,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """Fill the two columns of ``out`` for queries low..high, with f(y) = y, or 2^y when ``exponential``.

    A tied pair is lost by half, or wholly when ``full``. With empty ``numbers``, queries with labels other
    than 0..63 are only marked, by -1 in column `LOST`; with numbered labels, the marked ones are weighed.
    """
    longest = max(longest_query(offsets, low, high), 64)
    own = np.empty(longest, np.int32)
    values = np.empty(longest, np.float64)
    counts, ranks = np.empty(longest, np.int64), np.empty(longest, np.int64)
    scratch = np.empty(3 * longest if full else 0, np.int64)
    for q in range(low, high):
        a, b = offsets[q], offsets[q + 1]
        if numbers.size == 0:
            grades = own[: b - a]
            top = whole_grades(labels[a:b], grades)
            if top < 0 and b > a:
                out[q, LOST] = -1.0
                continue
            for g in range(top + 1):
                values[g] = g
        else:
            if out[q, LOST] >= 0.0:
                continue
            grades = numbers[a:b]
            top = -1
            for i in range(b - a):
                values[grades[i]] = labels[a + i]
                top = max(top, int(grades[i]))
        if exponential:
            for g in range(top + 1):
                values[g] = np.exp2(values[g])
        for g in range(top + 1):
            counts[g] = 0
            ranks[g] = 0
        if full and not all_apart(ends[a:b], depth[q], b - a):
            _sum_worst_ranks(grades, ends[a:b], depth[q], counts[: top + 1], ranks[: top + 1], scratch)
        else:
            _sum_ranks(grades, ends[a:b], depth[q], counts[: top + 1], ranks[: top + 1])
        _weigh(values, b - a, counts[: top + 1], ranks[: top + 1], out[q])
