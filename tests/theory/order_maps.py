"""R11's relation s ~> r, and invertible maps that preserve order, also strange ones, on exact points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

Point = tuple[Any, ...]
Map = Callable[[Point], Point]


def follows(s: Sequence[Any], r: Sequence[Any]) -> bool:
    """s ~> r: wherever r_i > r_j, also s_i > s_j."""
    return all(s[i] > s[j] for i, j in permutations(range(len(r)), 2) if r[i] > r[j])


def order_map(s: Point, r: Point) -> tuple[Map, Map]:
    """An invertible order preserving map g with g(r) = s, and its inverse, for any s ~> r.

    Points with the same order may change places: r and s do, where they have it. Where s breaks ties of r,
    the points r - k and s + k, k = 0, 1, ..., each shift to the next: ..., r - 1, r, s, s + 1, ...
    """
    if follows(r, s):
        swap = {r: s, s: r}
        return (lambda x: swap.get(x, x)), (lambda x: swap.get(x, x))

    def forth(x: Point) -> Point:
        if x == r:
            return s
        return shifted(x, 1) if below(x, r) or above(x, s) else x

    def back(x: Point) -> Point:
        if x == s:
            return r
        return shifted(x, -1) if below(x, r) or x == r or above(x, s) else x

    def below(x: Point, start: Point) -> bool:
        return x != start and above(start, x)

    return forth, back


def above(x: Point, start: Point) -> bool:
    """Whether x is start + k for a whole number k >= 0, the same for all items."""
    steps = {a - b for a, b in zip(x, start, strict=True)}
    step = steps.pop()
    return not steps and step >= 0 and step == int(step)


def shifted(x: Point, step: int) -> Point:
    return tuple(value + step for value in x)
