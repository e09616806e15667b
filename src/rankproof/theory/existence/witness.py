"""Splits: laws whose best rankings no convex loss can give (C12 Theorem 3), the easiest to read first.

A convex loss whose minimisers reach rankings with item i above item j, and others with j above i, has a
minimiser that ties the two; and a consistent loss reaches *all* best rankings, when each ranking is the only
best one under some law (C12 Theorem 2). So a law refutes every convex loss when its best rankings order i and
j both ways, but no scores that tie i and j are sorted by best rankings alone
(`rankproof.theory.existence.checks.check_split`).

One and two feedbacks are gone through completely: as the share of the second grows from 0 to 1, the best
rankings are those of the corners and edges of the upper hull of the points (value under the first, value
under the second). Else a linear program looks for a law with just two best rankings, not one exchange of
neighbours apart, that are better than all others by as much as possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, pairwise, permutations
from math import lcm
from typing import NamedTuple

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import PrecisionError
from rankproof.feedback import Law
from rankproof.theory.base.proofs import SplitLaw
from rankproof.theory.base.risk import best_rankings, expected_values
from rankproof.theory.base.rounding import sign_of
from rankproof.theory.base.values import Ranking, ValueTable
from rankproof.theory.existence.checks import can_tie, check_split
from rankproof.theory.existence.programs import Widest, widest
from rankproof.theory.existence.symmetry import exchanged, rounded, same_values

__all__ = ["SplitMargin", "find_split", "widest_split"]

LEAST_MARGIN = 1e-7
# Laws of a linear program have small denominators when the values do.
MOST_DENOMINATOR = 5_000
# So many are tried at a time.
DENOMINATORS = 250
NEAR = 1e-9
KEPT_MARGIN = 0.05
# Two feedbacks at a time are looked at until this many.
MOST_PAIRS = 3_000
Point = tuple[int, int]


class SplitMargin(NamedTuple):
    """A law with two best rankings, and by how much they are better than all others."""

    margin: Fraction
    law: Law
    rankings: tuple[Ranking, Ranking]


def find_split(table: ValueTable) -> SplitLaw | None:
    """A law that splits its best rankings, with few feedbacks and small fractions; None when none is found.

    >>> from rankproof.feedback.spaces import graded_space
    >>> from rankproof.theory.base.values import value_table
    >>> split = find_split(value_table("ERR(max_grade=1)", graded_space(3, 2)))  # C12 Table 2
    >>> print(split.law)
    probability  y(0)  y(1)  y(2)
            3/5     1     1     0
            2/5     0     0     1
    >>> split.best
    ((0, 2, 1), (1, 2, 0))
    """
    values = rounded(table)
    if len(same_values(values)) > 1:
        return None
    return _small(values) or _from_program(values)


def _small(table: ValueTable) -> SplitLaw | None:
    """The split with one or two feedbacks that has the smallest denominator."""
    splits: list[tuple[tuple[int, int], Fraction, int, int]] = []
    # In whole numbers, which compare faster than fractions.
    unit = lcm(*(value.denominator for row in table.values for value in row))
    rows = [[value.numerator * (unit // value.denominator) for value in row] for row in table.values]
    for first, second in islice(_pairs_up_to_names(table), MOST_PAIRS):
        points: dict[Point, list[Ranking]] = {}
        for ranking, row in zip(table.rankings, rows, strict=True):
            points.setdefault((row[first], row[second]), []).append(ranking)
        for share in _shares(list(points)):
            best = _best_of(table, points, share, unit)
            if _split_pair(best) is not None:
                splits.append(((share.denominator, len(best)), share, first, second))
    for _, share, first, second in sorted(splits, key=lambda entry: entry[0]):
        masses = [Fraction(0)] * len(table.space)
        masses[first], masses[second] = 1 - share, share
        split = _split_of(table, masses)
        if split is not None and check_split(table, split) is None:
            return split
    return None


def _best_of(
    table: ValueTable, points: dict[Point, list[Ranking]], share: Fraction, unit: int
) -> tuple[Ranking, ...]:
    """The rankings with the highest mean; the points are values times ``unit``."""
    second, whole = share.numerator, share.denominator
    means = {point: (whole - second) * point[0] + second * point[1] for point in points}
    most = max(means.values())
    unit *= whole
    try:
        best = [
            point
            for point, mean in means.items()
            if mean == most or (table.slack and sign_of(table, Fraction(mean - most, unit)) == 0)
        ]
    except PrecisionError:
        return ()
    return tuple(ranking for point in best for ranking in points[point])


def _pairs_up_to_names(table: ValueTable) -> Iterator[tuple[int, int]]:
    """Two places of feedback, of each two that are renamings of each other only the first."""
    size = len(table.space)
    moved = [table.space.relabelled(order) for order in permutations(range(table.space.items))]
    seen = set()
    for first, second in combinations(range(size), 2):
        if (first, second) not in seen:
            yield first, second
            for there in moved:
                seen.add((min(there[first], there[second]), max(there[first], there[second])))


def _shares(points: list[Point]) -> Iterator[Fraction]:
    """Shares of the second coordinate: one for every corner and edge of the upper hull, and both ends."""
    corners = _upper_hull(points)
    edges = [Fraction(a[0] - b[0], a[0] - b[0] + b[1] - a[1]) for a, b in pairwise(corners)]
    ends = [Fraction(0), *edges, Fraction(1)]
    for low, high in pairwise(ends):
        yield simplest_between(low, high)
    yield from ends


def _upper_hull(points: list[Point]) -> list[Point]:
    """The corners that are best for some share within (0, 1), from the best for small shares on."""
    corners: list[Point] = []
    for x, y in sorted(set(points), reverse=True):
        if corners and y <= corners[-1][1]:
            continue
        while len(corners) > 1 and _turns_in(corners[-2], corners[-1], (x, y)):
            corners.pop()
        corners.append((x, y))
    return corners


def _turns_in(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) <= 0


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction strictly between with the smallest denominator.

    >>> simplest_between(Fraction(1, 3), Fraction(1, 2)), simplest_between(Fraction(0), Fraction(1))
    (Fraction(2, 5), Fraction(1, 2))
    """
    below = low.numerator // low.denominator
    if below + 1 < high:
        return Fraction(below + 1)
    if low == below:
        # Between a whole number and at most the next: 1/d above it, for the first d that fits.
        return below + Fraction(1, int(1 / (high - below)) + 1)
    # Turned over, the numbers keep which has the smallest denominator.
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))


