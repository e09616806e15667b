"""Holm's step-down correction: many tests at once, and still at most ``level`` chance of one false alarm.

>>> holm([0.01, 0.04, 0.03]).tolist()
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, flat_floats
from rankproof.errors import ArgumentError

__all__ = ["holm", "holm_family"]


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


def holm_family(families: Sequence[ArrayLike]) -> list[Float64s]:
    """Several lists of p-values corrected as one family (all pairs of all metrics), in the shape given.

    >>> [list(map(float, p)) for p in holm_family([[0.01, 0.5], [0.02]])]
    [[0.03, 0.5], [0.04]]
    """
    arrays = [flat_floats("p_values", family) for family in families]
    if not arrays:
        return []
    cuts = np.cumsum([array.size for array in arrays])[:-1]
    return np.split(holm(np.concatenate(arrays)), cuts)
