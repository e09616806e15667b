"""Jets: an interval together with the first and second derivatives with respect to the scores.

A `Jet` is what a loss formula gives when it is run on score variables instead of numbers: bounds of the
value, of every partial derivative and of every second derivative, all valid at once for every point of the
box that the variables stand for (forward differentiation with `rankproof.theory.arithmetic.intervals`
inside). A formula is plain Python arithmetic and the functions of `rankproof.theory.arithmetic.functions`;
those work on floats and Fractions too.

>>> a, b = variables([Enclosure.from_number(2), Enclosure.from_number(3)])
>>> f = a * a * b
>>> f.value, f.slope(0), f.slope(1), f.bend(0, 1)
(Enclosure(12), Enclosure(12), Enclosure(4), Enclosure(4))
>>> wide = variables([Enclosure.from_bounds(0, 1)])[0]
>>> (wide * wide).slope(0)  # 2 x for x from 0 to 1
Enclosure(0, 2)
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from numbers import Rational
from typing import Any

from rankproof.theory.arithmetic.intervals import ONE, ZERO, Enclosure, UnprovenError, as_enclosure

__all__ = ["Jet", "compose", "variables"]

Gradient = dict[int, Enclosure]
Hessian = dict[tuple[int, int], Enclosure]


class Jet:
    """Value, gradient and Hessian; derivatives that are 0 are left out.

    The Hessian holds pairs (i, j) with i <= j. It is None after a kink that the box may touch: then there
    are one-sided derivatives, whose hull the gradient holds, but no second derivative.
    """

    __slots__ = ("gradient", "hessian", "value")

    def __init__(self, value: Enclosure, gradient: Gradient, hessian: Hessian | None) -> None:
        self.value = value
        self.gradient = gradient
        self.hessian = hessian

    def slope(self, i: int) -> Enclosure:
        """The derivative with respect to score i."""
        return self.gradient.get(i, ZERO)

    def bend(self, i: int, j: int) -> Enclosure:
        """The second derivative with respect to scores i and j."""
        if self.hessian is None:
            raise UnprovenError("There is no second derivative: the scores may be at a kink.")
        return self.hessian.get((min(i, j), max(i, j)), ZERO)

    def __neg__(self) -> Jet:
        return self._scaled(-1)

    def __pos__(self) -> Jet:
        return self

    def __add__(self, other: Any) -> Jet:
        if type(other) is not Jet:
            constant = as_enclosure(other)
            if constant is None:
                return NotImplemented
            return Jet(self.value + constant, self.gradient, self.hessian)
        hessian = None
        if self.hessian is not None and other.hessian is not None:
            hessian = _added(self.hessian, other.hessian)
        return Jet(self.value + other.value, _added(self.gradient, other.gradient), hessian)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Jet:
        if type(other) is Jet:
            return self + other._scaled(-1)
        constant = as_enclosure(other)
        return NotImplemented if constant is None else self + (-constant)

    def __rsub__(self, other: Any) -> Jet:
        return self._scaled(-1).__add__(other)

    def _scaled(self, factor: Any) -> Jet:
        """The product with a number or an interval."""
        hessian = None
        if self.hessian is not None:
            hessian = {key: bend * factor for key, bend in self.hessian.items()}
        gradient = {i: slope * factor for i, slope in self.gradient.items()}
        return Jet(self.value * factor, gradient, hessian)

    def __mul__(self, other: Any) -> Jet:
        if type(other) is not Jet:
            if not isinstance(other, Rational) and as_enclosure(other) is None:
                return NotImplemented
            return self._scaled(other)
        if other is self:
            return self.square()
        x, y = self.value, other.value
        gradient = _added(_times(self.gradient, y), _times(other.gradient, x))
        if self.hessian is None or other.hessian is None:
            return Jet(x * y, gradient, None)
        hessian = _added(_times(self.hessian, y), _times(other.hessian, x))
        for i, a in self.gradient.items():
            for j, b in other.gradient.items():
                # The pair (i, j) of one and (j, i) of the other make up the two mixed terms.
                term = a * b * 2 if i == j else a * b
                key = (i, j) if i <= j else (j, i)
                hessian[key] = hessian[key] + term if key in hessian else term
        return Jet(x * y, gradient, hessian)

    __rmul__ = __mul__

    def square(self) -> Jet:
        """The square, never below 0."""
        return compose(self, self.value.square(), self.value * 2, ONE * 2)

    def __truediv__(self, other: Any) -> Jet:
        if type(other) is Jet:
            return self * other._inverse()
        if isinstance(other, Rational):
            if not other:
                raise UnprovenError("A jet cannot be divided by 0.")
            return self._scaled(1 / Fraction(other))
        constant = as_enclosure(other)
        return NotImplemented if constant is None else self._scaled(ONE / constant)

    def __rtruediv__(self, other: Any) -> Jet:
        return self._inverse().__mul__(other)

    def _inverse(self) -> Jet:
        inverse = ONE / self.value
        square = inverse.square()
        return compose(self, inverse, -square, square * inverse * 2)

    def __pow__(self, exponent: Any) -> Jet:
        """A whole power, or any power (an exact number, a float or an interval) of a jet above 0."""
        if isinstance(exponent, float) and exponent.is_integer():
            exponent = int(exponent)
        if isinstance(exponent, Rational) and exponent in (0, 1):
            return self if exponent == 1 else Jet(ONE, {}, {})
        x = self.value
        first, second = x ** (exponent - 1), x ** (exponent - 2)
        return compose(self, x**exponent, first * exponent, second * (exponent * (exponent - 1)))

    def __abs__(self) -> Jet:
        if self.value.low > 0:
            return self
        if self.value.high < 0:
            return -self
        return compose(self, abs(self.value), Enclosure(-ONE.high, ONE.high), None)

    # The names numpy calls on arrays of objects, so that a user's np.exp(scores) works too.

    def exp(self) -> Jet:
        """The exponential."""
        e = self.value.exp()
        return compose(self, e, e, e)

    def log(self) -> Jet:
        """The natural logarithm, of a jet above 0."""
        inverse = ONE / self.value
        return compose(self, self.value.log(), inverse, -inverse.square())

    def log1p(self) -> Jet:
        """log(1 + x)."""
        return (1 + self).log()

    def cosh(self) -> Jet:
        """The hyperbolic cosine."""
        return (self.exp() + (-self).exp()) / 2

    def sqrt(self) -> Jet:
        """The square root, of a jet above 0."""
        root = self.value.sqrt()
        half = ONE / (root * 2)
        return compose(self, root, half, -half / (self.value * 2))

    # Comparisons are of values, and refused where the box leaves them open.

    def __lt__(self, other: Any) -> bool:
        return False if other is self else self.value < _value(other)

    def __gt__(self, other: Any) -> bool:
        return False if other is self else self.value > _value(other)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        return True if other is self else self.value == _value(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Jet({self.value!r}, {self.gradient!r}, {self.hessian!r})"


def variables(box: Iterable[Enclosure]) -> tuple[Jet, ...]:
    """The scores, each free within its interval."""
    return tuple(Jet(Enclosure(side.low, side.high), {i: ONE}, {}) for i, side in enumerate(box))


def compose(x: Jet, value: Enclosure, first: Enclosure, second: Enclosure | None) -> Jet:
    """f(x) by the chain rule, from bounds of f, f' and f'' over the values of x.

    ``second`` is None when f' jumps within them; ``first`` is then the hull of the one-sided derivatives.
    """
    gradient = {i: slope * first for i, slope in x.gradient.items()}
    if x.hessian is None or second is None:
        return Jet(value, gradient, None if x.gradient else {})
    hessian = {key: bend * first for key, bend in x.hessian.items()}
    slopes = list(x.gradient.items())
    for k, (i, a) in enumerate(slopes):
        key = (i, i)
        term = a.square() * second
        hessian[key] = hessian[key] + term if key in hessian else term
        for j, b in slopes[k + 1 :]:
            key = (i, j) if i <= j else (j, i)
            term = a * b * second
            hessian[key] = hessian[key] + term if key in hessian else term
    return Jet(value, gradient, hessian)


def _value(other: Any) -> Any:
    return other.value if type(other) is Jet else other


def _added(one: dict[Any, Enclosure], other: dict[Any, Enclosure]) -> dict[Any, Enclosure]:
    total = dict(one)
    for key, x in other.items():
        total[key] = total[key] + x if key in total else x
    return total


def _times(derivatives: dict[Any, Enclosure], factor: Enclosure) -> dict[Any, Enclosure]:
    return {key: x * factor for key, x in derivatives.items()}
