"""The rule of loss parameters that are numbers; equal losses print and hash alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.metrics.parameters import plain

__all__ = ["number"]


def number(loss: str, name: str, value: Any, rule: str, holds: Callable[[float], bool]) -> Any:
    """A finite number that fulfils the rule; whole floats become ints.

    >>> number("approx-ndcg", "temperature", -1, "above 0", lambda t: t > 0)
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument temperature of approx-ndcg must be a number above 0, got -1.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not holds(float(value)):
        raise ArgumentError(f"Argument {name} of {loss} must be a number {rule}, got {value!r}.")
    return plain(float(value))
