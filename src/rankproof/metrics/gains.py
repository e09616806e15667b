"""Gains: what a grade is worth. ``exp`` is 2^y - 1, ``linear`` is y, a table lists the worth of 0, 1, 2, ...

A grade below 0 (spam, junk) is worth 0, so that no gain is negative and normalised metrics stay in [0, 1].
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import TypeAlias

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError

__all__ = ["Gain", "as_gain", "check_gain", "gain_of", "gain_table"]

Gain: TypeAlias = str | tuple[float | Fraction, ...]

# Largest grade whose 2^y - 1 is a finite float64, with room for sums.
_HIGHEST_EXPONENT = 1000.0
_HIGHEST_LINEAR = 1e300


def as_gain(metric: str, gain: object) -> Gain:
    """A valid gain: ``exp``, ``linear``, or a table of numbers that never falls."""
    if isinstance(gain, str) and gain in ("exp", "linear"):
        return gain
    if isinstance(gain, (list, tuple)) and gain and all(isinstance(g, Real) for g in gain):
        # Fractions stay exact, as in a table of discounts.
        table = tuple(g if isinstance(g, Fraction) else float(g) for g in gain)
        if table[0] < 0 or not all(map(math.isfinite, table)) or any(a > b for a, b in pairwise(table)):
            raise ArgumentError(
                f"Argument gain of {metric} must be a table of finite numbers >= 0 that never falls "
                f"from a grade to the next, got {list(gain)}."
            )
        return table
    raise ArgumentError(
        f"Argument gain of {metric} must be 'exp', 'linear' or a table of numbers, got {gain!r}."
    )


def gain_of(gain: Gain, grade: int | float | Fraction) -> int | float | Fraction:
    """The worth of one grade; exact for whole grades and for fractions with a linear gain.

    >>> gain_of("exp", 3), gain_of("linear", Fraction(1, 2)), gain_of((0, 1, 5), 2), gain_of("exp", -2)
    (7, Fraction(1, 2), 5, 0)
    """
    if isinstance(gain, tuple):
        if grade != int(grade) or not 0 <= grade < len(gain):
            raise DataError(f"Grade {grade} has no entry in the gain table of {len(gain)} grades.")
        return gain[int(grade)]
    if grade <= 0:
        return 0
    if gain == "linear":
        return grade
    if grade == int(grade):
        return int(2 ** int(grade)) - 1
    return float(2.0 ** float(grade)) - 1.0


@lru_cache(maxsize=64)
def gain_table(gain: Gain) -> tuple[Float64s, int]:
    """For kernels: the worth of whole grades, and the formula for others (0 exp, 1 linear, 2 none)."""
    if isinstance(gain, tuple):
        return np.array(gain, dtype=np.float64), 2
    grades = np.arange(64.0)
    return (np.exp2(grades) - 1.0, 0) if gain == "exp" else (grades, 1)


def check_gain(metric: str, gain: Gain, labels: Float64s) -> None:
    """Raise `DataError` when a label has no finite gain."""
    if isinstance(gain, tuple):
        with np.errstate(invalid="ignore"):
            bad = (labels != np.floor(labels)) | (labels < 0) | (labels >= len(gain))
        bad &= ~np.isnan(labels)
        if bad.any():
            raise DataError(
                f"{metric}: label {labels[np.argmax(bad)]:g} has no entry in the gain table of "
                f"{len(gain)} grades (0..{len(gain) - 1}). Extend the table or use gain=exp or gain=linear."
            )
        return
    highest = float(np.nanmax(labels, initial=0.0))
    if gain == "exp" and highest > _HIGHEST_EXPONENT:
        raise DataError(
            f"{metric}: label {highest:g} is too large for gain=exp (2^y - 1 overflows). "
            "Use gain=linear or a gain table."
        )
    if gain == "linear" and highest > _HIGHEST_LINEAR:
        raise DataError(
            f"{metric}: label {highest:g} is too large: sums of gains overflow. Scale the labels."
        )
