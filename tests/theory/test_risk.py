"""Risks are exact means over laws, rankings and ties; what depends on digits not computed is refused."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from math import log2, sqrt
from typing import Any

import pytest

from metrics.one_query import value
from rankproof.errors import ArgumentError, DataError, PrecisionError
from rankproof.feedback import Law, Permutation, PreferenceGraph
from rankproof.feedback.spaces import space_of
from rankproof.metrics import METRICS
from rankproof.metrics.parse import metric as metric_of
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.arithmetic.metric_fractions import (
    PRECISIONS,
    discount_fractions,
    in_fractions,
    root_fraction,
)
from rankproof.theory.base.risk import optimal_rankings, regret, risk_of_scores, risks
from rankproof.theory.noise.laws import sample

TABLE_2 = Law({(1, 1, 0): Fraction(8, 13), (0, 0, 1): Fraction(5, 13)})


def test_risks_by_hand() -> None:
    """AP of 110 at rankings 0-1-2 and 2-0-1 is 1 and (1/2 + 2/3)/2; of 001 it is 1/3 and 1."""
    worth = risks("AP", TABLE_2)
    assert worth[0, 1, 2] == Fraction(8, 13) + Fraction(5, 13) * Fraction(1, 3)
    assert worth[2, 0, 1] == Fraction(8, 13) * Fraction(7, 12) + Fraction(5, 13)
    assert set(worth) == set(permutations(range(3)))


def test_c12_table_2() -> None:
    """ERR with a in (1/3, 1/2), AP at 5/13, PD with a in (2/3, 1); items counted from 0."""
    share = Fraction(2, 5)
    law = Law({(1, 1, 0): 1 - share, (0, 0, 1): share})
    assert optimal_rankings("ERR(max_grade=1)", law) == ((0, 2, 1), (1, 2, 0))
    assert optimal_rankings("AP", TABLE_2) == ((0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0))
    chain = PreferenceGraph([(0, 1), (1, 2), (0, 2)], 3)
    law = Law({chain: Fraction(1, 5), PreferenceGraph([(2, 0)], 3): Fraction(4, 5)})
    assert optimal_rankings("PD", law) == ((1, 2, 0), (2, 0, 1))


@pytest.mark.parametrize("name", [name for name, cls in METRICS.items() if "graded" in cls.feedback_kinds])
def test_scores_with_ties_are_worth_what_the_metric_says(name: str) -> None:
    """The metric's own value of tied scores is the mean over the rankings that sort them."""
    metric = metric_of(f"{name}@2" if name in ("P", "R", "F", "Success") else name)
    rng = random.Random(5)
    sign = 1 if metric.direction == "higher" else -1
    for _ in range(12):
        law = sample(None, 3, 3, rng)
        scores = [rng.choice([0.0, 1.0, 2.0]) for _ in range(3)]
        own = 0.0
        for y, p in law.pairs():
            of_query = value(metric, scores, [float(grade) for grade in y])  # type: ignore[union-attr]
            own += 0.0 if of_query != of_query else float(p) * of_query
        assert float(risk_of_scores(metric, law, scores)) == pytest.approx(sign * own, abs=1e-12)


def test_equal_scores_are_the_mean_of_all_rankings() -> None:
    worth = risks("AP", TABLE_2)
    assert risk_of_scores("AP", TABLE_2, [0, 0, 0]) == sum(worth.values()) / 6
    assert risk_of_scores("AP", TABLE_2, [1, 1, 0]) == (worth[0, 1, 2] + worth[1, 0, 2]) / 2


@pytest.mark.parametrize(
    ("scores", "rankings"),
    [
        ([3, 1, 2], [(0, 2, 1)]),
        ([1, 1, 2], [(2, 0, 1), (2, 1, 0)]),
        ([0.1 + 0.2, 0.3], [(0, 1)]),
        ([Fraction(1, 3), Fraction(2, 6)], [(0, 1), (1, 0)]),
        ([float("inf"), 1.0], [(0, 1)]),
    ],
)
def test_rankings_that_sort_scores(scores: list[Any], rankings: list[tuple[int, ...]]) -> None:
    assert list(sorting_rankings(scores)) == rankings


def test_regret_is_what_is_missing() -> None:
    assert regret("AP", TABLE_2, (0, 2, 1)) == Fraction(1, 26)
    assert regret("AP", TABLE_2, (0, 1, 2)) == 0
    assert regret("AP", TABLE_2, scores=[1, 0, 0]) == Fraction(1, 52)
    assert regret("AP", TABLE_2, scores=[2, 1, 0]) == 0


def test_a_metric_of_which_less_is_better_is_in_gain_form() -> None:
    law = Law({PreferenceGraph([(0, 1)], 2): Fraction(3, 4), PreferenceGraph([(1, 0)], 2): Fraction(1, 4)})
    assert risks("PD", law) == {(0, 1): Fraction(-1, 4), (1, 0): Fraction(-3, 4)}
    assert regret("PD", law, (1, 0)) == Fraction(1, 2)


