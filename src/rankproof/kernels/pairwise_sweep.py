"""Sums over all pairs of two sorted lists of a margin made of a line, a parabola and zero.

The margin is ``level + slope (line - t)`` for t < line, ``bend (flat - t)^2`` from ``line`` to ``flat``,
and 0 above: hinge, squared hinge and Huber hinge. The lists descend, so the items that an item meets on a
piece of the margin are consecutive, and the places where the pieces change move one way only. One merge
finds them for both lists at once; it has no branch that a processor could guess wrong. Sums over
consecutive items are differences of running sums. All costs are linear in the number of items.

Running sums of squares lose digits when the scores spread widely: then `_one_side` moves the sums along
instead, adding and never cancelling, which is slower and exact for any spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["LARGEST", "is_narrow", "narrow_sums", "wide_sums"]

# Sums that would overflow are held here, far enough from infinity to be added up.
LARGEST = 1e304
# Up to this spread of the scores, squares cost at most 4 of 16 digits.
_NARROW = 64.0
_ONE = np.uint64(1)


@kernel
def _merge(
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
    for _ in range((n + m) // 2):
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
    if (n + m) & 1 == 1:
        if upper[i] - lower[j] < edge:
            above[j] = i - _ONE
        else:
            below[i] = j - _ONE


@kernel
def _merge_two(
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
    """`_merge` at two edges: here the two walks are those of the edges."""
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
def _turned(values: NDArray[np.float64], count: int, sign: float) -> NDArray[np.float64]:
    """The first ``count`` values times ``sign``, last first."""
    turned = np.empty(count)
    for i in range(count):
        turned[i] = sign * values[count - 1 - i]
    return turned


@kernel
def narrow_sums(
    upper: NDArray[np.float64],
    a: NDArray[np.float64],
    n: int,
    lower: NDArray[np.float64],
    b: NDArray[np.float64],
    m: int,
    margin: NDArray[np.float64],
    below_line: NDArray[np.uint32],
    below_flat: NDArray[np.uint32],
    above_line: NDArray[np.uint32],
    above_flat: NDArray[np.uint32],
    r0: NDArray[np.float64],
    r1: NDArray[np.float64],
    r2: NDArray[np.float64],
    upper_slopes: NDArray[np.float64],
    upper_bends: NDArray[np.float64],
    lower_slopes: NDArray[np.float64],
    lower_bends: NDArray[np.float64],
) -> float:
    """The sum of a_i b_j phi(upper_i - lower_j), and its first and second derivatives by every score.

    The lists of ``n`` and ``m`` scores, at least one each, descend between two sentinels, infinity before and
    minus infinity after them; weights and derivatives have none. The arrays of places and ``r0`` to ``r2`` are
    scratch, two longer than the lists. They come one by one and not as rows of one array, because taking a row
    counts references, which for short lists costs more than the sums. For the same reason the caller asks
    `is_narrow` and calls this or `wide_sums`.
    """
    line, flat, bend, slope, level = margin[0], margin[1], margin[2], margin[3], margin[4]
    if slope > 0.0:
        _merge_two(upper, n, lower, m, line, flat, below_line, below_flat, above_line, above_flat)
    else:
        for i in range(1, n + 1):
            below_line[i] = 0
        for j in range(1, m + 1):
            above_line[j] = n
        _merge(upper, n, lower, m, flat, below_flat, above_flat)
    start = level + slope * line if slope > 0.0 else 0.0
    middle = 0.5 * max(upper[1], lower[1]) + 0.5 * min(upper[n], lower[m])
    twice = 2.0 * bend
    _run_down(lower, b, m, middle, r0, r1, r2)
    total = 0.0
    for i in range(n):
        p, q = below_line[i + 1], below_flat[i + 1]
        x = upper[i + 1] - middle
        c = flat - x
        near, moment = r0[p], r1[p]
        m0, m1, m2 = r0[q] - near, r1[q] - moment, r2[q] - r2[p]
        arm = m0 * c + m1
        total += a[i] * (start * near - slope * (near * x - moment) + bend * (m2 + c * (m1 + arm)))
        upper_slopes[i] = -a[i] * (slope * near + twice * arm)
        upper_bends[i] = a[i] * twice * m0
    _run_up(upper, a, n, middle, r0, r1)
    for j in range(m):
        p, q = above_line[j + 1], above_flat[j + 1]
        near = r0[p]
        m0 = r0[q] - near
        arm = m0 * (flat + (lower[j + 1] - middle)) - (r1[q] - r1[p])
        lower_slopes[j] = b[j] * (slope * near + twice * arm)
        lower_bends[j] = b[j] * twice * m0
    return total


@kernel
def _run_down(
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
        y = x[j + 1] - middle
        s0 += w
        s1 += w * y
        s2 += w * y * y
    r0[n], r1[n], r2[n] = s0, s1, s2


@kernel
def _run_up(
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
    for i in range(n - 1, -1, -1):
        s0 += weights[i]
        s1 += weights[i] * (x[i + 1] - middle)
        r0[i], r1[i] = s0, s1


@kernel
def _one_side(
    points: NDArray[np.float64],
    others: NDArray[np.float64],
    weights: NDArray[np.float64],
    margin: NDArray[np.float64],
    found: NDArray[np.float64],
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
        found[0, i] = min(level * near + slope * reach + bend * m2, LARGEST)
        found[1, i] = -min(slope * near + 2.0 * bend * m1, LARGEST)
        found[2, i] = 2.0 * bend * m0


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
    """`narrow_sums` for any spread of the scores."""
    found = np.empty((3, max(n, m)))
    _one_side(upper[1 : n + 1], lower[1 : m + 1], b, margin, found)
    total = 0.0
    for i in range(n):
        total += a[i] * found[0, i]
        upper_slopes[i] = a[i] * found[1, i]
        upper_bends[i] = a[i] * found[2, i]
    # s_i - s_j = (-s_j) - (-s_i): with the signs turned, the lower items are the points.
    _one_side(_turned(lower[1:], m, -1.0), _turned(upper[1:], n, -1.0), _turned(a, n, 1.0), margin, found)
    for j in range(m):
        lower_slopes[j] = -b[j] * found[1, m - 1 - j]
        lower_bends[j] = b[j] * found[2, m - 1 - j]
    return min(total, LARGEST)


@kernel
def is_narrow(upper: NDArray[np.float64], n: int, lower: NDArray[np.float64], m: int) -> bool:
    """Whether the scores of two descending lists lie close enough together for `narrow_sums`."""
    return bool(max(upper[1], lower[1]) - min(upper[n], lower[m]) <= _NARROW)
