"""Means under exact probabilities: exact for exact values, to machine precision for floats."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError

__all__ = ["exact_mean"]


def exact_mean(terms: Sequence[tuple[Any, Fraction]]) -> Any:
    """The sum of probability times value, component by component where values are sequences.

    >>> exact_mean([(1, Fraction(1, 3)), (4, Fraction(2, 3))])
    Fraction(3, 1)
    >>> exact_mean([((1, 0.5), Fraction(1, 2)), ((0, 0.25), Fraction(1, 2))])
    (Fraction(1, 2), 0.375)
    """
    values = [_plain(value) for value, _ in terms]
    if any(isinstance(value, tuple) for value in values):
        lengths = {len(value) if isinstance(value, tuple) else None for value in values}
        if len(lengths) > 1:
            raise ArgumentError(
                "A function under expectation must give values of one shape, got several shapes."
            )
        return tuple(
            exact_mean([(value[k], p) for value, (_, p) in zip(values, terms, strict=True)])
            for k in range(len(values[0]))
        )
    if all(isinstance(value, numbers.Rational) for value in values):
        # Over the common denominator, so that whole values are summed as ints.
        common = math.lcm(*(p.denominator for _, p in terms))
        total = sum(
            value * (p.numerator * (common // p.denominator))
            for value, (_, p) in zip(values, terms, strict=True)
        )
        return Fraction(total) / common
    for value in values:
        if not math.isfinite(value):
            raise ArgumentError(f"A function under expectation must give finite numbers, got {value!r}.")
    # The exact sum of the float products, rounded once: the order of the support does not matter.
    return math.fsum(float(p) * float(value) for value, (_, p) in zip(values, terms, strict=True))


def _plain(value: Any) -> Any:
    """An int, a Fraction, a float or a tuple of what was given."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float | Fraction):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(value)
    raise ArgumentError(
        f"A function under expectation must give a number or a sequence of numbers, got {value!r}."
    )
