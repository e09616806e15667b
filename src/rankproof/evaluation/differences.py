"""Paired differences: one number per query, how much system *a* is ahead of system *b* on it.

Per-query values come out of sums and quotients, so two values that are equal in exact arithmetic may differ
in the last bits: 0.8 - 0.7 and 0.7 - 0.6 are not the same double. Every test and count here must see them
as ties, or the answer would hang on rounding. A difference below 1e-12 of the larger value is therefore 0,
and each difference carries that bound along for the comparisons that follow.

>>> d = paired_differences([0.3, 0.5, 0.9, float("nan")], [0.1 + 0.2, 0.4, 1.0, 0.2])
>>> d.wins, d.ties, d.losses, d.dropped
(1, 1, 1, 1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, as_weights, flat_floats
from rankproof.errors import ArgumentError, DataError

__all__ = ["Differences", "gaps", "paired_differences"]

# Hundreds of roundings of a double, and still far below any difference between rankings that matters.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences *a - b* of the queries that count.

    Attributes
    ----------
    values : one number per query kept
        0 where *a* and *b* are equal up to rounding.
    weights : one positive number per query kept, or None for equal weights
    rounding : one number per query kept
        Differences that are closer than this are the same.
    dropped : int
        Queries left out: NaN in *a* or in *b*, or weight 0.
    """

    values: Float64s
    weights: Float64s | None
    rounding: Float64s
    dropped: int

    @property
    def n(self) -> int:
        """How many queries are compared."""
        return self.values.size

    @property
    def mean(self) -> float:
        """The (weighted) mean difference; NaN without queries. The same bits in any order of the queries."""
        if not self.n:
            return math.nan
        total = float(self.n) if self.weights is None else math.fsum(self.weights)
        return math.fsum(self.terms) / total

    @property
    def terms(self) -> Float64s:
        """What every query adds to the (weighted) sum of differences."""
        return self.values if self.weights is None else self.values * self.weights

    @property
    def term_rounding(self) -> Float64s:
        """Terms that are closer than this are the same."""
        return self.rounding if self.weights is None else self.rounding * self.weights

    @property
    def wins(self) -> int:
        """Queries on which *a* is ahead."""
        return int((self.values > 0).sum())

    @property
    def ties(self) -> int:
        """Queries on which both are equal up to rounding."""
        return int((self.values == 0).sum())

    @property
    def losses(self) -> int:
        """Queries on which *b* is ahead."""
        return int((self.values < 0).sum())


def paired_differences(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> Differences:
    """The differences of per-query values ``a`` and ``b``, which stand in the same order of queries.

    A query with NaN on either side (a metric skipped it) and a query of weight 0 are left out.
    """
    left, right = flat_floats("a", a), flat_floats("b", b)
    if left.size != right.size:
        raise ArgumentError(
            f"Paired values must be of the same queries, got {left.size} and {right.size} values. "
            "Evaluate both systems on the same data."
        )
    for name, side in (("a", left), ("b", right)):
        if np.isinf(side).any():
            at = int(np.argmax(np.isinf(side)))
            raise DataError(
                f"Argument {name} holds {side[at]} at query {at}; a difference needs finite numbers."
            )
    keep = ~(np.isnan(left) | np.isnan(right))
    kept_weights = None
    if weights is not None:
        checked = as_weights("weights", weights, left.size)
        keep &= checked > 0
        kept_weights = checked[keep]
    left, right = left[keep], right[keep]
    values = left - right
    rounding = _ROUNDING * np.maximum(np.abs(left), np.abs(right))
    values[np.abs(values) <= rounding] = 0.0
    return Differences(values, kept_weights, rounding, int(keep.size - keep.sum()))


def gaps(values: Float64s, base: Float64s, higher_is_better: bool) -> Float64s:
    """How much better every query fares than with the base; NaN where either has no value."""
    ahead = np.full(values.size, np.nan)
    both = ~(np.isnan(values) | np.isnan(base))
    differences = paired_differences(values[both], base[both]).values
    ahead[both] = differences if higher_is_better else -differences
    return ahead
