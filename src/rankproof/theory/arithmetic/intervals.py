"""Interval arithmetic: a number that is known to lie between two bounds, whatever is computed from it.

An `Enclosure` holds two whole numbers, its bounds times 2^BITS (`rankproof.theory.arithmetic.elementary`).
Every operation rounds outwards, so the result contains the true value for all values of its operands. Ints,
Fractions and floats enter as the numbers they are: 1/3 as the narrowest interval around it, 0.1 as the binary
fraction that the float stands for. There is no global precision that anybody could change.

>>> third = Enclosure.from_number(Fraction(1, 3))
>>> third < 1, 1 in 3 * third, Fraction(1, 3) in third.exp().log(), Enclosure.from_bounds(-1, 2).square()
(True, True, True, Enclosure(0, 4))
>>> 3 * third == 1
Traceback (most recent call last):
    ...
rankproof...UnprovenError: Whether Enclosure(1.0, 1.0) = 1 cannot be decided with these bounds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational
from typing import Any

from rankproof.theory.arithmetic.elementary import (
    BITS,
    UnprovenError,
    exp_bounds,
    log_bounds,
    root_bounds,
    up,
)

__all__ = ["ONE", "ZERO", "Enclosure", "UnprovenError", "as_enclosure"]

_UNIT = 1 << BITS


class Enclosure:
    """All numbers from ``low / 2^BITS`` to ``high / 2^BITS``; see the module docstring."""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    @classmethod
    def from_number(cls, x: Any) -> Enclosure:
        """The narrowest interval around an int, a Fraction or a finite float."""
        enclosure = as_enclosure(x)
        if enclosure is None:
            raise UnprovenError(f"An interval is made from a finite number, got {x!r}.")
        return enclosure

    @classmethod
    def from_bounds(cls, low: Any, high: Any) -> Enclosure:
        """The interval from one number to another."""
        a, b = cls.from_number(low), cls.from_number(high)
        if a.low > b.high:
            raise UnprovenError(f"An interval needs its lower bound first, got {low!r} and {high!r}.")
        return cls(a.low, b.high)

    @property
    def lower(self) -> Fraction:
        """The lower bound."""
        return Fraction(self.low, _UNIT)

    @property
    def upper(self) -> Fraction:
        """The upper bound."""
        return Fraction(self.high, _UNIT)

    @property
    def middle(self) -> Fraction:
        """The number in the middle."""
        return Fraction(self.low + self.high, 2 * _UNIT)

    @property
    def magnitude(self) -> Fraction:
        """The largest absolute value in it."""
        return Fraction(max(-self.low, self.high), _UNIT)

    def __contains__(self, x: Any) -> bool:
        return self.lower <= (x if isinstance(x, Rational) else Fraction(x)) <= self.upper

    # Arithmetic -----------------------------------------------------------------------------------

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low)

    def __pos__(self) -> Enclosure:
        return self

    def __add__(self, other: Any) -> Enclosure:
        o = other if type(other) is Enclosure else as_enclosure(other)
        return NotImplemented if o is None else Enclosure(self.low + o.low, self.high + o.high)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Enclosure:
        o = other if type(other) is Enclosure else as_enclosure(other)
        return NotImplemented if o is None else Enclosure(self.low - o.high, self.high - o.low)

    def __rsub__(self, other: Any) -> Enclosure:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Enclosure:
        if type(other) is not Enclosure:
            return self._times(other)  # type: ignore[no-any-return]
        a, b, c, d = self.low, self.high, other.low, other.high
        if a >= 0:
            low, high = (a if c >= 0 else b) * c, (b if d >= 0 else a) * d
        elif b <= 0:
            low, high = (a if d >= 0 else b) * d, (b if c >= 0 else a) * c
        elif c >= 0:
            low, high = a * d, b * d
        elif d <= 0:
            low, high = b * c, a * c
        else:
            low, high = min(a * d, b * c), max(a * c, b * d)
        return Enclosure(low >> BITS, -((-high) >> BITS))

    def __rmul__(self, other: Any) -> Enclosure:
        return self._times(other)  # type: ignore[no-any-return]

    def _times(self, other: Any) -> Any:
        """The product with an exact number, rounded once."""
        if isinstance(other, float) and math.isfinite(other):
            other = Fraction(other)
        if not isinstance(other, Rational):
            return NotImplemented
        p, q = int(other.numerator), int(other.denominator)
        low, high = (self.low, self.high) if p >= 0 else (self.high, self.low)
        return Enclosure(low * p // q, -(-high * p // q))

    def __truediv__(self, other: Any) -> Enclosure:
        o = other if type(other) is Enclosure else as_enclosure(other)
        if o is None:
            return NotImplemented
        if isinstance(other, Rational):
            return self * (1 / Fraction(other)) if other else _no_quotient(self, o)
        if o.low <= 0 <= o.high:
            return _no_quotient(self, o)
        a, b = (self.low, self.high) if o.low > 0 else (-self.high, -self.low)
        c, d = (o.low, o.high) if o.low > 0 else (-o.high, -o.low)
        low = (a << BITS) // (d if a >= 0 else c)
        return Enclosure(low, -((-b << BITS) // (c if b >= 0 else d)))

    def __rtruediv__(self, other: Any) -> Enclosure:
        o = as_enclosure(other)
        return NotImplemented if o is None else o / self

    def __abs__(self) -> Enclosure:
        if self.low >= 0:
            return self
        return -self if self.high <= 0 else Enclosure(0, max(-self.low, self.high))

    def square(self) -> Enclosure:
        """The square: never below 0, which a product of two intervals could be."""
        size = abs(self)
        return Enclosure(size.low * size.low >> BITS, up(size.high * size.high, BITS))

    def __pow__(self, exponent: Any) -> Enclosure:
        """A whole power of any interval, or another power of one above 0 (at 0 only a power above 0)."""
        if isinstance(exponent, float) and exponent.is_integer():
            exponent = int(exponent)
        if isinstance(exponent, Rational) and exponent.denominator == 1:
            return _whole_power(self, int(exponent.numerator))
        if self.low > 0:
            power: Enclosure = self.log() * exponent
            return power.exp()
        rising = as_enclosure(exponent)
        if self.low < 0 or rising is None or rising.low <= 0:
            raise UnprovenError(f"The power {exponent} of {self} is not defined for all numbers in it.")
        top = ZERO if self.high == 0 else (Enclosure(self.high, self.high).log() * rising).exp()
        return Enclosure(0, top.high)

    def exp(self) -> Enclosure:
        """The exponential."""
        return Enclosure(exp_bounds(self.low)[0], exp_bounds(self.high)[1])

    def log(self) -> Enclosure:
        """The natural logarithm, of an interval above 0."""
        return Enclosure(log_bounds(self.low)[0], log_bounds(self.high)[1])

    def sqrt(self) -> Enclosure:
        """The square root, of an interval that is not below 0 anywhere."""
        return Enclosure(root_bounds(self.low)[0], root_bounds(self.high)[1])

    # Comparisons that hold for all numbers inside, or are refused ---------------------------------

    def _decide(self, other: Any, word: str, yes: bool, no: bool) -> bool:
        if yes or no:
            return yes
        raise UnprovenError(f"Whether {self} {word} {other} cannot be decided with these bounds.")

    def __lt__(self, other: Any) -> bool:
        o = other if type(other) is Enclosure else Enclosure.from_number(other)
        return self._decide(other, "<", self.high < o.low, self.low >= o.high or self is o)

    def __gt__(self, other: Any) -> bool:
        o = other if type(other) is Enclosure else Enclosure.from_number(other)
        return self._decide(other, ">", self.low > o.high, self.high <= o.low or self is o)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        o = other if type(other) is Enclosure else as_enclosure(other)
        if o is None:
            return NotImplemented
        same = self is o or self.low == self.high == o.low == o.high
        return self._decide(other, "=", same, self.high < o.low or o.high < self.low)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        low, high = self.lower, self.upper
        if low == high and low.denominator < 10**6:
            return f"Enclosure({low})"
        if max(low.denominator, high.denominator) < 10**6:
            return f"Enclosure({low}, {high})"
        return f"Enclosure({float(low)!r}, {float(high)!r})"


def as_enclosure(x: Any) -> Enclosure | None:
    """An interval around an exact number or a finite float; None for anything else."""
    if type(x) is Enclosure:
        return x
    if isinstance(x, float):
        if not math.isfinite(x):
            return None
        x = Fraction(x)
    if not isinstance(x, Rational):
        return None
    p, q = int(x.numerator) << BITS, int(x.denominator)
    return Enclosure(p // q, -(-p // q))


def _no_quotient(over: Enclosure, under: Enclosure) -> Enclosure:
    raise UnprovenError(f"{over} cannot be divided by {under}, which may be 0.")


def _whole_power(x: Enclosure, exponent: int) -> Enclosure:
    if exponent < 0:
        return ONE / _whole_power(x, -exponent)
    if exponent % 2:
        return x * _whole_power(x, exponent - 1) if exponent > 1 else x
    return _whole_power(x, exponent // 2).square() if exponent else ONE


ZERO = Enclosure(0, 0)
ONE = Enclosure(_UNIT, _UNIT)
