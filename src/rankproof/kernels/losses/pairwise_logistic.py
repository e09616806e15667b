"""Sums over all pairs of two lists of the logistic margin log(1 + e^-t): every pair is visited.

How the n^2 loops stay quick: with E_i = e^(s_i) the ratio e^-t of a pair is E_j / E_i, one product and no
exponential; and log(1 + e_1) + ... + log(1 + e_8) is one logarithm of a product, grown as
``P <- P + e + P e`` for the product less 1, which keeps tiny terms exact. The inner loops carry nothing
from item to item, so they run in vector registers. Scores that spread too widely for products go pair by
pair.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["logistic", "logistic_sums"]

_TOGETHER = 8
# e^(8 * 80) is still a float.
_NARROW = 80.0


@kernel
def logistic(t: float) -> tuple[float, float, float]:
    """log(1 + e^-t) and its two derivatives, for any t."""
    e = np.exp(-abs(t))
    r = 1.0 / (1.0 + e)
    if t >= 0.0:
        return np.log1p(e), -e * r, e * r * r
    return np.log1p(e) - t, -r, e * r * r


@kernel
def _products(ratio: float, inverse: NDArray[np.float64], product: NDArray[np.float64], n: int) -> None:
    for i in range(n):
        e = ratio * inverse[i]
        product[i] = product[i] + e + product[i] * e


@kernel
def _slopes(
    e: float, inverse: NDArray[np.float64], slopes: NDArray[np.float64], bends: NDArray[np.float64], n: int
) -> None:
    """Add e^-t / (1 + e^-t) and its derivative of one item against all of a list."""
    for i in range(n):
        ratio = e * inverse[i]
        r = np.divide(1.0, 1.0 + ratio)
        p = ratio * r
        slopes[i] += p
        bends[i] += p * r


@kernel
def _weighted(
    e: float,
    w: float,
    others: NDArray[np.float64],
    slopes: NDArray[np.float64],
    bends: NDArray[np.float64],
    n: int,
) -> None:
    for j in range(n):
        ratio = e * others[j]
        r = np.divide(1.0, 1.0 + ratio)
        p = w * ratio * r
        slopes[j] += p
        bends[j] += p * r


@kernel
def _pair_by_pair(
    upper: NDArray[np.float64],
    a: NDArray[np.float64],
    n: int,
    lower: NDArray[np.float64],
    m: int,
    same: bool,
    upper_slopes: NDArray[np.float64],
    upper_bends: NDArray[np.float64],
    lower_slopes: NDArray[np.float64],
    lower_bends: NDArray[np.float64],
) -> float:
    total = 0.0
    for i in range(n):
        value, slope, bend = 0.0, 0.0, 0.0
        for j in range(m):
            if same & (i == j):
                continue
            v, d, h = logistic(upper[i] - lower[j])
            value += v
            slope += d
            bend += h
            lower_slopes[j] -= a[i] * d
            lower_bends[j] += a[i] * h
        total += a[i] * value
        upper_slopes[i] = a[i] * slope
        upper_bends[i] = a[i] * bend
    return total


@kernel
def logistic_sums(
    upper: NDArray[np.float64],
    a: NDArray[np.float64],
    n: int,
    lower: NDArray[np.float64],
    m: int,
    same: bool,
    inverse: NDArray[np.float64],
    ratios: NDArray[np.float64],
    product: NDArray[np.float64],
    upper_slopes: NDArray[np.float64],
    upper_bends: NDArray[np.float64],
    lower_slopes: NDArray[np.float64],
    lower_bends: NDArray[np.float64],
) -> float:
    """The sum of a_i phi(upper_i - lower_j), and its first and second derivatives by every score.

    The lists of ``n`` and ``m`` scores may stand in any order. ``same`` says that they are one list, whose
    items do not meet themselves. Scratch: ``inverse``, ``ratios`` and ``product``, as long as the lists.
    """
    top, bottom = -np.inf, np.inf
    for i in range(n):
        top, bottom = max(top, upper[i]), min(bottom, upper[i])
        upper_slopes[i], upper_bends[i] = 0.0, 0.0
    for j in range(m):
        top, bottom = max(top, lower[j]), min(bottom, lower[j])
        lower_slopes[j], lower_bends[j] = 0.0, 0.0
    if n == 0 or m == 0:
        return 0.0
    if top - bottom > _NARROW:
        return float(
            _pair_by_pair(upper, a, n, lower, m, same, upper_slopes, upper_bends, lower_slopes, lower_bends)
        )
    middle = bottom + 0.5 * (top - bottom)
    for i in range(n):
        inverse[i] = np.exp(middle - upper[i])
    for j in range(m):
        ratios[j] = np.exp(lower[j] - middle)
    total = 0.0
    for block in range(0, m, _TOGETHER):
        for i in range(n):
            product[i] = 0.0
        for j in range(block, min(block + _TOGETHER, m)):
            kept = inverse[min(j, n - 1)]
            if same:
                inverse[j] = 0.0
            _products(ratios[j], inverse, product, n)
            _slopes(ratios[j], inverse, upper_slopes, upper_bends, n)
            if same:
                inverse[j] = kept
        for i in range(n):
            total += a[i] * np.log1p(product[i])
    for i in range(n):
        upper_slopes[i] *= -a[i]
        upper_bends[i] *= a[i]
        if a[i] == 0.0:
            continue
        kept = ratios[min(i, m - 1)]
        if same:
            ratios[i] = 0.0
        _weighted(inverse[i], a[i], ratios, lower_slopes, lower_bends, m)
        if same:
            ratios[i] = kept
    return total
