"""Margins in exact arithmetic: a line, a parabola and zero in fractions, or a formula for any number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.losses.margins import Margin
from rankproof.theory.arithmetic.functions import exp, positive_part, softplus, squared_positive_part
from rankproof.theory.arithmetic.intervals import UnprovenError

__all__ = ["Pieces", "exact_pieces", "margin_function"]


@dataclass(frozen=True)
class Pieces:
    """A margin of a line, a parabola and zero, in exact numbers.

    phi(t) = bend (max(0, flat - t)^2 - max(0, line - t)^2) + kink max(0, line - t) with line <= flat, bend >=
    0 and kink >= 0, so it is convex. ``line`` is None where there is no line: for the squared hinge.
    """

    line: Fraction | None
    flat: Fraction
    bend: Fraction
    kink: Fraction

    def __call__(self, t: Any) -> Any:
        terms = []
        if self.bend:
            terms.append(squared_positive_part(self.flat - t) * self.bend)
            if self.line is not None:
                terms.append(squared_positive_part(self.line - t) * -self.bend)
        if self.kink and self.line is not None:
            terms.append(positive_part(self.line - t) * self.kink)
        return sum(terms[1:], terms[0]) if terms else t * 0

    def slopes(self, t: Fraction) -> tuple[Fraction, Fraction]:
        """The least and the largest slope at t: the same but at a kink."""
        slope = -2 * self.bend * max(self.flat - t, Fraction(0))
        if self.line is None or t > self.line:
            return slope, slope
        slope += 2 * self.bend * (self.line - t)
        return slope - self.kink, slope - (self.kink if t < self.line else 0)


def exact_pieces(margin: str | Margin, width: float) -> Pieces | None:
    """The pieces of a margin that is made of them, else None."""
    one, h = Fraction(1), Fraction(width)
    if margin == "hinge":
        return Pieces(one, one, Fraction(0), one)
    if margin == "squared-hinge":
        return Pieces(None, one, one, Fraction(0))
    if margin == "huber":
        # (x + h)^2 / 4h within h of 1, and less (x - h)^2 / 4h above: 4hx / 4h = x.
        return Pieces(1 - h, 1 + h, 1 / (4 * h), Fraction(0))
    if not isinstance(margin, Margin) or margin.pieces is None:
        return None
    return _users_pieces(margin.pieces)


def _users_pieces(stated: tuple[float, float, float, float, float]) -> Pieces | None:
    """The pieces a user's margin states, when they fit together exactly and are convex."""
    line, flat, bend, slope, level = stated
    if line == -math.inf:
        return Pieces(None, Fraction(flat), Fraction(bend), Fraction(0)) if bend >= 0 else None
    start, end, curve = Fraction(line), Fraction(flat), Fraction(bend)
    kink = Fraction(slope) - 2 * curve * (end - start)
    whole = Fraction(level) == curve * (end - start) ** 2
    return Pieces(start, end, curve, kink) if whole and start <= end and curve >= 0 and kink >= 0 else None


def margin_function(margin: str | Margin, width: float) -> Callable[[Any], Any]:
    """phi as a function of floats, exact numbers and jets."""
    pieces = exact_pieces(margin, width)
    if pieces is not None:
        return pieces
    if isinstance(margin, Margin):
        return _users_margin(margin)
    if margin not in _MARGINS:
        raise ArgumentError(f"Margin {margin!r} has no formula.")
    return _MARGINS[margin]


_MARGINS: dict[str, Callable[[Any], Any]] = {
    "logistic": lambda t: softplus(-t),
    "exponential": lambda t: exp(-t),
}


def _users_margin(margin: Margin) -> Callable[[Any], Any]:
    def value(t: Any) -> Any:
        try:
            return margin.value(t)
        except UnprovenError:
            raise
        except Exception as error:
            raise UnprovenError(
                f"Margin {margin.name!r} cannot be run on {type(t).__name__} ({type(error).__name__}: "
                f"{error}). Write it with arithmetic and the functions of "
                "rankproof.arithmetic."
            ) from error

    return value
