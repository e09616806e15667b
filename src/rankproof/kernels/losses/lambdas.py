"""Lambda losses: logistic pairs whose weights follow the ranking of the moment, query by query.

A pair weighs |G_i - G_j| (rho |d_i - d_j| + mu delta_|i-j|) with gains G over the ideal DCG, discounts d of
the ranks, and delta_m = d(m) - d(m + 1). Equal scores share their ranks: a weight is its mean over all
rankings that sort the scores, which running sums of the discounts give in closed form. All pairs are visited;
the loops over them have no branches, so they run in vector registers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.order_preserving import HUGE, bounded
from rankproof.kernels.metrics.grades import longest_query

__all__ = ["lambdas", "rank_shares"]

# Exponents e^(s_i - s_j) factorise without overflow up to this spread.
_NARROW = 1000.0


@kernel
def rank_shares(
    ends: NDArray[np.int32],
    n: int,
    discounts: NDArray[np.float64],
    share: NDArray[np.float64],
    apart: NDArray[np.float64],
) -> int:
    """The mean discount of each item's tie group and the mean difference within it; ranks that count.

    The rank from which on all discounts are 0 ends the pairs that matter.
    """
    i, counted = 0, 0
    while i < n:
        end = int(ends[i])
        t = end - i
        total, spread = 0.0, 0.0
        for k in range(i, end):
            total += discounts[k]
            spread += discounts[k] * (t - 1 - 2 * (k - i))
        for k in range(i, end):
            share[k] = total / t
            apart[k] = 2.0 * spread / t / (t - 1.0) if t > 1 else 0.0
        if total > 0.0:
            counted = end
        i = end
    return counted


@kernel
def _mean_step(
    a: int, a_end: int, b: int, b_end: int, steps: NDArray[np.float64], runs: NDArray[np.float64]
) -> float:
    """The mean of delta_|i-j| over i in a..a_end-1 and j in b..b_end-1, two groups or one and the same.

    ``runs[m + 1]`` is the sum over k <= m of delta_1 + ... + delta_k.
    """
    if (a_end - a == 1) & (b_end - b == 1):
        return float(steps[b - a])
    if a == b:
        t = a_end - a
        return 2.0 * float(runs[t]) / t / (t - 1.0)
    far = runs[b_end - a] - runs[b_end - a_end]
    near = runs[b - a] - runs[b - a_end]
    return float(far - near) / (a_end - a) / (b_end - b)


@kernel
def _starts(ends: NDArray[np.int32], n: int, starts: NDArray[np.int32]) -> None:
    first = 0
    for i in range(n):
        if i >= ends[first]:
            first = i
        starts[i] = first


@kernel
def _positions(
    a: int,
    n: int,
    rho: float,
    mu: float,
    tied: bool,
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    shares: NDArray[np.float64],
    tables: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What the ranks of a pair weigh, for the item at place ``a`` and all after it."""
    mine, others, steps = shares[0, a], shares[0, a + 1 : n], tables[1, 1:]
    for b in range(others.size):
        out[b] = rho * (mine - others[b]) + mu * steps[b]
    if not tied:
        return
    for b in range(a + 1, n):
        weight = rho * (shares[1, a] if b < ends[a] else mine - shares[0, b])
        if mu > 0.0:
            weight += mu * _mean_step(starts[a], ends[a], starts[b], ends[b], tables[1], tables[2])
        out[b - a - 1] = weight


@kernel
def _log_1p(e: float) -> float:
    """log(1 + e) for 0 <= e <= 1: 2 (z + z^3/3 + z^5/5 + ...) with z = e / (2 + e) <= 1/3, full precision."""
    z = np.divide(e, 2.0 + e)
    y = z * z
    # Written out: a loop over coefficients would keep the loop over pairs out of vector registers.
    part = 1 / 25 + y * (1 / 27 + y * (1 / 29 + y * (1 / 31 + y * (1 / 33))))
    part = 1 / 15 + y * (1 / 17 + y * (1 / 19 + y * (1 / 21 + y * (1 / 23 + y * part))))
    part = 1 / 5 + y * (1 / 7 + y * (1 / 9 + y * (1 / 11 + y * (1 / 13 + y * part))))
    return float(2.0 * z * (1.0 + y * (1 / 3 + y * part)))


