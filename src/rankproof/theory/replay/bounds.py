"""Bounds on what a file may hold, looked at before anything is computed with it.

A number such as ``"1e-300000000"`` takes a few bytes to write and hours to read, so numbers are looked at as
texts first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from rankproof.errors import DataError

__all__ = ["check_bounds"]

# Fractions of floats have 700 digits at most, with their sign and stroke.
MOST_DIGITS, MOST_EXPONENT = 1_500, 400
# A matrix of verdicts has some hundred thousand.
MOST_VALUES, MOST_DEPTH = 5_000_000, 40
_NUMBER_START = re.compile(r"\s*[-+]?\.?\d")
_NUMBER = re.compile(r"\s*[-+]?[\d_./ ]*(?:[eE]([-+]?[\d_]*))?\s*")


def check_bounds(plain: Any) -> None:
    """Refuses numbers that are not finite or too long, and data that is too much or too deep.

    >>> check_bounds({"cost": "1e-300000000"})
    Traceback (most recent call last):
        ...
    rankproof.errors.DataError: The stored number '1e-300000000' is too large, too small or too long.
    """
    waiting, seen = [(plain, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if depth > MOST_DEPTH or seen > MOST_VALUES:
            raise DataError("The stored data is nested too deeply, or there is too much of it.")
        if isinstance(value, Mapping):
            waiting += [(one, depth + 1) for pair in value.items() for one in pair]
        elif isinstance(value, list | tuple):
            waiting += [(one, depth + 1) for one in value]
        elif not _bounded(value):
            shown = "of many digits" if isinstance(value, int) else f"{value!r:.40}"
            raise DataError(f"The stored number {shown} is too large, too small or too long.")


def _bounded(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return value.bit_length() < 4 * MOST_DIGITS
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, str):
        return True
    if len(value) > MOST_DIGITS:
        return _NUMBER_START.match(value) is None
    number = _NUMBER.fullmatch(value)
    exponent = "" if number is None else (number[1] or "").replace("_", "").lstrip("+-")
    return not exponent or (len(exponent) < 5 and int(exponent) <= MOST_EXPONENT)
