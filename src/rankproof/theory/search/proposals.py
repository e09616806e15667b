"""Laws that may refute a loss: candidates in floats, found by linear programs, products and random draws.

By symmetry the minimiser may be taken to rank the items 0, 1, 2, ...; a candidate is a law under which it
does, while another ranking is worth more. They come with what the ranking loses, the largest loss first.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from rankproof.arrays import Float64s
from rankproof.feedback import Graded
from rankproof.losses.base import Loss
from rankproof.theory.minima.convergence import Convergence
from rankproof.theory.noise.laws import sample
from rankproof.theory.search.law_programs import cones, widest_law, worst_law

__all__ = ["proposals"]

# At effort 1: how many programs are solved, after how many laws found one stops, how many laws are drawn.
PROGRAMS, ENOUGH, SAMPLES, PRODUCTS = 300, 24, 150, 3000
# Gaps between scores that are tried, in units of a typical gap.
GAPS = (0.2, 0.7, 1.6)
SHARES = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4))
# How far means stay from their bounds, in units of the spread of what is averaged.
INSIDE = 0.03
# Below this share of the spread of the metric's values a loss is rounding.
VISIBLE = 1e-7


def proposals(
    convergence: Convergence, noise: str | None, seed: int, effort: float
) -> tuple[list[Float64s], int]:
    """Candidate laws, one row of probabilities each, and how many linear programs were solved for them."""
    lists, programs = cones(noise, convergence.space), 0
    if lists is None:
        laws = _products(convergence, seed, effort)
    else:
        laws, programs = _programs(convergence, lists, seed, effort)
        if noise is not None and not laws:
            laws = _draws(convergence, noise, seed, effort)
    if not laws:
        return [], programs
    rows = np.array(laws)
    costs, _ = convergence.costs(rows, ties=True)
    kept = costs > VISIBLE * np.ptp(convergence.values)
    order = np.argsort(-costs[kept], kind="stable")
    return list(rows[kept][order]), programs


def _programs(c: Convergence, lists: list[Float64s], seed: int, effort: float) -> tuple[list[Float64s], int]:
    others = c.values[1:] - c.values[0]
    others = np.unique(others[(np.abs(others) > 0).any(axis=1)], axis=0)
    # Larger programs take longer.
    size = (1.0 + len(lists[0]) / 50.0 + len(c.points) / 75.0) * max(1.0, len(c.space) / 30.0)
    budget = max(1, int(PROGRAMS * effort / size))
    laws: list[Float64s] = []
    solved = 0
    tasks = _tasks(c, len(others), len(lists), seed)
    for _, (place, other, cone) in zip(range(budget), tasks, strict=False):
        p = _solve(c, place, others[other], lists[cone])
        solved += 1
        if p is not None:
            laws.append(p)
        if len(laws) >= ENOUGH:
            break
    return laws, solved


def _tasks(c: Convergence, others: int, lists: int, seed: int) -> Iterator[tuple[Float64s, int, int]]:
    """What is tried, in an order that mixes everything: (scores, other ranking, list of conditions)."""
    places = _places(c, seed)
    every = [(k, other, cone) for k in range(len(places)) for other in range(others) for cone in range(lists)]
    np.random.default_rng(seed).shuffle(every)
    # Distinct corners first: ties are less convincing.
    if c.kind == "corner":
        every.sort(key=lambda task: -len(set(places[task[0]].tolist())))
    for k, other, cone in every:
        yield places[k], other, cone


def _places(c: Convergence, seed: int) -> Float64s:
    """Scores in falling order that the minimiser may have."""
    n = c.space.items
    if c.kind == "mean":
        # Not scores, but how far neighbours are apart at least.
        return np.array([[0.1], [0.03], [0.01], [0.0]])
    if c.kind == "corner":
        corners: Float64s = c.points[(np.diff(c.points, axis=1) <= 0).all(axis=1)].astype(np.float64)
        return corners
    rng = np.random.default_rng(seed)
    # A user's function is called often enough without laws on all feedback.
    kinds = ((0.3, 12), (1.0, 12)) if isinstance(c.loss, Loss) else ((0.1, 12),)
    laws = np.concatenate([rng.dirichlet(np.full(len(c.space), a), many) for a, many in kinds])
    laws = np.where(laws > 1e-3, laws, 0.0)
    laws /= laws.sum(axis=1, keepdims=True)
    met = c.scores(laws)
    met = -np.sort(-met[~np.isnan(met).any(axis=1)], axis=1)
    if isinstance(c.loss, Loss) and c.loss.claims.value("shift_invariant"):
        unit = float(np.median(np.ptp(met, axis=1))) / (n - 1) if len(met) else 1.0
        gaps = np.array(list(product(GAPS, repeat=n - 1))) * max(unit, 1e-3)
        grid = np.concatenate([np.zeros((len(gaps), 1)), -np.cumsum(gaps, axis=1)], axis=1)
        met = np.concatenate([grid, met])
    falling: Float64s = met[(np.diff(met, axis=1) < 0).all(axis=1)]
    return falling


def _solve(c: Convergence, place: Float64s, better: Float64s, cone: Float64s) -> Float64s | None:
    """A law with the minimiser (in the order of) ``place`` under which another ranking is better."""
    if c.vectors is not None:
        gaps = -np.diff(c.vectors, axis=1).T
        # Gaps that show first: the law that loses most has the smallest gaps that are allowed.
        wide = gaps - place[0] * np.abs(gaps).max(axis=1, keepdims=True)
        cone = np.concatenate([cone, _inside(c.vectors.T, c.bounds)])
        if place[0]:
            return worst_law(better, np.empty((0, better.size)), np.concatenate([wide, cone]))
        return widest_law(np.concatenate([gaps, better[None]]), cone)
    if c.kind == "corner":
        higher = c.at_points - c.at_points[(c.points == place).all(axis=1)]
        higher = higher[(np.abs(higher) > 0).any(axis=1)]
        strictly = widest_law(np.concatenate([higher, better[None]]), cone)
        if strictly is not None:
            return strictly
        return worst_law(better, np.empty((0, better.size)), np.concatenate([higher, cone]))
    slopes = c.expected.slopes(place[None])[0].T
    units = np.abs(slopes).max(axis=1, keepdims=True)
    return worst_law(better, slopes / np.where(units > 0, units, 1.0), cone)


def _inside(means: Float64s, bounds: tuple[float, float]) -> Float64s:
    """Rows that keep the means within their bounds; probabilities have sum 1."""
    low, high = bounds
    rows = [np.empty((0, means.shape[1]))]
    if np.isfinite(low):
        rows.append(means - low - INSIDE * np.ptp(means))
    if np.isfinite(high):
        rows.append(high - means - INSIDE * np.ptp(means))
    return np.concatenate(rows)


def _products(c: Convergence, seed: int, effort: float) -> list[Float64s]:
    """Laws of independent grades, each of at most two grades with simple probabilities."""
    space = c.space
    grades = sorted({grade for y in space.feedback for grade in y})  # type: ignore[union-attr]
    item_laws = [{grade: Fraction(1)} for grade in grades]
    item_laws += [
        {low: 1 - share, high: share} for low in grades for high in grades if low < high for share in SHARES
    ]
    every = list(combinations_with_replacement(range(len(item_laws)), space.items))
    most = max(1, int(PRODUCTS * effort))
    if len(every) > most:
        kept = np.random.default_rng(seed).choice(len(every), most, replace=False)
        every = [every[k] for k in sorted(kept.tolist())]
    chances = np.array([[float(law.get(grade, 0)) for grade in grades] for law in item_laws])
    where = np.array([[grades.index(grade) for grade in y] for y in space.feedback])  # type: ignore[union-attr]
    chosen = np.array(every)
    rows = np.ones((len(chosen), len(space)))
    for item in range(space.items):
        rows *= chances[chosen[:, item]][:, where[:, item]]
    costs, _ = c.costs(rows)
    return list(rows[costs > VISIBLE * np.ptp(c.values)])


def _draws(c: Convergence, noise: str, seed: int, effort: float) -> list[Float64s]:
    rng = random.Random(seed)  # noqa: S311 - laws, not secrets
    return [_row(c, noise, rng) for _ in range(max(1, int(SAMPLES * effort)))]


def _row(c: Convergence, noise: str, rng: random.Random) -> Float64s:
    space = c.space
    scale = sorted({grade for y in space.feedback if isinstance(y, Graded) for grade in y})
    row = np.zeros(len(space))
    for y, p in sample(noise, space.items, max(2, len(scale)), rng, space.kind).pairs():
        # Drawn with grades 0, 1, 2, ...: the conditions are about their order alone.
        there = Graded(scale[int(grade)] for grade in y) if isinstance(y, Graded) else y
        row[space.index(there)] = float(p)
    return row
