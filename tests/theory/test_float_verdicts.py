"""Floats of a user's metric never change a verdict, but to undecided."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product
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

SCRIPT = script("research/float_verdicts.py")
wrong_outcomes = SCRIPT.wrong_outcomes


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


def in_cents(kind: Any) -> Any:
    """Positional, so it has a target: cents in a narrow type, made euros later."""

    def revenue(ranking: tuple[int, ...], labels: Any) -> float:
        cents = kind(0)
        for rank, item in enumerate(ranking):
            cents = kind(float(cents) + float(kind(0.8**rank * 1234)) * labels[item])
        return 0.01 * float(cents)

    return revenue


@every_case(
    ("kind", "outcome"), [(float, "consistent"), (np.float16, "undecided"), (SCRIPT.bfloat16, "undecided")]
)
def test_revenue_in_float16_made_euros_later_is_not_inconsistent(kind: Any, outcome: str) -> None:
    """12.34, 9.87 and 7.895 look like decimal numbers, but are 1234, 987 and 789.5 of float16."""
    assert rp.certify_metric(in_cents(kind)).outcome == outcome


@every_case("scale", [7.3, 0.1, 0.01, 100.0, 0.73])
@every_case("factor", [1, 20, 100, 1000])
@every_case("kind", [np.float16, SCRIPT.bfloat16])
def test_a_scale_does_not_hide_a_narrow_type(kind: Any, factor: int, scale: float) -> None:
    """The metric of seed 900097 of research/float_verdicts.py has a target, and once had none times 7.3."""
    exact = SCRIPT.drawn_metric(random.Random(900097))
    assert SCRIPT.existence_outcome(exact, graded_space(3, 2)) == "target"

    def scaled(ranking: tuple[int, ...], labels: Any) -> float:
        return scale * float(kind(float(factor * exact(ranking, labels))))

    assert SCRIPT.existence_outcome(scaled, graded_space(3, 2)) in ("target", "undecided")


def test_a_constant_added_later_does_not_hide_a_narrow_type() -> None:
    """1 + 10**6 * 135 shows 27 bits; and 135, 144 and 150 differ by 9 and 6, which are simple."""
    numbers = [[0.0, 135.0, 278.0], [0.0, 144.0, 284.0], [0.0, 150.0, 294.0]]
    for add, scale in ((1.0, 1e6), (-271.828182845, 0.1)):
        slack = as_fractions([[add + scale * number for number in row] for row in numbers])[1]
        assert slack > scale


@every_case("items", [3, 4, 5])
def test_simple_metrics_in_floats_stay_decided(items: int) -> None:
    def precision(ranking: tuple[int, ...], labels: Any) -> float:
        hits = [rank for rank, item in enumerate(ranking, 1) if labels[item]]
        return sum(found / rank for found, rank in enumerate(hits, 1)) / max(len(hits), 1)

    def gain(ranking: tuple[int, ...], labels: Any) -> float:
        return sum(labels[item] / rank for rank, item in enumerate(ranking, 1))

    def normalised(ranking: tuple[int, ...], labels: Any) -> float:
        best = sorted(ranking, key=lambda item: -labels[item])
        return gain(ranking, labels) / max(gain(tuple(best), labels), 1)

    def priced(ranking: tuple[int, ...], labels: Any) -> float:
        return sum(
            price * labels[item] for price, item in zip((12.34, 9.87, 7.895, 6.1, 5), ranking, strict=False)
        )

    expected = {
        precision: "none",
        reciprocal_rank: "none",
        gain: "target",
        normalised: "target",
        priced: "target",
    }
    for metric, outcome in expected.items():
        assert SCRIPT.existence_outcome(metric, graded_space(items, 2)) == outcome
    if items == 3:
        assert SCRIPT.existence_outcome(gain, graded_space(3, 5)) == "target"


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


@every_case("seed", [1329, 2250, 3300, 3543, 21685, 21798])
def test_gains_of_a_millionth_are_not_taken_for_multiples(seed: int) -> None:
    """Float64 that once had a target: the first two places weigh the same, but for a little RR."""
    assert list(wrong_outcomes(seed, 1, graded_space(3, 2))) == []


def test_a_gain_of_a_millionth_is_known_to_few_digits() -> None:
    """Items 0 and 1 at the top gain 1e-6/2; below, e - 1 and once 1e-6/6 more, which is no multiple."""
    weights = (math.e, math.e, 1.0)

    def metric(ranking: tuple[int, ...], labels: Any, share: float) -> float:
        gain = sum(w * labels[item] for w, item in zip(weights, ranking, strict=True))
        return gain + share * reciprocal_rank(ranking, labels)

    for share, outcomes in {0.0: ["target"], 0.1: ["none"], 1e-6: ["none", "undecided"]}.items():
        outcome = SCRIPT.existence_outcome(partial(metric, share=share), graded_space(3, 2))
        assert outcome in outcomes


@every_case("seed", [7839, 10516, 11536, 18664, 19898, 22782, 27655])
def test_narrow_floats_that_were_not_seen_to_be_such(seed: int) -> None:
    """All of these have a target, and once had none in float16 or bfloat16."""
    assert list(wrong_outcomes(seed, 1, graded_space(3, 2))) == []


def test_bfloat16_that_happens_to_end_in_0_is_not_exact() -> None:
    """Multiples of 1/64 between 1 and 2, where bfloat16 has multiples of 1/128."""
    values = {0: [64] * 3, 1: [70, 69, 67], 2: [67, 66, 66], 3: [68] * 3}
    numbers = [[values[y][k] / 64 for y in range(4)] for k in range(3)]
    assert as_fractions(numbers)[1] > 0
    # That so many of them end in 0 is no chance.
    assert as_fractions([[k / 64] for k in range(64, 80)])[1] == 0


def test_prices_of_seven_bits_stay_exact() -> None:
    """61, 41 and 12 by the place: 7 bits, but sums of a price times a label."""

    def revenue(ranking: tuple[int, ...], labels: Any) -> float:
        return sum(price * labels[item] for price, item in zip((61.0, 41.0, 12.0), ranking, strict=True))

    assert value_table(revenue, graded_space(3, 2)).slack == 0


@every_case("add", [0.0, 1.0])
def test_float16_of_very_different_sizes_shows_when_scaled(add: float) -> None:
    """6, 11/6 and 1/12 times a gain, as in seed 19898: the small numbers have more digits after the point."""

    def metric(ranking: tuple[int, ...], labels: Any) -> float:
        gains = (17.42, 5.324, 0.24203)
        return add + 1000 * float(
            np.float16(sum(g * labels[item] for g, item in zip(gains, ranking, strict=True)))
        )

    table = value_table(metric, graded_space(3, 2))
    # Known to a few of the last of 8 bits of the largest number.
    assert table.slack >= Fraction(2) ** (math.frexp(float(table.size))[1] - 8)


def test_what_all_rankings_share_does_not_hide_a_narrow_type() -> None:
    """With no relevant item the value is 0.0015, in bfloat16 with digits far behind the point."""
    by_labels = {
        labels: -271.828182845 + SCRIPT.bfloat16(0.0015 if not any(labels) else gain)
        for labels, gain in zip(
            product((0, 1), repeat=3), (0, 0.595, 0.605, 1.2, 8.69, 9.285, 9.296, 9.89), strict=True
        )
    }
    table = value_table(SCRIPT.by_labels(by_labels), graded_space(3, 2))
    assert table.slack > 1


@every_case("grades", [2, 3])
def test_no_float_changes_a_verdict(grades: int) -> None:
    many = 48 if grades == 2 else 10
    assert list(wrong_outcomes(20_000 * grades, many, graded_space(3, grades))) == []


@pytest.mark.exhaustive
@every_case("start", range(0, 3000, 750))
def test_no_float_changes_a_verdict_of_many(start: int) -> None:
    """39,000 questions; research/float_verdicts.py asks as many as one likes."""
    assert list(wrong_outcomes(start, 750, graded_space(3, 2))) == []


def test_chunks_of_metrics_are_each_asked_about_once() -> None:
    jobs = SCRIPT.chunks(10, 7, 2, 3)
    seeds = [seed for job in jobs for seed in range(job["seed"], job["seed"] + job["metrics"])]
    assert seeds == list(range(10, 17))
    whole = SCRIPT.chunk({"seed": 10, "metrics": 7, "grades": 2})
    parts: Counter[tuple[str, ...]] = Counter()
    for job in jobs:
        parts.update({tuple(case): many for *case, many in SCRIPT.chunk(job)["counts"]})
    assert parts == {tuple(case): many for *case, many in whole["counts"]}
    assert sum(parts.values()) == 7 * 13


def test_a_wrong_verdict_is_counted_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        ["Fraction", "none", "none", 5],
        ["float16", "none", "undecided", 3],
        ["float16", "none", "none", 1],
    ]
    SCRIPT.show([{"counts": cases, "wrong": []}, {"counts": cases, "wrong": [["7", "float16"]]}])
    lines = capsys.readouterr().out.splitlines()
    assert "WRONG 7 float16" in lines
    assert lines[-1] == "18 questions, 1 wrong"
    assert [line.split() for line in lines if line[:22].strip() == "float16" and "%" in line] == [
        ["float16", "undecided", "75.0%"]
    ]
