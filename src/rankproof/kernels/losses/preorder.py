"""The preorder loss: sum over pairs with y_i > y_j of w_ij phi(s_i - s_j), query by query, for any labels.

The grades of a query are cut in two near the middle of its items; pairs across the cut are all pairs of two
lists, and each part is cut again. An item takes part in about log2 of the number of grades such lists
(fewer when one grade has most items), so many grades cost little more than few. Across a cut at the worth
c, the weight f(y_i) - f(y_j) is (f(y_i) - c) + (c - f(y_j)), two products of one-sided weights, both at
least 0.

The logistic margin has no pieces to sweep: `rankproof.kernels.losses.preorder_logistic`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.order_preserving import HUGE, bounded
from rankproof.kernels.losses.pairwise_sweep import (
    is_narrow,
    lower_sums,
    merge,
    merge_two,
    middle_of,
    no_line,
    run_down,
    run_up,
    upper_sums,
    wide_sums,
)
from rankproof.kernels.metrics.grades import Grades, longest_query

__all__ = [
    "DIFFERENCE",
    "GAIN",
    "ONE",
    "add_to_items",
    "close_up",
    "grade_worths",
    "pair_count",
    "partition",
    "preorder",
    "weigh",
]

# What a pair weighs: 1, y_i - y_j, 2^y_i - 2^y_j.
ONE, DIFFERENCE, GAIN = 0, 1, 2


@kernel
def close_up(grades: Grades, n: int, counts: NDArray[np.int64]) -> int:
    """Renumber the grades without gaps; their number. Fills ``counts[g]`` with the items below grade g."""
    top = np.int32(-1)
    for i in range(n):
        top = max(top, grades[i])
    for g in range(top + 2):
        counts[g] = 0
    for i in range(n):
        counts[grades[i] + 1] += 1
    number = 0
    for g in range(top + 1):
        number += counts[g + 1] > 0
    if number <= top:
        _renumber(grades, n, counts, top)
    for g in range(number):
        counts[g + 1] += counts[g]
    return number


@kernel
def _renumber(grades: Grades, n: int, counts: NDArray[np.int64], top: int) -> None:
    """Close the gaps: ``counts[g + 1]`` are the items of grade g, before and after."""
    fresh = np.empty(top + 1, np.int32)
    number = 0
    for g in range(top + 1):
        fresh[g] = number
        if counts[g + 1] > 0:
            counts[number + 1] = counts[g + 1]
            number += 1
    for i in range(n):
        grades[i] = fresh[grades[i]]


@kernel
def grade_worths(
    labels: NDArray[np.float64],
    grades: Grades,
    n: int,
    number: int,
    weight: int,
    worths: NDArray[np.float64],
) -> None:
    """f of every grade, so that a pair weighs f(y_i) - f(y_j); not needed when all pairs weigh the same."""
    if weight == ONE:
        return
    for i in range(n):
        worths[grades[i]] = labels[i]
    if weight == GAIN:
        for g in range(number):
            worths[g] = np.exp2(worths[g])


@kernel
def _cut(counts: NDArray[np.int64], first: int, last: int) -> int:
    """The grade of first+1..last-1 with nearest to half of the items of first..last-1 below it."""
    both = counts[first] + counts[last]
    low, high = first + 1, last - 1
    while low < high:
        middle = (low + high) // 2
        if 2 * counts[middle] < both:
            low = middle + 1
        else:
            high = middle
    if (low > first + 1) and (both - 2 * counts[low - 1] < 2 * counts[low] - both):
        low -= 1
    return low


@kernel
def partition(
    items: NDArray[np.int32],
    first: int,
    last: int,
    spare: NDArray[np.int32],
    grades: Grades,
    scores: NDArray[np.float64],
    cut: int,
    upper: NDArray[np.float64],
    lower: NDArray[np.float64],
) -> None:
    """Bring those of the items first..last-1 below the cut to the front, in order; lay out both lists.

    A list stands between two sentinels, of which the first is there already.
    """
    n, m, one = np.uint64(0), np.uint64(0), np.uint64(1)
    for k in range(np.uint64(first), np.uint64(last)):
        item = np.uint64(items[k])
        score = scores[item]
        # Written to both, advanced in one: which of them is a coin flip, and a branch would be guessed wrong.
        spare[n], items[np.uint64(first) + m] = item, item
        upper[n + one], lower[m + one] = score, score
        below = np.uint64(grades[item] < cut)
        m += below
        n += one - below
    for k in range(n):
        items[np.uint64(first) + m + k] = spare[k]
    upper[n + one], lower[m + one] = -np.inf, -np.inf


@kernel
def add_to_items(
    items: NDArray[np.int32],
    first: int,
    count: int,
    from_slopes: NDArray[np.float64],
    from_bends: NDArray[np.float64],
    slopes: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> None:
    """Add what a list of items gathered to the items' sums."""
    for k in range(count):
        item = np.uint64(items[np.uint64(first + k)])
        slopes[item] += from_slopes[k]
        bends[item] += from_bends[k]


