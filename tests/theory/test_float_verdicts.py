"""Floats of a user's metric never change a verdict, but to undecided."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from every_case import every_case
from rankproof.errors import PrecisionError
from rankproof.feedback.spaces import graded_space
from rankproof.theory.base.values import value_table
from rankproof.theory.custom.floats import as_fractions
from theory.benchmark_scripts import script
from theory.questions import float_dcg

wrong_outcomes = script("research/float_verdicts.py").wrong_outcomes


def reciprocal_rank(ranking: tuple[int, ...], labels: Any) -> float:
    return next((1 / k for k, item in enumerate(ranking, 1) if labels[item]), 0.0)


@every_case("kind", [np.float32, np.float16])
@every_case("p", [0.8, 0.85, 0.95, 0.37])
def test_a_metric_in_a_narrow_type_is_not_hopeless(kind: Any, p: float) -> None:
    """RBP has a target. In float32 its gains are no exact multiples of one vector."""

    def rbp(ranking: tuple[int, ...], labels: Any) -> float:
        total = kind(0)
        for rank, item in enumerate(ranking):
            total += kind(1 - p) * kind(p) ** kind(rank) * kind(labels[item])
        return float(total)

    assert rp.certify_metric(rbp).outcome != "inconsistent"


def test_a_narrow_type_is_said_to_be_one() -> None:
    def rbp(ranking: tuple[int, ...], labels: Any) -> float:
        return float(sum(np.float32(0.2 * 0.8**k) * labels[item] for k, item in enumerate(ranking)))

    verdict = rp.certify_metric(rbp)
    assert verdict.outcome == "undecided"
    assert "float32" in verdict.reason
    assert "fractions.Fraction" in verdict.reason


def test_a_large_margin_is_seen_in_float32() -> None:
    """What AP loses is much more than the rounding."""

    def precision(ranking: tuple[int, ...], labels: Any) -> np.float32:
        found, total = 0, np.float32(0)
        for rank, item in enumerate(ranking, 1):
            found += labels[item]
            total += np.float32(found) / np.float32(rank) * np.float32(labels[item])
        return total / np.float32(max(found, 1))

    assert rp.certify_metric(precision).outcome == "inconsistent"


def large(ranking: tuple[int, ...], labels: Any) -> float:
    return 1e8 + 10 * float_dcg(ranking, labels) + 1e-3 * reciprocal_rank(ranking, labels)


def test_a_small_part_beside_a_large_constant_is_not_lost() -> None:
    """DCG has a target, RR has none, so the sum has none."""
    assert rp.certify_metric(large).outcome != "consistent"
    assert rp.certify("squared:gain", large).outcome != "consistent"


@every_case("offset", [0.0, 1.0, 1e4, 1e8, 1e12, 1e16])
def test_regret_is_zero_for_the_best_rankings_and_no_others(offset: float) -> None:
    def shifted(ranking: tuple[int, ...], labels: Any) -> float:
        return offset + 10 * float_dcg(ranking, labels) + 1e-3 * reciprocal_rank(ranking, labels)

    law = rp.Law({(1, 0, 1): "1/3", (0, 1, 1): "2/3"})
    try:
        best = rp.optimal_rankings(shifted, law)
    except PrecisionError:
        with pytest.raises(PrecisionError):
            rp.regret(shifted, law, (0, 1, 2))
        return
    for ranking in value_table(shifted, graded_space(3, 2)).rankings:
        assert (rp.regret(shifted, law, ranking) == 0) == (ranking in best)


@every_case(
    ("numbers", "exact"),
    [
        ([0.5, 0.25, 1.75], True),
        ([1 / 3, 0.1, 2.0], True),
        ([105.0, 52.5, 26.25], True),
        ([math.pi, math.e, 1.0], False),
        ([float(np.float32(0.1)), float(np.float32(0.3))], False),
        ([float(np.float16(0.1)), float(np.float16(0.3))], False),
        ([7.3 * float(np.float16(0.1)), 7.3 * float(np.float16(0.3)), 7.3 * float(np.float16(0.7))], False),
        ([np.float32(1), np.float32(0.5)], True),
    ],
)
def test_which_floats_are_exact(numbers: list[Any], exact: bool) -> None:
    from rankproof.theory.custom.metric import _number

    assert (as_fractions([[_number(number)] for number in numbers])[1] == 0) is exact


def test_the_slack_is_in_units_of_the_type() -> None:
    wide = as_fractions([[math.pi], [math.e]])[1]
    # 13421773 / 2**27 and 11744051 / 2**24 have no common factor.
    narrow = as_fractions([[float(np.float32(0.1))], [float(np.float32(0.7))]])[1]
    assert wide == 4 * Fraction(math.ulp(math.pi))
    assert narrow == 4 * Fraction(float(np.spacing(np.float32(0.7))))


@every_case("grades", [2, 3])
def test_no_float_changes_a_verdict(grades: int) -> None:
    many = 25 if grades == 2 else 6
    assert list(wrong_outcomes(20_000 * grades, many, graded_space(3, grades))) == []


@pytest.mark.exhaustive
@every_case("start", range(0, 1000, 250))
def test_no_float_changes_a_verdict_of_many(start: int) -> None:
    """9,000 questions; research/float_verdicts.py asks as many as one likes."""
    assert list(wrong_outcomes(start, 250, graded_space(3, 2))) == []
