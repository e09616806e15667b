"""An interval with intervals of its derivatives: bounds that are much narrower on small boxes.

If a function of gaps has the derivatives D_k over a box, then over the box it stays within its value in the
middle plus the sum of D_k times how far gap k can be from its middle (the mean value theorem).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rankproof.theory.arithmetic.intervals import ONE, ZERO, Enclosure, UnprovenError
from rankproof.theory.shipped.logistic import LEAST_SUM

__all__ = ["Slope", "constant"]


@dataclass(frozen=True)
class Slope:
    """A value and one derivative per gap, over a box."""

    value: Enclosure
    by: tuple[Enclosure, ...]

    def __add__(self, other: Slope) -> Slope:
        by = tuple(a + b for a, b in zip(self.by, other.by, strict=True))
        return Slope(self.value + other.value, by)

    def __mul__(self, other: Slope) -> Slope:
        by = tuple(a * other.value + b * self.value for a, b in zip(self.by, other.by, strict=True))
        return Slope(self.value * other.value, by)

    def __truediv__(self, other: Slope) -> Slope:
        value = self.value / other.value
        by = tuple((a - b * value) / other.value for a, b in zip(self.by, other.by, strict=True))
        return Slope(value, by)

    def log1p(self) -> Slope:
        """log(1 + x), of what is above -1/2."""
        if self.value.lower <= LEAST_SUM:
            raise UnprovenError("The sum of the forces may be far below 0.")
        inner = self.value + 1
        return Slope(inner.log(), tuple(a / inner for a in self.by))

    def meet(self, other: Slope) -> Slope:
        """What both enclose, two bounds of one function."""
        by = tuple(_meet(a, b) for a, b in zip(self.by, other.by, strict=True))
        return Slope(_meet(self.value, other.value), by)

    def times(self, number: Enclosure | Fraction | int) -> Slope:
        """The product with a number, or with an interval that does not depend on the gaps."""
        return Slope(self.value * number, tuple(a * number for a in self.by))

    def plus(self, width: Enclosure) -> Slope:
        """The sum with an interval that does not depend on the gaps."""
        return Slope(self.value + width, self.by)


def constant(number: int, gaps: int) -> Slope:
    """A number as a function of the gaps: 0 or 1."""
    return Slope(ONE if number else ZERO, (ZERO,) * gaps)


def _meet(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure(max(a.low, b.low), min(a.high, b.high))