@kernel
def pair_count(counts: NDArray[np.int64], number: int) -> float:
    """The number of pairs with different grades."""
    pairs = 0.0
    for g in range(1, number):
        pairs += float(counts[g]) * (counts[g + 1] - counts[g])
    return pairs


@kernel
def weigh(
    worths: NDArray[np.float64],
    grades: Grades,
    items: NDArray[np.int32],
    first: int,
    n: int,
    best: int,
    apart: bool,
    out: NDArray[np.float64],
) -> None:
    """How far the items first..first+n-1 are in worth from a grade, or 1 for all of them."""
    for k in range(n):
        out[k] = abs(worths[grades[items[first + k]]] - worths[best]) if apart else 1.0


@kernel
def preorder(
    scores: NDArray[np.float64],
    labels: NDArray[np.float64],
    numbers: Grades,
    offsets: NDArray[np.int64],
    order: NDArray[np.int32],
    margin: NDArray[np.float64],
    weight: int,
    per_pair: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Queries low..high; ``numbers`` are the grades by item, ``order`` sorts every query, best first."""
    line, flat, bend, slope, level = margin[0], margin[1], margin[2], margin[3], margin[4]
    size = longest_query(offsets, low, high) + 2
    grades, items, spare = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    counts, stack = np.empty(max(size, 66), np.int64), np.empty((size, 2), np.int32)
    y, x, worths, slopes, bends = (
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
    )
    upper, lower, a, b = np.empty(size), np.empty(size), np.ones(size), np.ones(size)
    places, rows = np.empty((4, size), np.uint32), np.empty((7, size))
    upper[0], lower[0] = np.inf, np.inf
    p0, p1, p2, p3 = places[0], places[1], places[2], places[3]
    r0, r1, r2, o0, o1, o2, o3 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6]
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        for i in range(n):
            item = start + order[start + i]
            x[i] = min(max(scores[item], -HUGE), HUGE)
            grades[i] = numbers[item]
            items[i] = i
            slopes[i], bends[i] = 0.0, 0.0
        if weight != ONE:
            for i in range(n):
                y[i] = labels[start + order[start + i]]
        number = close_up(grades, n, counts)
        if number < 2:
            continue
        grade_worths(y, grades, n, number, weight, worths)
        total = 0.0
        stack[0, 0], stack[0, 1] = 0, number
        depth = 1
        while depth > 0:
            depth -= 1
            bottom, top = stack[depth, 0], stack[depth, 1]
            cut = _cut(counts, bottom, top)
            first, middle, last = counts[bottom], counts[cut], counts[top]
            below, above = middle - first, last - middle
            partition(items, first, last, spare, grades, x, cut, upper, lower)
            # Twice when lower items differ in worth: the upper item's part of the weights, then the lower's.
            for turn in range(1 if (weight == ONE) | (cut - bottom == 1) else 2):
                if weight != ONE:
                    weigh(worths, grades, items, middle, above, cut - 1, turn == 0, a)
                    weigh(worths, grades, items, first, below, cut - 1, turn == 1, b)
                if is_narrow(upper, above, lower, below):
                    if slope > 0.0:
                        merge_two(upper, above, lower, below, line, flat, p0, p1, p2, p3)
                    else:
                        no_line(above, below, p0, p2)
                        merge(upper, above, lower, below, flat, p1, p3)
                    centre = middle_of(upper, above, lower, below)
                    run_down(lower, b, below, centre, r0, r1, r2)
                    total += upper_sums(
                        *(upper, a, above, centre, flat, bend, slope, level + slope * max(line, -1e300)),
                        *(p0, p1, r0, r1, r2, o0, o1),
                    )
                    run_up(upper, a, above, centre, r0, r1)
                    lower_sums(lower, b, below, centre, flat, bend, slope, p2, p3, r0, r1, o2, o3)
                else:
                    total += wide_sums(upper, a, above, lower, b, below, margin, o0, o1, o2, o3)
                add_to_items(items, middle, above, o0, o1, slopes, bends)
                add_to_items(items, first, below, o2, o3, slopes, bends)
            if cut - bottom > 1:
                stack[depth, 0], stack[depth, 1] = bottom, cut
                depth += 1
            if top - cut > 1:
                stack[depth, 0], stack[depth, 1] = cut, top
                depth += 1
        scale = 1.0 / pair_count(counts, number) if per_pair else 1.0
        values[q] = bounded(scale * total)
        for i in range(n):
            item = start + order[start + i]
            gradient[item] = bounded(scale * slopes[i])
            if hessian.size > 0:
                hessian[item] = bounded(scale * max(bends[i], 0.0))
