"""Simple laws near a candidate: few feedbacks, small denominators, a loss of the metric that one can see.

People read a counterexample, so the first law is taken in the order: number of feedbacks, denominator of the
probabilities, highest grade, and the metric lost, the most first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import gcd

import numpy as np

from rankproof.arrays import Float64s
from rankproof.feedback import Graded, Law
from rankproof.feedback.rounding import round_probabilities
from rankproof.losses.base import Loss
from rankproof.theory.minima.convergence import Convergence
from rankproof.theory.search.law_programs import meets

__all__ = ["row_law", "simple_laws"]

LARGEST_DENOMINATOR = 12
# Denominators that are tried for the candidates themselves when nothing simple will do; and then those up to
# which each probability is rounded by itself.
LARGER, ROUNDED = range(13, 121), (12, 60, 1000, 10**6)
# How many laws are looked at in one go, at effort 1: minimising takes longer than reading off a mean, and
# calling a user's function longer still.
MOST_MINIMISED, MOST_READ, MOST_ASKED = 1500, 40_000, 120
# All pairs of feedback of a space are tried when there are at most this many.
MOST_FEEDBACK = 30
# What is lost must be at least these shares of the most that a candidate loses, in this order.
SHARES = (0.3, 0.03)
FEW = 4
# How many of the laws of one denominator are looked at more closely.
CLOSER = 100


@lru_cache(maxsize=256)
def coprime_parts(size: int, denominator: int) -> tuple[tuple[int, ...], ...]:
    """Whole numbers above 0 with that sum and no common factor.

    >>> coprime_parts(2, 4)
    ((1, 3), (3, 1))
    """
    splits = []
    for cuts in combinations(range(1, denominator), size - 1):
        edges = (0, *cuts, denominator)
        part = tuple(b - a for a, b in pairwise(edges))
        if gcd(*part) == 1:
            splits.append(part)
    return tuple(splits)


def simple_laws(
    c: Convergence, candidates: Sequence[Float64s], noise: str | None, effort: float
) -> Iterator[tuple[Law, Float64s]]:
    """Laws that seem to refute the loss with the scores of the minimiser, the simplest first."""
    if not candidates:
        return
    most = float(c.costs(np.array(candidates), ties=True)[0].max())
    for ties in (False, True) if c.kind == "corner" else (False,):
        few = candidates if c.kind != "newton" else candidates[:FEW]
        for share in SHARES:
            yield from _lattice(c, candidates, share * most, noise, effort, ties)
            for denominator in LARGER:
                yield from _in_order(c, [_near(p, denominator) for p in few], share * most, noise, ties)
        for denominator in ROUNDED:
            laws = [_rounded(p, denominator) for p in candidates]
            yield from _in_order(c, laws, 1e-6 * most, noise, ties)


def _lattice(
    c: Convergence, candidates: Sequence[Float64s], least: float, noise: str | None, effort: float, ties: bool
) -> Iterator[tuple[Law, Float64s]]:
    most = MOST_READ if c.kind != "newton" else MOST_MINIMISED if isinstance(c.loss, Loss) else MOST_ASKED
    budget = int(most * max(effort, 0.1))
    largest = max(int((p > 0).sum()) for p in candidates)
    for size in range(1, min(largest, c.space.items + 2) + 1):
        supports = _with_minimum(c, _supports(c, candidates, size))
        if not supports:
            continue
        for denominator in range(size, LARGEST_DENOMINATOR + 1):
            shares = coprime_parts(size, denominator)
            fitting = supports[: max(1, budget // max(1, len(shares)))]
            laws = [
                [(place, Fraction(part, denominator)) for place, part in zip(support, share, strict=True)]
                for support in fitting
                for share in shares
            ]
            yield from _in_order(c, laws, least, noise, ties)


def _supports(c: Convergence, candidates: Sequence[Float64s], size: int) -> list[tuple[int, ...]]:
    supports: dict[tuple[int, ...], None] = {}
    if c.kind != "newton" and size <= 2 and len(c.space) <= MOST_FEEDBACK:
        supports.update(dict.fromkeys(combinations(range(len(c.space)), size)))
    for p in candidates:
        supports.update(dict.fromkeys(combinations(np.nonzero(p)[0].tolist(), size)))
    return list(supports)


def _with_minimum(c: Convergence, supports: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Those whose laws have a minimiser: whether scores spread without end is a matter of the support."""
    if c.kind != "newton" or not supports:
        return supports
    rows = np.zeros((len(supports), len(c.space)))
    for row, support in zip(rows, supports, strict=True):
        row[list(support)] = 1.0 / len(support)
    reached = np.asarray(~np.isnan(c.scores(rows)).any(axis=1))
    return [support for support, there in zip(supports, reached, strict=True) if there]


def _near(p: Float64s, denominator: int) -> list[tuple[int, Fraction]]:
    places = np.nonzero(p)[0].tolist()
    shares = round_probabilities([float(p[k]) for k in places], denominator)
    return [(k, share) for k, share in zip(places, shares, strict=True) if share]


def _rounded(p: Float64s, denominator: int) -> list[tuple[int, Fraction]]:
    """Each probability rounded by itself, so that equal ones stay equal and the order of others stays."""
    near = [(int(k), Fraction(float(p[k])).limit_denominator(denominator)) for k in np.nonzero(p)[0]]
    total = sum(share for _, share in near)
    return [(k, share / total) for k, share in near if share] if total else []


def _in_order(
    c: Convergence, laws: Sequence[list[tuple[int, Fraction]]], least: float, noise: str | None, ties: bool
) -> Iterator[tuple[Law, Float64s]]:
    laws = [law for law in laws if law]
    if not laws:
        return
    rows = np.zeros((len(laws), len(c.space)))
    for row, law in zip(rows, laws, strict=True):
        for place, share in law:
            row[place] = float(share)
    if noise is not None:
        inside = np.nonzero(meets(noise, c.space, rows))[0]
        laws, rows = [laws[k] for k in inside], rows[inside]
        if not laws:
            return
    costs, scores = c.costs(rows, ties=ties)
    kept = np.nonzero(costs >= max(least, 1e-12))[0].tolist()
    # Equal losses up to rounding are ordered by place, the same everywhere.
    unit = max(float(np.ptp(c.values)), 1e-12)
    kept.sort(key=lambda k: (len(laws[k]), _highest(c, laws[k]), -round(float(costs[k]) / unit, 6)))
    kept = kept[:CLOSER]
    if not kept:
        return
    minimisers = c.minimisers(rows[kept], scores[kept])
    for k, minimiser in zip(kept, minimisers, strict=True):
        if not np.isnan(minimiser).any():
            yield row_law(c, laws[k]), minimiser


def _highest(c: Convergence, law: list[tuple[int, Fraction]]) -> Fraction:
    graded = [c.space.feedback[place] for place, _ in law]
    return max((Fraction(grade) for y in graded if isinstance(y, Graded) for grade in y), default=Fraction(0))


def row_law(c: Convergence, law: Sequence[tuple[int, Fraction]]) -> Law:
    """The law with these probabilities, the likely feedback first."""
    listed = sorted(law, key=lambda entry: (-entry[1], -entry[0]))
    return Law([(c.space.feedback[place], share) for place, share in listed])
