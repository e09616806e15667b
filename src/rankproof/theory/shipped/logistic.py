"""Bounds of the functions of one number that the shipped formulas are made of, with their derivatives."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from rankproof.theory.arithmetic.intervals import ONE, Enclosure, UnprovenError

__all__ = ["LEAST_SUM", "TABLE_ERROR", "logistic", "shrinking"]

# LightGBM looks h up in a table of 2^20 steps from -25 to 25 and takes the left end of a step: two steps of
# 50 / 2^20, for an index that is rounded, at a slope of at most 1/4, and h(25) < 2^-36 beyond the ends.
TABLE_ERROR = Fraction(100, 1 << 22) + Fraction(1, 1 << 36)
# Further than this, exp is not computed.
_FAR = 200
# A sum of forces is at least 0, but one with the error of the table at another place may be a little less.
LEAST_SUM = Fraction(-1, 2)
# Below this, the series is used for log(1 + S) / S.
_TINY = Fraction(1, 1 << 30)


@lru_cache(maxsize=1 << 16)
def _h(x: Fraction) -> Enclosure:
    """1 / (1 + e^x) for x >= 0."""
    small = Enclosure.from_number(-min(x, Fraction(_FAR))).exp()
    small = Enclosure(0 if x > _FAR else small.low, small.high)
    return small / (small + 1)


def logistic(
    low: Fraction, high: Fraction | None, sigma: Fraction, *, above: bool
) -> tuple[Enclosure, Enclosure]:
    """h(sigma x) and its derivative in the distance of a pair, which is from ``low`` to ``high``.

    ``above`` says whether the better item is above: then x is the distance, else minus the distance.

    >>> logistic(Fraction(0), Fraction(0), Fraction(1), above=True)
    (Enclosure(1/2), Enclosure(-1/4))
    """
    near = _h(low * sigma)
    end = 0 if high is None else _h(high * sigma).low
    value = Enclosure(end, near.high)
    # h (1 - h) rises in h up to 1/2.
    least, most = Enclosure(end, end), Enclosure(near.high, near.high)
    bend = Enclosure((least * (ONE - least)).low, (most * (ONE - most)).high) * sigma
    return (value, -bend) if above else (ONE - value, bend)


def shrinking(size: Fraction) -> tuple[Enclosure, Enclosure]:
    """log(1 + S) / S and its derivative, for S > -1/2; 1 and -1/2 at S = 0.

    It is the mean of 1 / (1 + S t) over t from 0 to 1, so it falls in S and its derivative rises. Near 0 it
    is 1 - S/2 + S^2/3 - ..., so it is at least 1 - S/2, and S^2 more at most.

    >>> value, slope = shrinking(Fraction(0))
    >>> 1 in value, Fraction(-1, 2) in slope
    (True, True)
    """
    if size <= LEAST_SUM:
        raise UnprovenError("The sum of the forces may be far below 0.")
    if abs(size) < _TINY:
        ends = sorted((Fraction(-1, 2), Fraction(-1, 2) + size))
        return Enclosure.from_bounds(1 - size / 2, 1 - size / 2 + size * size), Enclosure.from_bounds(*ends)
    s = Enclosure.from_number(size)
    value = (s + 1).log() / s
    return value, (ONE / (s + 1) - value) / s
