"""Cumulative logits with thresholds of the query's own: every threshold is where its loss is least.

A threshold solves sum_i v_i sigma(s_i + b) = k, k the weight of the items at or above the level. Newton's
steps find it: with f the difference of the two sides, |f''| <= f', so that a step of d leaves an error of
about d^2 / 2. Steps that leave the interval in which the threshold is known to lie halve it instead. With
e^(s_i) at hand, a step takes one exponential for all items, and its loop runs in vector registers; scores
that spread too widely for that go item by item.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["MOST_LEVELS", "query_ordinal"]

# More different targets than this are cut into as many bands of equal height.
MOST_LEVELS = 32

# e^(4 * (100 + 60)), the largest product below, is still a float; a level with fewer than e^-60 of the weight
# goes item by item too.
_NARROW, _RARE, _TOGETHER = 100.0, 1e-26, 4
# The next error is half the square of this.
_CLOSE = 1e-8
_STEPS = 2500


@kernel
def query_ordinal(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Add, band by band, the rise of the target times the least of sum_i v_i (log(1 + e^x_i) - y_i x_i).

    There x_i is s_i + b. A band is between two neighbouring targets, and y_i is the share of it that is below
    the target of i.
    """
    weighted = item_weights.size > 0
    longest = 0
    for q in range(low, high):
        longest = max(longest, offsets[q + 1] - offsets[q])
    apart, ratio, weights = np.empty(longest), np.empty(longest), np.ones(longest)
    near = np.empty(longest)
    levels = np.empty(MOST_LEVELS + 1)
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        if n < 2:
            continue
        top, bottom, level, all_weights = -np.inf, np.inf, np.inf, 0.0
        for i in range(start, end):
            if weighted:
                weights[i - start] = item_weights[i]
            if weights[i - start] > 0.0:
                top, bottom = max(top, scores[i]), min(bottom, scores[i])
                level = min(level, targets[i])
                all_weights += weights[i - start]
        # Halves, so that the middle of two huge scores is a number.
        middle = 0.5 * top + 0.5 * bottom
        narrow = top - bottom < _NARROW
        for i in range(n):
            apart[i] = scores[start + i] - middle if weights[i] > 0.0 else 0.0
            if narrow:
                ratio[i] = math.exp(apart[i])
        bottom, top = bottom - middle, top - middle
        shift, share = 0.0, 0.0
        bands = _levels(targets, weights, start, n, level, levels)
        for band in range(bands):
            low_end, rise = levels[band], levels[band + 1] - levels[band]
            count = 0.0
            for i in range(n):
                count += weights[i] * min(max((targets[start + i] - low_end) / rise, 0.0), 1.0)
            odds = math.log(count) - math.log(max(all_weights - count, _RARE * count))
            shift += odds - share
            share = odds
            quick = narrow and abs(odds) < 59.0
            shift = _threshold(apart, ratio, weights, n, count, odds, bottom, top, shift, quick)
            if narrow:
                values[q] += rise * _add(
                    apart, ratio, weights, targets, start, n, low_end, rise, shift, quick, gradient, hessian
                )
                continue
            # Beside a score of 1e9 a threshold has few digits left. As the distance to the nearest, all.
            at = _nearest(apart, weights, n, shift, near)
            shift = _threshold(
                near, ratio, weights, n, count, odds, bottom - at, top - at, shift + at, narrow
            )
            values[q] += rise * _add(
                near, ratio, weights, targets, start, n, low_end, rise, shift, narrow, gradient, hessian
            )
            shift -= at


@kernel
def _levels(
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    start: int,
    n: int,
    least: float,
    levels: NDArray[np.float64],
) -> int:
    """Write the ends of the bands, from the least target up; how many bands there are."""
    levels[0] = least
    for band in range(MOST_LEVELS + 1):
        above, most = np.inf, -np.inf
        for i in range(n):
            if weights[i] > 0.0:
                most = max(most, targets[start + i])
                if targets[start + i] > levels[band]:
                    above = min(above, targets[start + i])
        if above == np.inf:
            return band
        if band == MOST_LEVELS:
            break
        levels[band + 1] = above
    for band in range(1, MOST_LEVELS):
        share = band / MOST_LEVELS
        levels[band] = (1.0 - share) * least + share * most
    levels[MOST_LEVELS] = most
    return MOST_LEVELS