def test_an_empty_query_adds_nothing() -> None:
    law = Law({(1, 0): Fraction(1, 2), (0, 0): Fraction(1, 2)})
    assert risks("AP", law) == {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 4)}


def test_permutations_as_feedback() -> None:
    law = Law({Permutation((1, 2)): Fraction(2, 3), Permutation((2, 1)): Fraction(1, 3)})
    assert optimal_rankings("ZeroOne", law) == ((0, 1),)
    assert regret("ZeroOne", law, (1, 0)) == Fraction(1, 3)


def test_a_function_is_a_metric_too() -> None:
    assert optimal_rankings(lambda ranking, feedback: feedback[ranking[0]], Law({(0, 1): 1})) == ((1, 0),)


# Precision --------------------------------------------------------------------------------------------


def test_logarithms_are_cut_off_at_the_stated_digits() -> None:
    for digits in PRECISIONS:
        weight = discount_fractions("log2", 2, digits)[1]
        assert weight.denominator <= 10**digits
        assert 0 <= 1 / log2(3) - float(weight) < 1e-15
    assert discount_fractions("log2", 7, 30)[2] == Fraction(1, 2)
    assert discount_fractions("log2", 7, 30)[6] == Fraction(1, 3)


def test_an_answer_that_depends_on_digits_not_computed_is_refused() -> None:
    """Items 0 and 2 are worth p / (1 + 1/log2(3)) each, item 1 is worth 1 - p: a p at which they tie."""
    weight = discount_fractions("log2", 2, PRECISIONS[0])[1]
    share = 1 / (1 + weight)
    p = 1 / (1 + share)
    law = Law({(1, 0, 1): p, (0, 1, 0): 1 - p})
    with pytest.raises(PrecisionError, match="depends on digits beyond those computed"):
        optimal_rankings("nDCG", law)
    nearby = Law({(1, 0, 1): p + Fraction(1, 10**20), (0, 1, 0): 1 - p - Fraction(1, 10**20)})
    assert optimal_rankings("nDCG", nearby) == ((0, 2, 1), (2, 0, 1))


def test_roots_are_computed_to_the_digits_and_nothing_else_is_taken_for_one() -> None:
    assert root_fraction(sqrt(2 / 3), 5) == Fraction(81649, 100000)
    assert root_fraction(0.25, 30) == Fraction(1, 4)
    for number in (0.6934264036172708, 2**0.3, 1 / log2(3)):
        with pytest.raises(PrecisionError, match="not the root of a simple fraction"):
            root_fraction(number, 30)


def test_tables_of_gains_and_discounts_are_exact() -> None:
    metric = in_fractions(metric_of("nDCG(gain=[0,0.1,0.7],discount=[1,0.5,0.3])"), 3, 30)
    value = metric.of_labels([0, 1, 2])
    gains, weights = (0.1, 0.7), (1.0, 0.5, 0.3)
    part = Fraction(gains[0]) * Fraction(weights[1]) + Fraction(gains[1]) * Fraction(weights[2])
    ideal = Fraction(gains[1]) + Fraction(gains[0]) * Fraction(weights[1])
    assert value == part / ideal


def test_values_known_to_float_precision_only_are_refused() -> None:
    with pytest.raises(PrecisionError, match="Use whole-number parameters"):
        optimal_rankings("ERR(max_grade=2.5)", Law({(1, 1): 1}))


# Wrong use -------------------------------------------------------------------------------------------------


def test_wrong_use_is_told() -> None:
    with pytest.raises(ArgumentError, match=r"must be a Law, got dict. Write rankproof\.Law"):
        optimal_rankings("AP", {(1, 0): 1})  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="must be a Law, got int"):
        risks("AP", 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="at most 6 items, got 7"):
        risks("AP", Law({(1, 0, 0, 0, 0, 0, 0): 1}))
    with pytest.raises(ArgumentError, match="a ranking or scores, and not both"):
        regret("AP", TABLE_2)
    with pytest.raises(ArgumentError, match="a ranking or scores, and not both"):
        regret("AP", TABLE_2, (0, 1, 2), scores=[1, 2, 3])
    with pytest.raises(ArgumentError, match=r"lists each of the 3 items once, best first, got \(0, 1\)"):
        regret("AP", TABLE_2, (0, 1))
    with pytest.raises(ArgumentError, match=r"one number per item \(3\), got 2"):
        risk_of_scores("AP", TABLE_2, [1, 2])
    with pytest.raises(ArgumentError, match="scores must be numbers"):
        risk_of_scores("AP", TABLE_2, [1, float("nan"), 2])
    with pytest.raises(ArgumentError, match="defined on feedback of kind graded"):
        risks("AP", Law({Permutation((1, 2)): 1}))
    with pytest.raises(DataError, match="label 5 is above max_grade=4"):
        risks("ERR", Law({(5, 0): 1}))


def test_the_space_of_a_law_is_its_support() -> None:
    assert space_of(TABLE_2).feedback == TABLE_2.support
    assert space_of(TABLE_2).labels == (0, 1)
