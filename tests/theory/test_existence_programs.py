"""The programs behind laws against targets: their answers, and what is known without solving them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from rankproof.feedback import Law
from rankproof.feedback.spaces import Space, graded_space
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.contradiction import LEAST_MARGIN, PLAIN_MARGIN, _Search
from rankproof.theory.existence.programs import widest
from rankproof.theory.existence.witness import MOST_DENOMINATOR, NEAR, _as_law
from theory.benchmark_scripts import script
from theory.existence_cases import SPACES

drawn_metric = script("research/float_verdicts.py").drawn_metric


def margin_by_linprog(gains: list[Any], equal: Any, allowed: Any) -> float:
    """The widest margin, the program written down once more."""
    size = allowed.size
    rows = sum(map(len, gains))
    upper = np.zeros((rows, size + 1))
    upper[:, size] = 1
    start = 0
    for b, block in enumerate(gains):
        upper[start : start + len(block), b * allowed.shape[1] : (b + 1) * allowed.shape[1]] = -block
        start += len(block)
    solved = linprog(
        [0] * size + [-1],
        A_ub=upper,
        b_ub=[0] * rows,
        A_eq=np.vstack([np.hstack([equal, np.zeros((len(equal), 1))]), [1] * size + [0]]),
        b_eq=[0] * len(equal) + [1],
        bounds=[(0, None if may else 0) for may in allowed.ravel()] + [(None, None)],
    )
    return -np.inf if solved.status != 0 else float(-solved.fun)


def searches() -> list[_Search]:
    """Random metrics on some spaces, each with its cones."""
    drawn = []
    for space in SPACES.values():
        for seed in range(12):
            metric = drawn_metric(random.Random(seed), space.items, len(space.labels))
            drawn.append(_Search(value_table(metric, space)))
    return drawn


def test_the_widest_margin_is_that_of_the_program_written_down_again() -> None:
    rng = np.random.default_rng(0)
    margins = []
    for _ in range(60):
        blocks, feedbacks = int(rng.integers(1, 4)), int(rng.integers(2, 9))
        gains = [
            rng.integers(-3, 6, (int(rng.integers(1, 5)), feedbacks)).astype(float) for _ in range(blocks)
        ]
        equal = rng.integers(-1, 2, (int(rng.integers(0, 3)), blocks * feedbacks)).astype(float)
        allowed = rng.random((blocks, feedbacks)) < 0.8
        if not allowed.any():
            continue
        solution, margin = widest(gains, equal, allowed), margin_by_linprog(gains, equal, allowed)
        assert (solution is None) == (margin == -np.inf)
        if solution is None:
            continue
        margins.append(margin)
        assert solution.margin == pytest.approx(margin, abs=1e-9)
        assert not solution.masses[~allowed].any()
        assert solution.masses.sum() == pytest.approx(1)
        assert equal @ solution.masses.ravel() == pytest.approx(0, abs=1e-9)
        reached = min(float((g @ own).min()) for g, own in zip(gains, solution.masses, strict=True))
        assert reached == pytest.approx(margin, abs=1e-9)
    assert min(margins) < 0 < max(margins)


def test_what_is_hopeless_without_a_program_has_no_margin() -> None:
    rng = np.random.default_rng(1)
    counts = {True: 0, False: 0}
    for search in searches():
        cones = range(len(search.gains))
        for used in [some for size in (1, 2, 3) for some in combinations(cones, size)]:
            for share in (1.0, 0.7, 0.4):
                allowed = rng.random((len(used), len(search.table.space))) < share
                if not search.hopeless(used, allowed):
                    counts[False] += 1
                    continue
                counts[True] += 1
                margin = margin_by_linprog([search.gains[r] for r in used], search.cancel(used), allowed)
                assert margin <= LEAST_MARGIN / 2
    assert min(counts.values()) > 100


def test_two_cones_that_serve_are_not_called_hopeless() -> None:
    """RR on three items: the laws of the docstring of `find_contradiction` use two cones."""
    search = _Search(value_table("RR", SPACES["3 items"]))
    everywhere = np.ones((2, 8), dtype=bool)
    serve = [pair for pair in combinations(range(3), 2) if not search.hopeless(pair, everywhere)]
    assert serve
    assert any(
        margin_by_linprog([search.gains[r] for r in pair], search.cancel(pair), everywhere) > PLAIN_MARGIN
        for pair in serve
    )


def test_the_law_in_proportion_to_the_values_has_no_more_than_the_widest_margin() -> None:
    plain = 0
    for search in searches():
        some = np.array([max(y) < 2 for y in search.table.space.feedback])  # type: ignore[type-var]
        for allowed in (some, np.ones_like(some)):
            for r, gains in enumerate(search.gains):
                own = search.own_margin(r, allowed)
                plain += own > PLAIN_MARGIN
                none = np.zeros((0, allowed.size))
                assert own <= margin_by_linprog([gains], none, allowed[None, :]) + 1e-12
    assert plain > 100


def by_trying(space: Space, masses: Any) -> Law | None:
    """The masses over the smallest denominator, one denominator after the other."""
    for d in range(1, MOST_DENOMINATOR + 1):
        whole = [round(mass * d) for mass in masses.tolist()]
        if sum(whole) == d and all(
            abs(m - w / d) <= NEAR for m, w in zip(masses.tolist(), whole, strict=True)
        ):
            return Law((y, Fraction(w, d)) for y, w in zip(space.feedback, whole, strict=True) if w)
    return None


@pytest.mark.parametrize("denominator", [1, 2, 7, 250, 251, 499, 4_999, 5_000, 5_003])
def test_masses_are_read_with_the_smallest_denominator(denominator: int) -> None:
    space = graded_space(3, 2)
    table = value_table("AP", space)
    rng = np.random.default_rng(denominator)
    whole = rng.multinomial(denominator, np.full(8, 1 / 8))
    for near in (0.0, 1e-12):
        masses = whole / denominator + near * rng.standard_normal(8)
        law = _as_law(table, masses)
        assert law == by_trying(space, masses)
        assert (law is None) == (denominator > MOST_DENOMINATOR and np.gcd.reduce([*whole, denominator]) == 1)