@kernel
def _nearest(
    apart: NDArray[np.float64], weights: NDArray[np.float64], n: int, shift: float, near: NDArray[np.float64]
) -> float:
    """The score that is nearest to the threshold; how far all others are from it is written down."""
    at, distance = 0.0, np.inf
    for i in range(n):
        if weights[i] > 0.0 and abs(apart[i] + shift) < distance:
            at, distance = apart[i], abs(apart[i] + shift)
    for i in range(n):
        near[i] = apart[i] - at if weights[i] > 0.0 else 0.0
    return at


@kernel
def _threshold(
    apart: NDArray[np.float64],
    ratio: NDArray[np.float64],
    weights: NDArray[np.float64],
    n: int,
    count: float,
    odds: float,
    bottom: float,
    top: float,
    shift: float,
    quick: bool,
) -> float:
    """The b at which sum_i v_i sigma(s_i + b) is the count."""
    # If all scores were the highest or the lowest, the threshold would be at these ends.
    least, most = odds - top, odds - bottom
    if not least <= shift <= most:
        shift = 0.5 * least + 0.5 * most
    for _ in range(_STEPS):
        excess, slope = -count, 0.0
        if quick:
            factor = math.exp(shift)
            for i in range(n):
                r = factor * ratio[i]
                inverse = np.divide(1.0, 1.0 + r)
                p = weights[i] * r * inverse
                excess += p
                slope += p * inverse
        else:
            for i in range(n):
                p, rest = _sigmoid(apart[i] + shift)
                excess += weights[i] * p
                slope += weights[i] * p * rest
        if excess == 0.0:
            return float(shift)
        if excess > 0.0:
            most = shift
        else:
            least = shift
        step = excess / slope if slope > 0.0 else np.inf
        moved = shift - step
        if abs(step) <= _CLOSE:
            return float(min(max(moved, least), most))
        if not least < moved < most:
            moved = 0.5 * least + 0.5 * most
            if moved <= least or moved >= most:
                return float(shift)
        shift = moved
    return float(shift)


@kernel
def _add(
    apart: NDArray[np.float64],
    ratio: NDArray[np.float64],
    weights: NDArray[np.float64],
    targets: NDArray[np.float64],
    start: int,
    n: int,
    level: float,
    rise: float,
    shift: float,
    quick: bool,
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> float:
    """The loss of one level, and its derivatives, times the rise, added to those of the others."""
    second, factor = hessian.size > 0, math.exp(shift) if quick else 0.0
    total, product, slopes, together = 0.0, 0.0, 0.0, 0
    for i in range(n):
        if weights[i] == 0.0:
            continue
        y = min(max((targets[start + i] - level) / rise, 0.0), 1.0)
        if quick:
            r = factor * ratio[i]
            rest = 1.0 / (1.0 + r)
            p = r * rest
            odds = 1.0 / r if y == 1.0 else r
            if 0.0 < y < 1.0:
                total += weights[i] * (y * math.log1p(1.0 / r) + (1.0 - y) * math.log1p(r))
            elif weights[i] == 1.0:
                # One logarithm for several items: the product of the 1 + odds, less 1, keeps tiny ones exact.
                product = product + odds + product * odds
                together += 1
                if together == _TOGETHER:
                    total += math.log1p(product)
                    product, together = 0.0, 0
            else:
                total += weights[i] * math.log1p(odds)
        else:
            x = apart[i] + shift
            p, rest = _sigmoid(x)
            # y times the distance below 0, and 1 - y times that above.
            total += weights[i] * (y * max(-x, 0.0) + (1.0 - y) * max(x, 0.0) + math.log1p(math.exp(-abs(x))))
        gradient[start + i] += rise * weights[i] * ((1.0 - y) * p - y * rest)
        slopes += weights[i] * p * rest
    if second and slopes > 0.0:
        for i in range(n):
            if quick:
                r = factor * ratio[i]
                rest = 1.0 / (1.0 + r)
                p = r * rest
            else:
                p, rest = _sigmoid(apart[i] + shift)
            slope = weights[i] * p * rest
            hessian[start + i] += rise * slope * (1.0 - slope / slopes)
    return total + math.log1p(product)


@kernel
def _sigmoid(x: float) -> tuple[float, float]:
    """1 / (1 + e^-x), and 1 less that."""
    e = math.exp(-abs(x))
    r = 1.0 / (1.0 + e)
    if x >= 0.0:
        return r, e * r
    return e * r, r
