"""Student's interval of a mean difference: the values that the paired t test would not reject.

>>> from rankproof.evaluation.differences import paired_differences
>>> interval = t_interval(paired_differences([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]), level=0.95)
>>> round(interval.low, 4), round(interval.high, 4)  # 0.2 -+ 4.3027 * 0.1 / sqrt(3)
(-0.0484, 0.4484)
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.evaluation.bootstrap import Interval
from rankproof.evaluation.differences import Differences

__all__ = ["t_interval"]


def t_interval(d: Differences, *, level: float) -> Interval:
    r"""The interval of the (weighted) mean difference at confidence ``level``.

    For equal weights :math:`\bar d \mp t_{n-1}\, s / \sqrt n`. With weights, the values m for which the t
    test of the terms :math:`w_i (d_i - m)` does not reject (Fieller 1954, *Some problems in interval
    estimation*, JRSS B 16), so that 0 lies outside exactly when the weighted `paired_t_test` rejects. Weights
    so unequal that any mean would do give an interval without ends.

    On real per-query differences it keeps its level where the bootstrap (BCa) is too narrow:
    ``tests/evaluation/test_coverage.py``.
    """
    if d.n < 2:
        return Interval(math.nan, math.nan, level, "t")
    if np.ptp(d.values) <= 2.0 * d.rounding.max():
        return Interval(d.mean, d.mean, level, "t")
    from scipy.special import stdtrit

    # The lower tail: 1 - tail would lose the digits of a tail as small as many systems make it.
    critical = -float(stdtrit(d.n - 1, (1.0 - level) / 2.0))
    if d.weights is None:
        half = critical * math.sqrt(_covariance(d.values, d.values) / d.n)
        return Interval(d.mean - half, d.mean + half, level, "t")
    # Weights of mean 1: the interval does not depend on their unit.
    w = d.weights / d.weights.mean()
    u = d.values * w
    mean, share = math.fsum(u) / d.n, critical**2 / d.n
    a = 1.0 - share * _covariance(w, w)
    b = mean - share * _covariance(u, w)
    c = mean**2 - share * _covariance(u, u)
    if a <= 0.0:
        return Interval(-math.inf, math.inf, level, "t")
    half = math.sqrt(max(0.0, b * b - a * c))
    return Interval((b - half) / a, (b + half) / a, level, "t")


def _covariance(one: np.ndarray, other: np.ndarray) -> float:
    return math.fsum((one - one.mean()) * (other - other.mean())) / (one.size - 1)
