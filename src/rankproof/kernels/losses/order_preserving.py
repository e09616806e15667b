"""The order-preserving pairwise loss: sum_i a_i sum_{j != i} phi(s_i - s_j), query by query.

Every query is one pair of equal lists. In the sweep an item also meets itself; what it adds there is taken
out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.pairwise_logistic import logistic_sums
from rankproof.kernels.losses.pairwise_sweep import (
    LARGEST,
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
from rankproof.kernels.metrics.grades import longest_query

__all__ = ["HUGE", "bounded", "order_preserving", "order_preserving_logistic"]

# Scores beyond this count as this: their differences are finite.
HUGE = 1e300
_SAME = True


@kernel
def bounded(value: float) -> float:
    """The value, held at +-1e304 where it would overflow; two overflows that meet cancel."""
    return 0.0 if value != value else min(max(value, -LARGEST), LARGEST)


@kernel
def _hand_over(
    start: int,
    order: NDArray[np.int32],
    n: int,
    scale: float,
    own: float,
    a: NDArray[np.float64],
    upper_slopes: NDArray[np.float64],
    upper_bends: NDArray[np.float64],
    lower_slopes: NDArray[np.float64],
    lower_bends: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Add an item's two parts and put them where it stands; ``own`` is phi''(0), met twice by each item."""
    second = hessian.size > 0
    for i in range(n):
        item = start + order[start + i]
        gradient[item] = bounded(scale * (upper_slopes[i] + lower_slopes[i]))
        if second:
            bend = upper_bends[i] + lower_bends[i] - 2.0 * a[i] * own
            hessian[item] = bounded(scale * max(bend, 0.0))


@kernel
def order_preserving(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    order: NDArray[np.int32],
    margin: NDArray[np.float64],
    normalize: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """With a margin of line, parabola and zero; ``order`` sorts every query, best first."""
    size = longest_query(offsets, low, high) + 2
    x, a, ones = np.empty(size), np.empty(size), np.ones(size)
    places, rows = np.empty((4, size), np.uint32), np.empty((7, size))
    p0, p1, p2, p3 = places[0], places[1], places[2], places[3]
    r0, r1, r2, o0, o1, o2, o3 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6]
    line, flat, bend, slope, level = margin[0], margin[1], margin[2], margin[3], margin[4]
    # phi(0) and phi''(0).
    here, own = 0.0, 0.0
    if line > 0.0:
        here = level + slope * line
    elif flat > 0.0:
        here, own = bend * flat * flat, 2.0 * bend
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        if n < 2:
            continue
        mass = 0.0
        for i in range(n):
            item = start + order[start + i]
            x[i + 1] = min(max(scores[item], -HUGE), HUGE)
            a[i] = targets[item]
            if item_weights.size > 0:
                a[i] *= item_weights[item]
            mass += a[i]
        x[0], x[n + 1] = np.inf, -np.inf
        if is_narrow(x, n, x, n):
            if slope > 0.0:
                merge_two(x, n, x, n, line, flat, p0, p1, p2, p3)
            else:
                no_line(n, n, p0, p2)
                merge(x, n, x, n, flat, p1, p3)
            centre = middle_of(x, n, x, n)
            run_down(x, ones, n, centre, r0, r1, r2)
            total = upper_sums(
                *(x, a, n, centre, flat, bend, slope, level + slope * max(line, -1e300)),
                *(p0, p1, r0, r1, r2, o0, o1),
            )
            run_up(x, a, n, centre, r0, r1)
            lower_sums(x, ones, n, centre, flat, bend, slope, p2, p3, r0, r1, o2, o3)
        else:
            total = wide_sums(x, a, n, x, ones, n, margin, o0, o1, o2, o3)
        scale = 1.0 / n / (n - 1.0) if normalize else 1.0
        values[q] = bounded(scale * max(total - mass * here, 0.0))
        _hand_over(start, order, n, scale, own, a, o0, o1, o2, o3, gradient, hessian)


@kernel
def order_preserving_logistic(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    order: NDArray[np.int32],
    normalize: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """With the logistic margin, in O(n^2); ``order`` may be any order of the items of a query."""
    size = longest_query(offsets, low, high) + 1
    x, a = np.empty(size), np.empty(size)
    rows = np.empty((7, size))
    r0, r1, r2, o0, o1, o2, o3 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6]
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        if n < 2:
            continue
        for i in range(n):
            item = start + order[start + i]
            x[i] = min(max(scores[item], -HUGE), HUGE)
            a[i] = targets[item]
            if item_weights.size > 0:
                a[i] *= item_weights[item]
        total = logistic_sums(x, a, n, x, n, _SAME, r0, r1, r2, o0, o1, o2, o3)
        scale = 1.0 / n / (n - 1.0) if normalize else 1.0
        values[q] = bounded(scale * total)
        _hand_over(start, order, n, scale, 0.0, a, o0, o1, o2, o3, gradient, hessian)
