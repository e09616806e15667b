"""The rules of metric parameters, by the one name each parameter has in all metrics.

A concrete metric only lists its fields; `Metric` looks each field's rule up here. A value is normalised
(2.0 becomes 2, a list becomes a tuple), so that equal metrics print and hash alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Real
from typing import Any

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError
from rankproof.metrics.discounts import as_discount
from rankproof.metrics.gains import as_gain

__all__ = ["RULES", "choice", "plain", "written"]


def plain(value: Any) -> Any:
    """Whole floats as ints, so that ``rel=2.0`` is ``rel=2``."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def written(value: Any) -> str:
    """A parameter's value in a metric string; `rankproof.metrics.parse` reads it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ",".join(written(v) for v in value) + "]"
    return str(value) if isinstance(value, (str, Fraction)) else repr(plain(value))


def choice(metric: str, name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """One of the listed values."""
    for option in allowed:
        if type(option) is type(plain(value)) and option == value:
            return option
    raise ArgumentError(
        f"Argument {name} of {metric} must be one of {', '.join(map(written, allowed))}, got {value!r}."
    )


def _cutoff(metric: str, value: Any) -> int | None:
    if value is None:
        return None
    return as_whole_number(f"cutoff of {metric}", value, 1)


def _empty(metric: str, value: Any) -> Any:
    return choice(metric, "empty", value, ("skip", 0, 1, "error"))


def _unjudged(metric: str, value: Any) -> Any:
    return choice(metric, "unjudged", value, ("zero", "drop", "error"))


def _finite(metric: str, name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (Real, Fraction)) or not math.isfinite(value):
        raise ArgumentError(f"Argument {name} of {metric} must be a finite number, got {value!r}.")
    return plain(float(value))


def _rel(metric: str, value: Any) -> Any:
    return _finite(metric, "rel", value)


def _max_grade(metric: str, value: Any) -> Any:
    number = _finite(metric, "max_grade", value)
    if not 0 < number <= 1000:
        raise ArgumentError(
            f"Argument max_grade of {metric} must lie above 0 and at most at 1000, got {value!r}."
        )
    return number


def _persistence(metric: str, value: Any) -> Any:
    number = _finite(metric, "p", value)
    if not 0 < number < 1:
        raise ArgumentError(f"Argument p of {metric} must fulfil 0 < p < 1, got {value!r}.")
    return number


def _beta(metric: str, value: Any) -> Any:
    number = _finite(metric, "beta", value)
    if number <= 0:
        raise ArgumentError(f"Argument beta of {metric} must be above 0, got {value!r}.")
    return number


RULES: dict[str, Callable[[str, Any], Any]] = {
    "beta": _beta,
    "cutoff": _cutoff,
    "discount": as_discount,
    "empty": _empty,
    "gain": as_gain,
    "max_grade": _max_grade,
    "p": _persistence,
    "rel": _rel,
    "unjudged": _unjudged,
}
