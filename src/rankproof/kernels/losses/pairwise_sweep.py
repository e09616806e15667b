"""Sums over all pairs of two sorted lists of a margin made of a line, a parabola and zero.

The margin is ``level + slope (line - t)`` for t < line, ``bend (flat - t)^2`` from ``line`` to ``flat``, and
0 above: hinge, squared hinge and Huber hinge. The lists descend, so the items that an item meets on a piece
of the margin are consecutive, and the places where the pieces change move one way only. One merge finds them
for both lists at once; it has no branch that a processor could guess wrong. Sums over consecutive items are
differences of running sums. All costs are linear in the number of items.

The steps, when `is_narrow`: `merge_two` (or `merge` and `no_line` for a margin without a line), `run_down`
over the lower list, `upper_sums`, `run_up` over the upper list, `lower_sums`. They stand alone, with arrays
one by one: a function round them would count references to every array, which for short lists costs more
than the sums. Lists of scores stand between two sentinels, infinity before and minus infinity after them; so
do the places that belong to them. Weights, running sums and derivatives start at 0.

Running sums of squares lose digits when the scores spread widely: then `wide_sums` moves the sums along
instead, adding and never cancelling, which is slower and exact for any spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = [
    "LARGEST",
    "is_narrow",
    "lower_sums",
    "merge",
    "merge_two",
    "middle_of",
    "no_line",
    "run_down",
    "run_up",
    "upper_sums",
    "wide_sums",
]

# Sums that would overflow are held here, far enough from infinity to be added up.
LARGEST = 1e304
# Up to this spread of the scores, squares cost at most 4 of 16 digits.
_NARROW = 64.0
_ONE = np.uint64(1)


@kernel
def is_narrow(upper: NDArray[np.float64], n: int, lower: NDArray[np.float64], m: int) -> bool:
    """Whether the scores of two descending lists lie close enough together for running sums."""
    return bool(max(upper[1], lower[1]) - min(upper[n], lower[m]) <= _NARROW)


@kernel
def middle_of(upper: NDArray[np.float64], n: int, lower: NDArray[np.float64], m: int) -> float:
    """The middle of the scores of two descending lists: running sums of squares are smallest around it."""
    return float(0.5 * max(upper[1], lower[1]) + 0.5 * min(upper[n], lower[m]))


@kernel
def merge(
    upper: NDArray[np.float64],
    n: int,
    lower: NDArray[np.float64],
    m: int,
    edge: float,
    below: NDArray[np.uint32],
    above: NDArray[np.uint32],
) -> None:
    """``below[i]``: lower items j with upper[i] - lower[j] < edge; ``above[j]``: upper items without that.

    Each step waits for the one before, so two walks go side by side, from both ends to the middle of the way.
    There each has begun entries that the other has finished: those are written again.
    """
    i, j, k, o = _ONE, _ONE, np.uint64(n), np.uint64(m)
    last_i, last_j, last_k, last_o = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    # An odd step goes first, and nowhere when their number is even.
    below[_ONE], above[_ONE] = 0, 0
    odd = np.uint64((n + m) & 1)
    step = np.uint64(upper[i] - lower[j] < edge)
    j += step * odd
    i += (_ONE - step) * odd
    for _ in range((n + m) >> 1):
        below[i], above[j] = j - _ONE, i - _ONE
        near = upper[i] - lower[j] < edge
        last_i = last_i if near else j - _ONE
        last_j = i - _ONE if near else last_j
        step = np.uint64(near)
        j += step
        i += _ONE - step
        below[k], above[o] = o, k
        near = upper[k] - lower[o] < edge
        last_k = o if near else last_k
        last_o = last_o if near else k
        step = np.uint64(near)
        k -= step
        o -= _ONE - step
    below[i - _ONE], above[j - _ONE] = last_i, last_j
    below[k + _ONE], above[o + _ONE] = last_k, last_o


@kernel
def merge_two(
    upper: NDArray[np.float64],
    n: int,
    lower: NDArray[np.float64],
    m: int,
    line: float,
    flat: float,
    below_line: NDArray[np.uint32],
    below_flat: NDArray[np.uint32],
    above_line: NDArray[np.uint32],
    above_flat: NDArray[np.uint32],
) -> None:
    """`merge` at two edges: here the two walks are those of the edges."""
    i, j, k, o = _ONE, _ONE, _ONE, _ONE
    for _ in range(n + m):
        below_line[i], above_line[j] = j - _ONE, i - _ONE
        near = np.uint64(upper[i] - lower[j] < line)
        j += near
        i += _ONE - near
        below_flat[k], above_flat[o] = o - _ONE, k - _ONE
        near = np.uint64(upper[k] - lower[o] < flat)
        o += near
        k += _ONE - near


@kernel
def no_line(n: int, m: int, below: NDArray[np.uint32], above: NDArray[np.uint32]) -> None:
    """The places of a line that no item reaches."""
    for i in range(n):
        below[np.uint64(i) + _ONE] = 0
    for j in range(m):
        above[np.uint64(j) + _ONE] = n


@kernel
def upper_sums(
    upper: NDArray[np.float64],
    a: NDArray[np.float64],
    n: int,
    middle: float,
    flat: float,
    bend: float,
    slope: float,
    start: float,
    line_places: NDArray[np.uint32],
    flat_places: NDArray[np.uint32],
    r0: NDArray[np.float64],
    r1: NDArray[np.float64],
    r2: NDArray[np.float64],
    slopes: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> float:
    """Value and derivatives by the upper scores, from the running sums of the lower ones."""
    total, twice = 0.0, 2.0 * bend
    for i in range(n):
        k = np.uint64(i) + _ONE
        p, q = line_places[k], flat_places[k]
        x = upper[k] - middle
        c = flat - x
        near, moment = r0[p], r1[p]
        m0, m1, m2 = r0[q] - near, r1[q] - moment, r2[q] - r2[p]
        arm = m0 * c + m1
        total += a[i] * (start * near - slope * (near * x - moment) + bend * (m2 + c * (m1 + arm)))
        slopes[i] = -a[i] * (slope * near + twice * arm)
        bends[i] = a[i] * twice * m0
    return total


@kernel
def lower_sums(
    lower: NDArray[np.float64],
    b: NDArray[np.float64],
    m: int,
    middle: float,
    flat: float,
    bend: float,
    slope: float,
    line_places: NDArray[np.uint32],
    flat_places: NDArray[np.uint32],
    r0: NDArray[np.float64],
    r1: NDArray[np.float64],
    slopes: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> None:
    """Derivatives by the lower scores, from the running sums of the upper ones."""
    twice = 2.0 * bend
    for j in range(m):
        k = np.uint64(j) + _ONE
        p, q = line_places[k], flat_places[k]
        near = r0[p]
        m0 = r0[q] - near
        arm = m0 * (flat + (lower[k] - middle)) - (r1[q] - r1[p])
        slopes[j] = b[j] * (slope * near + twice * arm)
        bends[j] = b[j] * twice * m0


@kernel
def run_down(
    x: NDArray[np.float64],
    weights: NDArray[np.float64],
    n: int,
    middle: float,
    r0: NDArray[np.float64],
    r1: NDArray[np.float64],
    r2: NDArray[np.float64],
) -> None:
    """Sums of w, w x and w x^2 over the items before each place, from the top: top items keep all digits."""
    s0, s1, s2 = 0.0, 0.0, 0.0
    for j in range(n):
        r0[j], r1[j], r2[j] = s0, s1, s2
        w = weights[j]
        y = x[np.uint64(j) + _ONE] - middle
        s0 += w
        s1 += w * y
        s2 += w * y * y
    r0[n], r1[n], r2[n] = s0, s1, s2


@kernel
def run_up(
    x: NDArray[np.float64],
    weights: NDArray[np.float64],
    n: int,
    middle: float,
    r0: NDArray[np.float64],
    r1: NDArray[np.float64],
) -> None:
    """Sums of w and w x over the items from each place on, from the bottom."""
    s0, s1 = 0.0, 0.0
    r0[n], r1[n] = 0.0, 0.0
    for back in range(n):
        i = np.uint64(n - 1 - back)
        s0 += weights[i]
        s1 += weights[i] * (x[i + _ONE] - middle)
        r0[i], r1[i] = s0, s1


@kernel
def _turned(values: NDArray[np.float64], count: int, sign: float) -> NDArray[np.float64]:
    """The first ``count`` values times ``sign``, last first."""
    turned = np.empty(count)
    for i in range(count):
        turned[i] = sign * values[count - 1 - i]
    return turned


@kernel
def _one_side(
    points: NDArray[np.float64],
    others: NDArray[np.float64],
    weights: NDArray[np.float64],
    margin: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """For every point the sums of w phi, w phi' and w phi'' over the others; both lists descend.

    Sums are of distances to the edge, which only grow as the point moves down: every step adds. Items leave
    the parabola for the line at a bounded distance, before the move; an empty parabola starts again from
    exact 0.
    """
    line, flat, bend, slope, level = margin[0], margin[1], margin[2], margin[3], margin[4]
    n = others.size
    near, reach = 0.0, 0.0
    m0, m1, m2 = 0.0, 0.0, 0.0
    p, q = 0, 0
    last = points[0]
    for i in range(points.size):
        x = points[i]
        step = last - x
        reach += step * near
        while p < n and x - others[p] < line:
            w = weights[p]
            if p < q:
                d = flat - (last - others[p])
                m0 -= w
                m1 -= w * d
                m2 -= w * d * d
            near += w
            reach += w * (line - (x - others[p]))
            p += 1
        if q > p:
            m2 += step * (2.0 * m1 + step * m0)
            m1 += step * m0
        else:
            q, m0, m1, m2 = p, 0.0, 0.0, 0.0
        while q < n and x - others[q] < flat:
            w, d = weights[q], flat - (x - others[q])
            m0 += w
            m1 += w * d
            m2 += w * d * d
            q += 1
        last = x
        sums[0, i] = min(level * near + slope * reach + bend * m2, LARGEST)
        sums[1, i] = -min(slope * near + 2.0 * bend * m1, LARGEST)
        sums[2, i] = 2.0 * bend * m0


@kernel
def wide_sums(
    upper: NDArray[np.float64],
    a: NDArray[np.float64],
    n: int,
    lower: NDArray[np.float64],
    b: NDArray[np.float64],
    m: int,
    margin: NDArray[np.float64],
    upper_slopes: NDArray[np.float64],
    upper_bends: NDArray[np.float64],
    lower_slopes: NDArray[np.float64],
    lower_bends: NDArray[np.float64],
) -> float:
    """The sum of a_i b_j phi(upper_i - lower_j) and its derivatives, for any spread of the scores."""
    sums = np.empty((3, max(n, m)))
    _one_side(upper[1 : n + 1], lower[1 : m + 1], b, margin, sums)
    total = 0.0
    for i in range(n):
        total += a[i] * sums[0, i]
        upper_slopes[i] = a[i] * sums[1, i]
        upper_bends[i] = a[i] * sums[2, i]
    # s_i - s_j = (-s_j) - (-s_i): with the signs turned, the lower items are the points.
    _one_side(_turned(lower[1:], m, -1.0), _turned(upper[1:], n, -1.0), _turned(a, n, 1.0), margin, sums)
    for j in range(m):
        lower_slopes[j] = -b[j] * sums[1, m - 1 - j]
        lower_bends[j] = b[j] * sums[2, m - 1 - j]
    return min(total, LARGEST)