@lru_cache(maxsize=1024)
def _split_pair(best: tuple[Ranking, ...]) -> tuple[int, int] | None:
    """The first two items that stand in both orders and can never be tied."""
    for i, j in combinations(range(len(best[0]) if best else 0), 2):
        if len({ranking.index(i) < ranking.index(j) for ranking in best}) == 2 and not can_tie(best, i, j):
            return i, j
    return None


def _split_of(table: ValueTable, masses: list[Fraction]) -> SplitLaw | None:
    """What the best rankings under the law split, when they do."""
    try:
        best = best_rankings(table, masses)
    except PrecisionError:
        return None
    pair = _split_pair(best)
    if pair is None:
        return None
    i, j = pair
    first = next(ranking for ranking in best if ranking.index(i) < ranking.index(j))
    second = next(ranking for ranking in best if ranking.index(i) > ranking.index(j))
    likely = sorted(zip(masses, table.space.feedback, strict=True), key=lambda share: -share[0])
    return SplitLaw(Law((y, p) for p, y in likely if p), pair, first, second, best)


def _from_program(table: ValueTable) -> SplitLaw | None:
    for program in sorted(_programs(table), key=lambda program: -program.solution.margin):
        law = _as_law(table, program.simplified())
        if law is not None:
            split = _split_of(table, [law[y] for y in table.space.feedback])
            if split is not None and check_split(table, split) is None:
                return split
    return None


def widest_split(table: ValueTable) -> SplitMargin | None:
    """The law with two best rankings, no exchange of neighbours apart, the furthest ahead of all others.

    One of the two is 0, 1, 2, ...: others are renamings of it.

    >>> from rankproof.feedback.spaces import graded_space
    >>> from rankproof.theory.base.values import value_table
    >>> widest_split(value_table("AP", graded_space(3, 2))).margin
    Fraction(1, 50)
    """
    best: SplitMargin | None = None
    for program in _programs(table):
        law = _as_law(table, program.solution.masses[0])
        margin = None if law is None else _margin(table, law, program.second)
        if law is not None and margin is not None and (best is None or margin > best.margin):
            best = SplitMargin(margin, law, (table.rankings[0], program.second))
    return best


class _Program(NamedTuple):
    """The linear program for 0, 1, 2, ... and a second ranking, with its solution."""

    second: Ranking
    gains: Float64s
    tie: Float64s
    solution: Widest

    def simplified(self) -> Float64s:
        """A solution from which feedback is left out, the rarest first, as long as a margin stays."""
        masses: Float64s = self.solution.masses
        allowed = masses > LEAST_MARGIN
        for place in np.argsort(np.where(allowed, masses, np.inf), axis=None)[: int(allowed.sum())]:
            fewer = allowed.copy()
            fewer[0, place] = False
            fit = widest([self.gains], self.tie, fewer)
            if fit is not None and fit.margin > KEPT_MARGIN * self.solution.margin:
                masses = fit.masses
                allowed = fewer & (masses > LEAST_MARGIN)
        return masses.ravel()


def _programs(table: ValueTable) -> Iterator[_Program]:
    values = np.array([[float(value) for value in row] for row in table.values])
    values = values / (float(np.abs(values - values[0]).max()) or 1.0)
    first = table.rankings[0]
    near = {first, *(exchanged(first, k) for k in range(len(first) - 1))}
    for number, second in enumerate(table.rankings):
        if second not in near:
            gains = np.unique(values[0] - np.delete(values, (0, number), axis=0), axis=0)
            tie = (values[0] - values[number])[None, :]
            solution = widest([gains], tie, np.ones((1, values.shape[1]), dtype=bool))
            if solution is not None and solution.margin > LEAST_MARGIN:
                yield _Program(second, gains, tie, solution)


def _as_law(table: ValueTable, masses: Float64s) -> Law | None:
    """The masses as fractions of the smallest common denominator that they are near to."""
    for start in range(1, MOST_DENOMINATOR + 1, DENOMINATORS):
        many = np.arange(start, min(start + DENOMINATORS, MOST_DENOMINATOR + 1))
        whole = np.rint(masses * many[:, None])
        near = np.abs(masses - whole / many[:, None]).max(axis=1) <= NEAR
        fits = np.flatnonzero(near & (whole.sum(axis=1) == many))
        if fits.size:
            shares = zip(table.space.feedback, whole[fits[0]], strict=True)
            return Law((y, Fraction(int(share), int(many[fits[0]]))) for y, share in shares if share)
    return None


def _margin(table: ValueTable, law: Law, second: Ranking) -> Fraction | None:
    """By how much the first ranking and ``second`` are ahead, when they are best and tied."""
    means = expected_values(table, [law[y] for y in table.space.feedback])
    tied = {0, table.rankings.index(second)}
    margin = means[0] - max(mean for k, mean in enumerate(means) if k not in tied)
    try:
        fits = all(sign_of(table, means[0] - means[k]) == 0 for k in tied) and sign_of(table, margin) > 0
    except PrecisionError:
        return None
    return margin if fits else None
