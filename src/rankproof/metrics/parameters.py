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
from rankproof.metrics.discounted import as_discount, as_gain

__all__ = ["MEANINGS", "RULES", "choice", "plain", "written"]


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
    if value is None:
        return None
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

# What a parameter is, and what each of its words does: the reference says it where it names one.
MEANINGS: dict[str, tuple[str, dict[str, str]]] = {
    "beta": ("how many times as much as precision recall counts", {}),
    "cutoff": ("the last rank that counts; without it, all do", {}),
    "denominator": (
        "what the sum of precisions is divided by",
        {"relevant": "the number R of relevant items", "min": "min(R, cutoff)"},
    ),
    "discount": (
        "how much rank k counts",
        {
            "log2": "1 / log2(1 + k)",
            "letor": "1 for k = 1, then 1 / log2(k)",
            "ln": "1 / ln(1 + k)",
            "reciprocal": "1 / k",
            "a table": "the weights of rank 1, 2 and so on, 0 beyond its end",
        },
    ),
    "empty": (
        "what an empty query counts",
        {"skip": "it is left out of the mean", "0": "0", "1": "1", "error": "it is an error"},
    ),
    "gain": (
        "what a grade y is worth (below 0 nothing)",
        {"exp": "2^y - 1", "linear": "y", "a table": "the worth of grade 0, 1, 2 and so on"},
    ),
    "max_grade": ("the highest grade there can be, whether it occurs or not", {}),
    "normalize": (
        "whether the sum is divided by the weight of all pairs",
        {"false": "a sum", "true": "a share from 0 to 1"},
    ),
    "p": ("the probability that the reader goes on to the next item; without it 0.8, or the tool's", {}),
    "rel": ("the least grade that is relevant", {}),
    "ties": (
        "what a pair of tied scores counts",
        {
            "half": "half its weight, the mean over the rankings that sort the scores",
            "full": "all of its weight",
            "average": "the mean over the rankings that sort the scores",
            "b": "nothing, and it is taken out of the denominator as well: the classic tau-b",
        },
    ),
    "unjudged": (
        "what an item without a judgment is",
        {"zero": "of grade 0", "drop": "taken out of the list", "error": "an error"},
    ),
    "weight": (
        "what a pair in the wrong order weighs",
        {"one": "1", "difference": "y_i - y_j", "gain": "2^y_i - 2^y_j"},
    ),
}
