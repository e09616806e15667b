"""Pairwise sums of the exponential margin e^-t, which factorises: e^-(s_i - s_j) = e^-s_i e^s_j.

All sums are linear in the number of items. A sum of exponentials is kept as ``m e^c`` with c the largest
exponent in it, so that nothing overflows before the result itself does, and nothing that matters vanishes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.order_preserving import HUGE, bounded
from rankproof.kernels.losses.preorder import ONE, close_up, grade_worths, pair_count
from rankproof.kernels.metrics.grades import Grades, longest_query

__all__ = ["order_preserving_exponential", "preorder_exponential"]


@kernel
def _plus(m: float, c: float, w: float, e: float) -> tuple[float, float]:
    """m e^c + w e^e in the same form; w = 0 adds nothing, whatever its exponent."""
    if w == 0.0:
        return m, c
    if (m == 0.0) | (e > c):
        return (w + m * np.exp(c - e) if m > 0.0 else w), e
    return m + w * np.exp(e - c), c


@kernel
def _times(m: float, c: float, e: float) -> float:
    """m e^(c + e): halved exponents keep a small m with a large exponent finite."""
    if m == 0.0:
        return 0.0
    half = np.exp(0.5 * (c + e))
    return float(m * half * half)


@kernel
def _difference(plus: float, m: float, c: float, minus: float, w: float, e: float) -> float:
    """m e^c - w e^e, which are ``plus`` and ``minus``: when both overflow, the exponents tell the sign."""
    if (plus < np.inf) | (minus < np.inf):
        return plus - minus
    shared = max(c, e)
    return float((m * np.exp(c - shared) - w * np.exp(e - shared)) * np.inf)


@kernel
def order_preserving_exponential(
    scores: NDArray[np.float64],
    targets: NDArray[np.float64],
    offsets: NDArray[np.int64],
    item_weights: NDArray[np.float64],
    normalize: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """sum_i a_i sum_{j != i} e^-(s_i - s_j) of the queries low..high, in O(n).

    The sums over all items but one are made of the sums before and after it: nothing is subtracted.
    """
    size = longest_query(offsets, low, high)
    a, x, rest, pulls = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        # Largest exponents of the sum of e^s_j over all items, and of a_i e^-s_i.
        top, bottom = -np.inf, np.inf
        for i in range(n):
            x[i] = min(max(scores[start + i], -HUGE), HUGE)
            a[i] = targets[start + i]
            if item_weights.size > 0:
                a[i] *= item_weights[start + i]
            top = max(top, x[i])
            if a[i] > 0.0:
                bottom = min(bottom, x[i])
        if (n < 2) | (bottom == np.inf):
            continue
        s, w = 0.0, 0.0
        for i in range(n):
            rest[i], pulls[i] = s, w
            s += np.exp(x[i] - top)
            w += a[i] * np.exp(bottom - x[i]) if a[i] > 0.0 else 0.0
        s, w, total = 0.0, 0.0, 0.0
        scale = 1.0 / n / (n - 1.0) if normalize else 1.0
        for i in range(n - 1, -1, -1):
            m, c = a[i] * (rest[i] + s), pulls[i] + w
            s += np.exp(x[i] - top)
            w += a[i] * np.exp(bottom - x[i]) if a[i] > 0.0 else 0.0
            push, pull = _times(m, top, -x[i]), _times(c, -bottom, x[i])
            total += push
            slope = _difference(pull, c, x[i] - bottom, push, m, top - x[i])
            gradient[start + i] = bounded(scale * slope)
            if hessian.size > 0:
                hessian[start + i] = bounded(scale * (pull + push))
        values[q] = bounded(scale * total)


@kernel
def preorder_exponential(
    scores: NDArray[np.float64],
    labels: NDArray[np.float64],
    numbers: Grades,
    offsets: NDArray[np.int64],
    weight: int,
    per_pair: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """The sum over y_i > y_j of w_ij e^-(s_i - s_j) of the queries low..high, in O(n).

    With E_h the sum of e^s_j over grade h, an item of grade g meets D_g = sum_{h<g} (f_g - f_h) E_h, and
    D_g = D_{g-1} + (f_g - f_{g-1}) (E_0 + ... + E_{g-1}): running sums over the grades, up and down.
    """
    size = longest_query(offsets, low, high) + 2
    grades, counts, worths = np.empty(size, np.int32), np.empty(max(size, 66), np.int64), np.empty(size)
    # By grade, as (m, c): sums of e^s and e^-s in it; what lies below and above, weighted.
    rising, falling, below, above = (
        np.empty((size, 2)),
        np.empty((size, 2)),
        np.empty((size, 2)),
        np.empty((size, 2)),
    )
    x = np.empty(size)
    for q in range(low, high):
        start, end = offsets[q], offsets[q + 1]
        n = end - start
        for i in range(n):
            grades[i] = numbers[start + i]
            x[i] = min(max(scores[start + i], -HUGE), HUGE)
        number = close_up(grades, n, counts)
        if number < 2:
            continue
        grade_worths(labels[start:end], grades, n, number, weight, worths)
        for g in range(number):
            rising[g, 0], rising[g, 1], falling[g, 0], falling[g, 1] = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            g = grades[i]
            rising[g, 0], rising[g, 1] = _plus(rising[g, 0], rising[g, 1], 1.0, x[i])
            falling[g, 0], falling[g, 1] = _plus(falling[g, 0], falling[g, 1], 1.0, -x[i])
        _run(rising, worths, number, weight, 1, below)
        _run(falling, worths, number, weight, -1, above)
        scale = 1.0 / pair_count(counts, number) if per_pair else 1.0
        total = 0.0
        for g in range(1, number):
            total += _times(falling[g, 0] * below[g, 0], falling[g, 1], below[g, 1])
        values[q] = bounded(scale * total)
        for i in range(n):
            g = grades[i]
            push, pull = _times(below[g, 0], below[g, 1], -x[i]), _times(above[g, 0], above[g, 1], x[i])
            slope = _difference(pull, above[g, 0], above[g, 1] + x[i], push, below[g, 0], below[g, 1] - x[i])
            gradient[start + i] = bounded(scale * slope)
            if hessian.size > 0:
                hessian[start + i] = bounded(scale * (pull + push))


@kernel
def _run(
    sums: NDArray[np.float64],
    worths: NDArray[np.float64],
    number: int,
    weight: int,
    step: int,
    out: NDArray[np.float64],
) -> None:
    """The sum over the grades before g, in the direction of ``step``, of |f_g - f_h| (or 1) times theirs."""
    g = 0 if step > 0 else number - 1
    m, c, d, e = 0.0, 0.0, 0.0, 0.0
    for k in range(number):
        if k > 0:
            if weight == ONE:
                d, e = m, c
            else:
                d, e = _plus(d, e, abs(worths[g] - worths[g - step]) * m, c)
        out[g, 0], out[g, 1] = d, e
        m, c = _plus(m, c, sums[g, 0], sums[g, 1])
        g += step
