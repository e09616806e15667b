"""Mathematical functions for loss formulas: on floats, exact numbers, intervals and jets alike.

A float gives a float. An int or a Fraction gives an interval that contains the true value, or an exact number
where that is rational. A jet gives a jet, with bounds of the derivatives.

>>> from fractions import Fraction
>>> exp(0.0), exp(Fraction(0)), positive_part(Fraction(-1, 2)), squared_positive_part(Fraction(3, 2))
(1.0, Enclosure(1), Fraction(0, 1), Fraction(9, 4))
>>> x = variables([Enclosure.from_bounds(-1, 1)])[0]
>>> positive_part(x).slope(0), squared_positive_part(x).bend(0, 0)  # hulls over the kink at 0
(Enclosure(0, 1), Enclosure(0, 2))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rankproof.theory.arithmetic.intervals import ONE, ZERO, Enclosure, UnprovenError
from rankproof.theory.arithmetic.jets import Jet, compose, variables

__all__ = [
    "absolute_power",
    "as_number_like",
    "cosh",
    "exp",
    "log",
    "log1p",
    "log_sum_exp",
    "positive_part",
    "power",
    "sigmoid",
    "softplus",
    "sqrt",
    "squared_positive_part",
    "variables",
]


def as_number_like(scores: Sequence[Any], x: Any) -> Any:
    """x as a float beside scores that are floats, else as it is: exact or enclosed."""
    return _float(x) if scores and isinstance(scores[0], float) else x


def _enclosed(x: Any) -> Any:
    """Jets and intervals as they are, exact numbers as intervals."""
    return x if isinstance(x, Jet) else Enclosure.from_number(x)


def exp(x: Any) -> Any:
    """The exponential."""
    return math.exp(x) if isinstance(x, float) else _enclosed(x).exp()


def log(x: Any) -> Any:
    """The natural logarithm."""
    return math.log(x) if isinstance(x, float) else _enclosed(x).log()


def log1p(x: Any) -> Any:
    """log(1 + x)."""
    return math.log1p(x) if isinstance(x, float) else _enclosed(1 + x).log()


def sqrt(x: Any) -> Any:
    """The square root."""
    return math.sqrt(x) if isinstance(x, float) else _enclosed(x).sqrt()


def cosh(x: Any) -> Any:
    """The hyperbolic cosine."""
    if isinstance(x, float):
        return math.cosh(x)
    inside = _enclosed(x)
    return (inside.exp() + (-inside).exp()) / 2


def power(x: Any, exponent: Any) -> Any:
    """x to a power, for x above 0."""
    if isinstance(x, float):
        return x ** (exponent if isinstance(exponent, int | float) else _float(exponent))
    return _enclosed(x) ** exponent


def softplus(x: Any) -> Any:
    """log(1 + e^x), without overflow."""
    if isinstance(x, float):
        return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
    if not isinstance(x, Jet):
        return _rising(_softplus_at, Enclosure.from_number(x))
    rate = sigmoid(x.value)
    return compose(x, _rising(_softplus_at, x.value), rate, rate * (1 - rate))


def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    if isinstance(x, float):
        return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))
    if not isinstance(x, Jet):
        return _rising(_sigmoid_at, Enclosure.from_number(x))
    rate = _rising(_sigmoid_at, x.value)
    first = rate * (1 - rate)
    return compose(x, rate, first, first * (1 - 2 * rate))


def _rising(function: Callable[[Enclosure], Enclosure], x: Enclosure) -> Enclosure:
    """A function that rises, over an interval: from its value at one end to that at the other."""
    if x.low == x.high:
        return function(x)
    return Enclosure(function(Enclosure(x.low, x.low)).low, function(Enclosure(x.high, x.high)).high)


def _softplus_at(x: Enclosure) -> Enclosure:
    if x.low > 0:
        return x + (1 + (-x).exp()).log()
    return (1 + x.exp()).log()


def _sigmoid_at(x: Enclosure) -> Enclosure:
    if x.low > 0:
        return ONE / (1 + (-x).exp())
    e = x.exp()
    return e / (1 + e)


def positive_part(x: Any) -> Any:
    """max(0, x). At the kink the derivative is the hull of both sides."""
    if not isinstance(x, Enclosure | Jet):
        return max(x, x * 0)
    if isinstance(x, Enclosure):
        return Enclosure(max(x.low, 0), max(x.high, 0))
    value = positive_part(x.value)
    if x.value.low > 0:
        return x
    if x.value.high < 0:
        return Jet(ZERO, {}, {})
    return compose(x, value, Enclosure(0, ONE.high), None)


def squared_positive_part(x: Any) -> Any:
    """max(0, x)^2, which has a derivative everywhere; its second derivative jumps from 0 to 2 at 0."""
    if isinstance(x, Enclosure):
        return positive_part(x).square()
    if not isinstance(x, Jet):
        return max(x, x * 0) ** 2
    part = positive_part(x.value)
    second = Enclosure(0 if x.value.low <= 0 else 2 * ONE.low, 0 if x.value.high < 0 else 2 * ONE.high)
    return compose(x, part.square(), part * 2, second)


def absolute_power(x: Any, exponent: Any) -> Any:
    """|x|^q for q of at least 2 (an exact number or an interval), twice differentiable at 0 too."""
    if isinstance(x, float):
        return abs(x) ** _float(exponent)
    if not isinstance(exponent, Enclosure) and exponent == 2:
        return _enclosed(x) ** 2
    if exponent < 2:
        raise UnprovenError(f"|x|^q is taken for q of at least 2, got {exponent}.")
    if not isinstance(x, Jet):
        return abs(Enclosure.from_number(x)) ** exponent
    size = abs(x.value)
    first = size ** (exponent - 1) * exponent
    if x.value.low < 0:
        first = -first if x.value.high <= 0 else Enclosure(-first.high, first.high)
    return compose(x, size**exponent, first, size ** (exponent - 2) * (exponent * (exponent - 1)))


def log_sum_exp(x: Sequence[Any]) -> Any:
    """log of the sum of e^x_i."""
    top = _about_largest(x)
    return top + log(sum((exp(one - top) for one in x[1:]), exp(x[0] - top)))


def _about_largest(x: Sequence[Any]) -> Any:
    """A number near the largest, which keeps exponentials from growing or vanishing."""
    if all(isinstance(one, float) for one in x):
        return max(x)
    middles = [_enclosed(one.value if isinstance(one, Jet) else one).middle for one in x]
    return round(max(middles))


def _float(x: Any) -> float:
    return float(x.middle if isinstance(x, Enclosure) else x)
