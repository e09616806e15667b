"""Numbers of stored evidence beside the same ones computed again."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

__all__ = ["same_number"]

SAME = 1e-9


def same_number(stored: Any, value: Fraction) -> bool:
    """Fractions must be equal; floats stand for numbers with many digits.

    >>> third = Fraction(1, 3)
    >>> same_number("1/3", third), same_number("0.333333333333", third), same_number(1 / 3, third)
    (True, False, True)
    """
    if isinstance(stored, str):
        return Fraction(stored) == value
    return abs(float(stored) - float(value)) <= SAME * max(1.0, abs(float(value)))