@kernel
def _pairs(
    g: float,
    score: float,
    inverse: float,
    sigma: float,
    x: NDArray[np.float64],
    rises: NDArray[np.float64],
    gains: NDArray[np.float64],
    weights: NDArray[np.float64],
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
    bend: NDArray[np.float64],
) -> None:
    """Value, signed slope and bend of the pairs of one item with items at lower scores.

    ``inverse`` is 0 when the scores spread too widely for e^(s_i) to be kept in ``rises``. All arrays start
    at the first of those items: loops from 0 need no care for negative places, and run in vector registers.
    """
    n = x.size
    if inverse > 0.0:
        for b in range(n):
            value[b] = inverse * rises[b]
    else:
        for b in range(n):
            value[b] = np.exp(-sigma * (score - x[b]))
    for b in range(n):
        e = value[b]
        # Not e / (1 + e): plain division looks for a zero and raises, which vector registers cannot.
        r = np.divide(1.0, 1.0 + e)
        gap = g - gains[b]
        w = gap * weights[b]
        slope[b] = w * sigma * (e * r if gap > 0.0 else r)
        bend[b] = abs(w) * sigma * sigma * e * r * r
    for b in range(n):
        gap = g - gains[b]
        linear = 0.0 if gap > 0.0 else sigma * (score - x[b])
        value[b] = abs(gap) * weights[b] * (_log_1p(value[b]) + linear)


@kernel
def _share_out(
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
    bend: NDArray[np.float64],
    sums: NDArray[np.float64],
    a: int,
) -> float:
    """Add the pairs of the item at place ``a`` with those after it to the sums of both sides; their value."""
    slopes, bends = sums[0, a + 1 :], sums[1, a + 1 :]
    total, s, h = 0.0, 0.0, 0.0
    for b in range(value.size):
        total += value[b]
        s += slope[b]
        h += bend[b]
        slopes[b] += slope[b]
        bends[b] += bend[b]
    sums[0, a] -= s
    sums[1, a] += h
    return total


@kernel
def lambdas(
    scores: NDArray[np.float64],
    gains: NDArray[np.float64],
    ideal: NDArray[np.float64],
    offsets: NDArray[np.int64],
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    tied: NDArray[np.bool_],
    tables: NDArray[np.float64],
    sigma: float,
    rho: float,
    mu: float,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Queries low..high; ``ideal``: sorted gains; ``tables``: discounts, delta, sums of its running sums."""
    size = longest_query(offsets, low, high)
    x, g, rises, weights, starts = (
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size, np.int32),
    )
    shares, rows, sums = np.empty((2, size)), np.empty((3, size)), np.empty((2, size))
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        best = 0.0
        for i in range(n):
            best += tables[0, i] * ideal[start + i]
        if (n < 2) | (best <= 0.0):
            continue
        for i in range(n):
            item = start + order[start + i]
            x[i] = min(max(scores[item], -HUGE), HUGE)
            g[i] = gains[item] / best
            sums[0, i], sums[1, i] = 0.0, 0.0
        mine = ends[start : start + n]
        counted = rank_shares(mine, n, tables[0], shares[0], shares[1])
        _starts(mine, n, starts)
        wide = sigma * (x[0] - x[n - 1]) > _NARROW
        middle = 0.5 * x[0] + 0.5 * x[n - 1]
        for i in range(n):
            rises[i] = 0.0 if wide else np.exp(sigma * (x[i] - middle))
        total = 0.0
        for a in range(n - 1 if mu > 0.0 else min(counted, n - 1)):
            _positions(a, n, rho, mu, bool(tied[q]), starts, mine, shares, tables, weights)
            inverse = 0.0 if wide else np.exp(sigma * (middle - x[a]))
            many = n - a - 1
            value, slope, bend = rows[0, :many], rows[1, :many], rows[2, :many]
            lower, factors, theirs = x[a + 1 : n], rises[a + 1 : n], g[a + 1 : n]
            _pairs(g[a], x[a], inverse, sigma, lower, factors, theirs, weights, value, slope, bend)
            total += _share_out(value, slope, bend, sums, a)
        values[q] = bounded(total)
        for i in range(n):
            item = start + order[start + i]
            gradient[item] = bounded(sums[0, i])
            if hessian.size > 0:
                hessian[item] = bounded(sums[1, i])
