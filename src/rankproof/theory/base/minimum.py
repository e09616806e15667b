"""`Minimum`: a proven statement on where the minimisers of an expected loss lie.

The statement depends on the method, and `rankproof.theory.minima.enclosure.check_minimum` proves it anew:

- ``ball``: there is a minimiser, and every minimiser lies within ``radius`` of the center (for losses that
  depend on differences of scores alone: once a number is added to all its scores);
- ``exact``: the center is a minimiser;
- ``direction``: every minimiser is a positive multiple of a vector within ``radius`` of the center;
- ``mean``: no minimiser exists; the infimum is approached exactly along scores that sort as a vector within
  ``radius`` of the center does.

With radius 0 the center itself is meant.

>>> found = Minimum("ball", (Fraction(7, 10), Fraction(1, 10), Fraction(1, 10)), Fraction(1, 1000))
>>> sorted(sure_pairs(found))
[(0, 1), (0, 2)]
>>> Minimum.from_dict(found.to_dict()) == found
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from rankproof.errors import ArgumentError, DataError
from rankproof.feedback.numbers import fraction_text
from rankproof.plain import html_text, json_text
from rankproof.theory.base.stored_text import plain_from_json

__all__ = ["METHODS", "Minimum", "sure_pairs"]

METHODS = ("ball", "exact", "direction", "mean")


@dataclass(frozen=True)
class Minimum:
    """A method, a center of one exact number per item, and a radius; see the module docstring."""

    method: str
    center: tuple[Fraction, ...]
    radius: Fraction

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ArgumentError(
                f"Argument method of Minimum must be one of {', '.join(METHODS)}, got {self.method!r}."
            )
        numbers = (*self.center, self.radius)
        if not self.center or not all(isinstance(x, Fraction) for x in numbers) or self.radius < 0:
            raise ArgumentError(
                "A Minimum has a center of Fractions and a Fraction of at least 0 as its radius, got "
                f"{self.center!r} and {self.radius!r}."
            )
        if (self.method == "ball" and not self.radius) or (self.method == "exact" and self.radius):
            raise ArgumentError(
                f"The radius of a Minimum is above 0 for ball and 0 for exact, got {self.radius} for "
                f"{self.method}."
            )

    def to_dict(self) -> dict[str, Any]:
        """A dict of strings and lists, for ``json.dump``."""
        return {
            "method": self.method,
            "center": [str(x) for x in self.center],
            "radius": str(self.radius),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Minimum:
        """The minimum that `to_dict` wrote."""
        try:
            center = tuple(Fraction(str(x)) for x in plain["center"])
            return cls(plain["method"], center, Fraction(str(plain["radius"])))
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise DataError(f"The stored minimum {plain!r:.120} is damaged: {error}.") from error

    @classmethod
    def from_json(cls, text: str) -> Minimum:
        """The minimum of the text that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "minimum"))

    def __str__(self) -> str:
        listed = ", ".join(fraction_text(x) for x in self.center)
        return f"({listed})" + (f" up to {float(self.radius):.0e}" if self.radius else "")


def sure_pairs(minimum: Minimum) -> frozenset[tuple[int, int]]:
    """The pairs (i, j) with i strictly above j in all scores that the statement leaves possible.

    Two coordinates of a vector of length below r differ by less than sqrt(2) r.
    """
    c, apart = minimum.center, 2 * minimum.radius**2
    pairs = permutations(range(len(c)), 2)
    return frozenset((i, j) for i, j in pairs if c[i] > c[j] and (c[i] - c[j]) ** 2 >= apart)
