"""Metrics in exact arithmetic: logarithms and roots enter as fractions of a stated number of digits.

A discount such as 1/log2(3) is irrational. Here it is a fraction that agrees with it to ``digits`` digits,
so everything computed from it is exact *for that fraction*. What is concluded must not depend on the last
digits: callers compute with two precisions (`PRECISIONS`) and refuse an answer on which the two differ.

>>> from rankproof.metrics.parse import metric
>>> in_fractions(metric("DCG@2"), 3, 5).of_labels([0, 1, 1])  # 0.63092, five digits of 1/log2(3)
Fraction(15773, 25000)
>>> in_fractions(metric("AP"), 3, 30)
AP
"""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from math import isqrt, sqrt, ulp
from typing import Any, TypeVar

from rankproof.errors import ArgumentError, PrecisionError
from rankproof.metrics.base import Metric
from rankproof.metrics.discounted import Discount
from rankproof.targets.base import Target

__all__ = ["PRECISIONS", "discount_fractions", "has_logarithms", "in_fractions", "root_fraction"]

# Digits at which irrational numbers are cut off, once down and once at another place.
PRECISIONS = (30, 37)
_LOGARITHMIC = ("log2", "letor", "ln")
# Squares of values of our metrics on few items have small denominators.
_MOST_DENOMINATOR = 100_000
# By how many units in the last place a float may be off that was computed as a root.
_FEW_ROUNDINGS = 16
D = TypeVar("D", Metric, Target)


def has_logarithms(thing: Metric | Target) -> bool:
    """Whether the values depend on logarithms."""
    inner = getattr(thing, "metric", None)
    return getattr(thing, "discount", None) in _LOGARITHMIC or (
        isinstance(inner, Metric) and has_logarithms(inner)
    )


def in_fractions(thing: D, items: int, digits: int) -> D:
    """The metric (or target) with its discounts as a table of fractions; itself when it has no logarithms."""
    changes: dict[str, Any] = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.name == "discount" and not isinstance(value, tuple):
            changes["discount"] = discount_fractions(value, items, digits)
        elif field.name == "discount":
            changes["discount"] = tuple(Fraction(weight) for weight in value)
        elif field.name == "gain" and isinstance(value, tuple):
            changes["gain"] = tuple(Fraction(worth) for worth in value)
        elif isinstance(value, Metric):
            changes[field.name] = in_fractions(value, items, digits)
    return replace(thing, **changes) if changes else thing


@cache
def discount_fractions(discount: Discount, ranks: int, digits: int) -> tuple[Fraction, ...]:
    """The weights of ranks 1..ranks, each cut off after ``digits`` digits.

    >>> discount_fractions("log2", 3, 4)
    (Fraction(1, 1), Fraction(6309, 10000), Fraction(1, 2))
    """
    if isinstance(discount, tuple):
        return tuple(Fraction(weight) for weight in discount[:ranks])
    if discount == "reciprocal":
        return tuple(Fraction(1, k) for k in range(1, ranks + 1))
    if discount not in _LOGARITHMIC:
        raise ArgumentError(f"Discount {discount!r} has no table of fractions.")
    return tuple(_log_weight(discount, k, digits) for k in range(1, ranks + 1))


def _log_weight(discount: Discount, rank: int, digits: int) -> Fraction:
    import mpmath

    arguments = {"log2": rank + 1, "ln": rank + 1, "letor": max(2, rank)}
    argument = arguments[str(discount)]
    power = argument.bit_length() - 1
    if discount != "ln" and argument == 2**power:
        return Fraction(1, power)
    with mpmath.workdps(digits + 15):
        base = 1 if discount == "ln" else mpmath.log(2)
        scaled = mpmath.floor(mpmath.mpf(10) ** digits * base / mpmath.log(argument))
        return Fraction(int(scaled), 10**digits)


def root_fraction(value: float, digits: int) -> Fraction:
    """The root of a fraction, given as a float, to ``digits`` digits: for values such as 2 / sqrt(6).

    >>> root_fraction(0.5, 5), root_fraction(-(2 / 3) ** 0.5, 5)
    (Fraction(1, 2), Fraction(-81649, 100000))
    """
    square = Fraction(value * value).limit_denominator(_MOST_DENOMINATOR)
    if abs(sqrt(square) - abs(value)) > _FEW_ROUNDINGS * ulp(value):
        raise PrecisionError(
            f"The value {value!r} is a float that is not the root of a simple fraction, so nothing exact can "
            "be said of it. Use whole-number parameters and grades."
        )
    scale = 10 ** (2 * digits)
    root = Fraction(isqrt(square.numerator * scale // square.denominator), 10**digits)
    return root if value >= 0 else -root
