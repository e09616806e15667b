"""Holm's step-down correction: many tests at once, and still at most ``level`` chance of one false alarm.

>>> holm([0.01, 0.04, 0.03]).tolist()
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, flat_floats
from rankproof.errors import ArgumentError

__all__ = ["holm", "holm_levels"]


def holm(p_values: ArrayLike) -> Float64s:
    r"""Holm-adjusted p-values, in the order given.

    With :math:`p_{(1)} \le \dots \le p_{(m)}`, the adjusted value of the i-th smallest is

    .. math:: \tilde p_{(i)} = \min\bigl(1, \max_{j \le i} (m - j + 1)\, p_{(j)}\bigr).

    Rejecting where :math:`\tilde p \le level` keeps the chance of any false rejection at most ``level``,
    whatever the dependence between the tests (Holm 1979, *A simple sequentially rejective multiple test
    procedure*, Scand. J. Statist. 6).
    """
    p = flat_floats("p_values", p_values)
    bad = ~((p >= 0.0) & (p <= 1.0))
    if bad.any():
        at = int(np.argmax(bad))
        raise ArgumentError(f"Argument p_values must lie between 0 and 1, got {p[at]} at {at}.")
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def holm_levels(p_values: ArrayLike, level: float) -> Float64s:
    r"""The level at which Holm's correction tests each: it is rejected exactly when p is at most this.

    The i-th smallest of m p-values is tested at :math:`level / (m - i + 1)` as long as all before it were
    rejected. Those after the first that is not rejected would all be tested at the level of this one, at
    which none of them is.

    >>> [round(float(step), 4) for step in holm_levels([0.01, 0.04, 0.03], 0.05)]
    [0.0167, 0.025, 0.025]
    """
    p = flat_floats("p_values", p_values)
    adjusted = holm(p)
    rejected = adjusted <= level
    # Equal p-values are tested together, at the lowest of their levels, whatever their order.
    before = np.array([int((p < one).sum()) for one in p], dtype=np.int64)
    factors = np.where(rejected, p.size - before, max(1, int(p.size - rejected.sum())))
    return level / factors
