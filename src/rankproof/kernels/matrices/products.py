"""Scores of a linear model and their gradient, for a range of rows: dense rows and compressed sparse rows.

Sums are in double precision whatever the features are stored in. The additions of one row stand in a fixed
order that a compiler may carry out with vector instructions, without leave to reorder floating point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.matrices.prefetch import prefetch

__all__ = ["csr_gradient", "csr_scores", "dense_gradient", "dense_scores"]

# How far ahead rows are requested: time enough for memory to answer.
_AHEAD_BYTES = 8192


@kernel
def dense_scores(
    X: NDArray[Any], weights: NDArray[np.float64], low: int, high: int, out: NDArray[np.float64]
) -> None:
    """``out[i] = sum_j X[i, j] weights[j]`` for the rows low..high.

    A row is folded in four before its products are added up, four rows at a time: the folds are vector
    loops, and the four sums that end them do not wait for each other. Rows are requested from memory a good
    way ahead of their use.
    """
    d = weights.size
    h = d // 4
    w0, w1, w2, w3 = weights[:h], weights[h : 2 * h], weights[2 * h : 3 * h], weights[3 * h : 4 * h]
    b0, b1, b2, b3 = np.empty(h), np.empty(h), np.empty(h), np.empty(h)
    last = max(low, high - 4)
    line, far = 64 // X.itemsize, X.shape[0] - 1
    ahead = 4 + _AHEAD_BYTES // max(1, d * X.itemsize)
    for at in range(low, high, 4):
        # The last four rows may have been done in part; fewer than four are repeated.
        i0 = min(at, last)
        i1, i2, i3 = min(i0 + 1, high - 1), min(i0 + 2, high - 1), min(i0 + 3, high - 1)
        p, q, r, s = X[i0], X[i1], X[i2], X[i3]
        for j in range(0, d, line):
            prefetch(X, min(i0 + ahead, far), j)
        for j in range(h):
            b0[j] = (p[j] * w0[j] + p[j + h] * w1[j]) + (p[j + 2 * h] * w2[j] + p[j + 3 * h] * w3[j])
        for j in range(0, d, line):
            prefetch(X, min(i0 + ahead + 1, far), j)
        for j in range(h):
            b1[j] = (q[j] * w0[j] + q[j + h] * w1[j]) + (q[j + 2 * h] * w2[j] + q[j + 3 * h] * w3[j])
        for j in range(0, d, line):
            prefetch(X, min(i0 + ahead + 2, far), j)
        for j in range(h):
            b2[j] = (r[j] * w0[j] + r[j + h] * w1[j]) + (r[j + 2 * h] * w2[j] + r[j + 3 * h] * w3[j])
        for j in range(0, d, line):
            prefetch(X, min(i0 + ahead + 3, far), j)
        for j in range(h):
            b3[j] = (s[j] * w0[j] + s[j + h] * w1[j]) + (s[j + 2 * h] * w2[j] + s[j + 3 * h] * w3[j])
        t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
        for j in range(h):
            t0 += b0[j]
            t1 += b1[j]
            t2 += b2[j]
            t3 += b3[j]
        for j in range(4 * h, d):
            t0 += p[j] * weights[j]
            t1 += q[j] * weights[j]
            t2 += r[j] * weights[j]
            t3 += s[j] * weights[j]
        out[i0], out[i1], out[i2], out[i3] = t0, t1, t2, t3


@kernel
def dense_gradient(
    X: NDArray[Any], slopes: NDArray[np.float64], low: int, high: int, out: NDArray[np.float64]
) -> None:
    """Add ``sum_i X[i, j] slopes[i]`` over the rows low..high to ``out[j]``."""
    d = out.size
    full = high - (high - low) % 4
    line, far = 64 // X.itemsize, X.shape[0] - 1
    ahead = 4 + _AHEAD_BYTES // max(1, d * X.itemsize)
    for i in range(low, full, 4):
        for k in range(4):
            for j in range(0, d, line):
                prefetch(X, min(i + ahead + k, far), j)
        g0, g1, g2, g3 = slopes[i], slopes[i + 1], slopes[i + 2], slopes[i + 3]
        p, q, r, s = X[i], X[i + 1], X[i + 2], X[i + 3]
        for j in range(d):
            out[j] += (p[j] * g0 + q[j] * g1) + (r[j] * g2 + s[j] * g3)
    for i in range(full, high):
        g0, p = slopes[i], X[i]
        for j in range(d):
            out[j] += p[j] * g0


@kernel
def csr_scores(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    weights: NDArray[np.float64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """`dense_scores` of compressed sparse rows."""
    for i in range(low, high):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * weights[indices[k]]
        out[i] = total


@kernel
def csr_gradient(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    slopes: NDArray[np.float64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """`dense_gradient` of compressed sparse rows."""
    for i in range(low, high):
        g = slopes[i]
        if g != 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                out[indices[k]] += data[k] * g
