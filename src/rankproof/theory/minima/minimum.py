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
>>> Minimum.from_json(found.to_json()) == found
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from rankproof.errors import ArgumentError, DataError

__all__ = ["METHODS", "Minimum", "rankings_of_minimum", "sure_pairs"]

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

    def to_json(self) -> dict[str, Any]:
        """A dict of strings and lists, for ``json.dump``."""
        return {
            "method": self.method,
            "center": [str(x) for x in self.center],
            "radius": str(self.radius),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Minimum:
        """The minimum that `to_json` wrote."""
        try:
            center = tuple(Fraction(str(x)) for x in plain["center"])
            return cls(plain["method"], center, Fraction(str(plain["radius"])))
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise DataError(f"The stored minimum {plain!r:.120} is damaged: {error}.") from error

    def __str__(self) -> str:
        listed = ", ".join(str(x) if x.denominator < 1000 else f"{float(x):.6g}" for x in self.center)
        return f"({listed})" + (f" up to {float(self.radius):.0e}" if self.radius else "")


def sure_pairs(minimum: Minimum) -> frozenset[tuple[int, int]]:
    """The pairs (i, j) with i strictly above j in all scores that the statement leaves possible.

    Two coordinates of a vector of length below r differ by less than sqrt(2) r.
    """
    c, apart = minimum.center, 2 * minimum.radius**2
    pairs = permutations(range(len(c)), 2)
    return frozenset((i, j) for i, j in pairs if c[i] > c[j] and (c[i] - c[j]) ** 2 >= apart)


def rankings_of_minimum(minimum: Minimum) -> set[tuple[int, ...]]:
    """Rankings (best item first) that are proven to sort a minimiser, or scores towards the infimum.

    With radius 0 these are all rankings that sort the center, whose ties are exact; otherwise the one ranking
    of all items when every pair is sure, else none.

    >>> sorted(rankings_of_minimum(Minimum("exact", (Fraction(0), Fraction(1), Fraction(1)), Fraction(0))))
    [(1, 2, 0), (2, 1, 0)]
    """
    c = minimum.center
    levels = sorted(set(c), reverse=True)
    n = len(c)
    if minimum.radius and len(sure_pairs(minimum)) < n * (n - 1) // 2:
        return set()
    groups = [[i for i in range(n) if c[i] == level] for level in levels]
    return {
        tuple(i for group in orders for i in group)
        for orders in product(*(permutations(group) for group in groups))
    }
