"""ERR against visible arithmetic, exact recurrences, and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import is_exhaustive
from every_case import every_case
from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError, DataError
from rankproof.kernels.metrics.cascade import places_that_matter, stop_chances
from rankproof.metrics import ERR, metric


def test_by_hand() -> None:
    # Grades 1, 2 of at most 2: R = 1/4, 3/4; 1/4 + 3/4 x 3/4 / 2.
    assert ERR(max_grade=2).of_labels([1, 2]) == Fraction(1, 4) + Fraction(3, 4) * Fraction(3, 4) / 2
    assert value(ERR(max_grade=2), [2, 1], [1, 2]) == 1 / 4 + 3 / 4 * 3 / 4 / 2
    # The default scale ends at 4: R = 15/16, 1/16.
    assert value(ERR(), [3, 2, 1], [0, 4, 1]) == 15 / 16 / 2 + 1 / 16 * 1 / 16 / 3
    assert value(ERR(cutoff=2), [3, 2, 1], [0, 4, 1]) == 15 / 16 / 2
    # A grade between: R = (2^1.5 - 1) / 2^4.
    assert value(ERR(), [1], [1.5]) == pytest.approx((2**1.5 - 1) / 16, rel=1e-15, abs=0)
    assert ERR(max_grade=0.5).of_labels([0.5]) == pytest.approx((2**0.5 - 1) / 2**0.5)


def test_a_grade_below_zero_satisfies_nobody() -> None:
    assert ERR().of_labels([-2, 4]) == ERR().of_labels([0, 4]) == Fraction(15, 32)
    assert value(ERR(), [2, 1], [-2, 4]) == 15 / 32
    assert value(ERR(), [1, 1], [-0.5, 4]) == 15 / 16 * (1 + 1 / 2) / 2


def test_ties_by_hand() -> None:
    # Grades 4 and 0 at ranks 1, 2: 15/16 at either.
    assert value(ERR(), [1, 1], [4, 0]) == 15 / 16 * (1 + 1 / 2) / 2
    # Grades that are no whole numbers, or high ones: R = (2^1.5 - 1) / 2^4 and (2^65 - 1) / 2^66.
    assert value(ERR(), [1, 1], [1.5, 0]) == pytest.approx(
        (2**1.5 - 1) / 16 * (1 + 1 / 2) / 2, rel=1e-15, abs=0
    )
    assert value(ERR(max_grade=66), [1, 1], [65, 0]) == pytest.approx(0.5 * (1 + 1 / 2) / 2, rel=1e-15, abs=0)
    # Cut inside the group.
    assert value(ERR(cutoff=1), [1, 1], [4, 0]) == 15 / 16 / 2


def test_no_grade_above_zero_is_empty() -> None:
    assert ERR().of_labels([0, -1]) is None
    assert math.isnan(value(ERR(), [2, 1], [0, -1]))
    assert math.isnan(value(ERR(), [], []))
    assert value(ERR(), [1], [0], missed=[1]) == 0.0


@pytest.mark.parametrize("cutoff", [None, 1, 3])
@given(tied(grades=(0, 1, 3, -1)))
def test_every_order(cutoff: int | None, query: Query) -> None:
    def definition(ranked: list[float]) -> Fraction | None:
        if not any(y > 0 for y in (*query[1], *query[2])):
            return None
        total = Fraction(0)
        for k, y in enumerate(ranked[:cutoff], start=1):
            above = math.prod(1 - Fraction(2 ** max(z, 0) - 1, 8) for z in ranked[: k - 1])
            total += above * Fraction(2 ** max(y, 0) - 1, 8) / k
        return total

    agrees_with_every_order(ERR(cutoff=cutoff, max_grade=3), query, definition)
    explanation_agrees(ERR(cutoff=cutoff, max_grade=3), query)


def subsets(stops: list[Fraction]) -> list[Fraction]:
    """E_k for k = 0..n by listing all subsets."""
    products = [
        [math.prod((1 - stop for stop in chosen), start=Fraction(1)) for chosen in combinations(stops, k)]
        for k in range(len(stops) + 1)
    ]
    return [sum(listed) / len(listed) for listed in products]


@cache
def one_by_one(stops: tuple[Fraction, ...]) -> list[Fraction]:
    """E_k for k = 0..n by the recurrence over items, in exact arithmetic."""
    means = [Fraction(1)]
    for m, stop in enumerate(stops, start=1):
        older = [*means, Fraction(0)]
        means = [
            Fraction(m - k, m) * older[k] + Fraction(k, m) * (1 - stop) * older[k - 1] for k in range(m + 1)
        ]
    return means


def exact(stops: tuple[Fraction, ...], above: int, cutoff: int | None) -> Fraction:
    """What a tie group behind ``above`` items of grade 0 gives, in exact arithmetic."""
    means = one_by_one(stops)
    terms = [
        (means[k - 1] - means[k]) / (above + k)
        for k in range(1, len(stops) + 1)
        if cutoff is None or above + k <= cutoff
    ]
    return sum(terms, Fraction(0))


@given(st.lists(st.sampled_from([0.0, 1e-12, 1 / 16, 1 / 3, 15 / 16, 1 - 1e-7]), max_size=8))
def test_the_recurrence_is_the_mean_over_subsets(chances: list[float]) -> None:
    stops = [Fraction(chance) for chance in chances]
    means = subsets(stops)
    assert one_by_one(tuple(stops)) == means
    n = len(stops)
    stopped, passed = np.empty(n + 1), np.empty(n + 1)
    some = np.array([float(stop) for stop in stops if stop])
    stop_chances(some, n - some.size, n, stopped, passed)
    assert passed.tolist() == pytest.approx([float(e) for e in means], rel=1e-14, abs=0)
    assert stopped[1:].tolist() == pytest.approx([float(a - b) for a, b in pairwise(means)], rel=1e-13, abs=0)


MIXES = {
    "few": [0] * 110 + [1] * 10,
    "one": [0] * 119 + [4],
    "ones": [1] * 120,
    "fours": [4] * 120,
    "two": [4] * 60 + [1] * 60,
    "all": [0, 1, 2, 3, 4] * 24,
}


@every_case("mix", MIXES)
@every_case("max_grade", [4, 8, 40] if is_exhaustive() else [4, 40], thin=True)
@every_case("cutoff", [None, 5, 100])
@every_case("above", [0, 3])
def test_long_ties_are_exact(mix: str, max_grade: int, cutoff: int | None, above: int) -> None:
    grades = MIXES[mix]
    wanted = float(exact(tuple(Fraction(2**y - 1, 2**max_grade) for y in grades), above, cutoff))
    scores, labels = [1.0] * above + [0.0] * len(grades), [0] * above + grades
    # Relative, also where 1 - R rounds to 1: nothing is got as a small difference.
    assert value(ERR(max_grade=max_grade, cutoff=cutoff), scores, labels) == pytest.approx(
        wanted, rel=1e-13, abs=0
    )


def test_places_left_out_do_not_matter() -> None:
    """What is left out of a group is less than 1e-18 of what is kept."""
    stops = [Fraction(2**y - 1, 16) for y in [0] * 100 + [1, 2, 3, 4] * 25]
    needed = places_that_matter(float(sum(stops)), len(stops), len(stops))
    assert needed < len(stops)
    means = one_by_one(tuple(stops))
    kept = sum((means[k - 1] - means[k]) / k for k in range(1, needed + 1))
    left = sum((means[k - 1] - means[k]) / k for k in range(needed + 1, len(stops) + 1))
    assert means[needed] < Fraction(10) ** -18
    assert left < kept * Fraction(10) ** -18
    assert places_that_matter(3.0, 3, 3) == 1
    assert places_that_matter(1e-9, 5, 4) == 4


def test_the_order_of_rows_changes_no_bit() -> None:
    rng = np.random.default_rng(5)
    grades = rng.integers(0, 5, 300).astype(float)
    seen = {value(ERR(), np.zeros(300).tolist(), rng.permutation(grades).tolist()) for _ in range(20)}
    assert len(seen) == 1


@pytest.mark.exhaustive
def test_a_million_tied_items() -> None:
    """R = 1/16 for all: the reader stops at place k with chance (15/16)^(k-1) / 16."""
    n = 1_000_000
    wanted = sum((15 / 16) ** (k - 1) / 16 / k for k in range(1, 2000))
    assert value(ERR(), np.zeros(n), np.ones(n)) == pytest.approx(wanted, rel=1e-13, abs=0)


def test_a_label_above_the_scale_is_refused() -> None:
    ERR().check(np.array([0.0, 4.0, math.nan, -1.0]))
    with pytest.raises(DataError, match=r"ERR@5: label 5 is above max_grade=4.* Write ERR\(max_grade=7\)"):
        ERR(cutoff=5).check(np.array([0.0, 5.0, 7.0]))
    with pytest.raises(DataError, match=r"ERR: label 5 is above max_grade=4"):
        ERR().of_labels([0, 5])


def test_explanation_shows_where_the_reader_stops() -> None:
    told = ERR(max_grade=1).explain(lists_of([3, 2, 1], [1, 0, 1]))
    assert told.rows == [(0.5, 0.5, 0.5, 0.5), (0.0, 0.0, 0.0, 0.5), (0.5, 0.25, 0.25 / 3, 0.5 + 0.25 / 3)]
    assert told.steps == ["ERR(max_grade=1) = 0.583333"]


def test_printed_form() -> None:
    prints(ERR(), "ERR")
    prints(ERR(max_grade=2.0, cutoff=20), "ERR(max_grade=2)@20")
    prints(ERR(max_grade=2.5), "ERR(max_grade=2.5)")


@pytest.mark.parametrize("max_grade", [0, -1, 1001, math.inf, "4"])
def test_parameters(max_grade: object) -> None:
    with pytest.raises(ArgumentError, match="Argument max_grade of ERR must"):
        ERR(max_grade=max_grade)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"ERR has no parameter 'maxgrade'\. Did you mean 'max_grade'"):
        metric("ERR(maxgrade=4)")
