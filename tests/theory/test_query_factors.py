"""Users' metrics whose target has a factor per query: what is certified is what training trains on."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import graded_space
from rankproof.losses.choose import choose_loss
from rankproof.metrics.own.rule import LabelRule
from rankproof.theory.arithmetic.intervals import UnprovenError
from rankproof.theory.base.query_factors import QueryFactors, with_factors_of
from rankproof.theory.base.values import as_any_metric, value_table
from rankproof.theory.certify import certify
from rankproof.theory.formulas.inputs import exact_inputs

WORTHS = (0, 1, 5)
TARGET = "label-worth(worths=[0,1,5],factor=query)"
# The worth of label 2 is another one, so that sorting by the mean of this is wrong.
WRONG = "squared:label-worth(worths=[0,1,2],factor=query)"
CODE = """
from fractions import Fraction

def own(ranking, feedback):
    gains = [(0, 1, 5)[feedback[item]] for item in ranking]
    best = sum(Fraction(gain, k) for k, gain in enumerate(sorted(gains, reverse=True), start=1))
    return sum(Fraction(gain, k) for k, gain in enumerate(gains, start=1)) / best if best else None

def lost(ranking, feedback):
    value = own(ranking, feedback)
    return None if value is None else 1 - value

def in_floats(ranking, feedback):
    import math
    gains = [(0, 1, 5)[feedback[item]] for item in ranking]
    best = sum(gain / math.log2(k + 1) for k, gain in enumerate(sorted(gains, reverse=True), start=1))
    return sum(gain / math.log2(k + 1) for k, gain in enumerate(gains, start=1)) / best if best else None
"""


def ideal(labels: Any) -> Fraction:
    gains = sorted((WORTHS[int(y)] for y in labels), reverse=True)
    return sum((Fraction(gain, k) for k, gain in enumerate(gains, start=1)), Fraction(0))


def own(ranking: tuple[int, ...], feedback: Any) -> Fraction | None:
    best = ideal(feedback)
    gains = [WORTHS[int(feedback[item])] for item in ranking]
    return sum((Fraction(g, k) for k, g in enumerate(gains, start=1)), Fraction(0)) / best if best else None


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with the metric in fractions, the same as a loss, and one like it in floats."""
    file = tmp_path_factory.mktemp("factors") / "mine.py"
    file.write_text(CODE)
    return str(file)


@pytest.fixture(scope="module")
def refuted(place: str) -> dict[str, Any]:
    verdict = certify(WRONG, f"{place}:own", grades=3)
    assert verdict.outcome == "inconsistent"
    return verdict.to_dict()


def test_the_factor_is_one_over_the_ideal() -> None:
    table = {n: value_table(as_any_metric(own), graded_space(n, 3)) for n in (2, 3, 4)}
    factors = QueryFactors(LabelRule((0, 1, 2), WORTHS, True), table.__getitem__)
    for n in (2, 3, 4):
        assert factors.exact(n)
        for labels in product(range(3), repeat=n):
            assert factors(labels) == (1 / ideal(labels) if len(set(labels)) > 1 else 0)


def test_what_is_certified_is_what_is_trained_on() -> None:
    trained = rp.own_metric(own, grades=3)
    target = rp.target_for(trained)
    assert str(target) == TARGET
    exact = with_factors_of(rp.loss(f"squared:{TARGET}"), as_any_metric(own))
    for n in (2, 3):
        for labels in product(range(3), repeat=n):
            assert exact_inputs(exact, Graded(labels)) == target.of_labels(labels)


@pytest.mark.parametrize(
    ("loss", "name", "direction"),
    [("softmax", "own", "higher"), ("squared", "lost", "lower"), ("cosine", "in_floats", "higher")],
)
def test_a_name_alone_is_aimed_at_the_target_and_replayed(
    place: str, loss: str, name: str, direction: str
) -> None:
    verdict = certify(loss, f"{place}:{name}", grades=3, direction=direction)
    assert (verdict.outcome, verdict.rule) == ("consistent", "exhausted")
    assert verdict.loss == f"{loss}:{TARGET}"
    stored = json.loads(verdict.to_json())
    assert rp.replay(stored).holds
    assert rp.replay(stored, run_code=True).holds
    # It is the verdict on the loss that a fit prints, and that a ranker has as an object.
    metric = rp.own_metric(f"{place}:{name}", direction=direction, grades=3)
    aimed = choose_loss(metric, loss).loss
    assert str(aimed) == verdict.loss
    assert certify(aimed, f"{place}:{name}", grades=3, direction=direction) == verdict


def test_without_the_factor_the_same_worths_fail(place: str) -> None:
    """So the factor matters, and the verdicts above are about it."""
    verdict = certify("squared:label-worth(worths=[0,1,5])", f"{place}:own", grades=3)
    assert verdict.outcome == "inconsistent"
    assert rp.replay(verdict.to_dict()).holds


def test_a_wrong_worth_is_refuted_and_the_law_holds_by_hand(refuted: dict[str, Any]) -> None:
    assert rp.replay(refuted).holds
    assert rp.replay(refuted, run_code=True).holds
    piece = refuted["evidence"][0]
    law = Law.from_dict(piece["law"])
    # The stored exchange of first and last for one item of label 1, the others 0: 1 - 1/n.
    assert Fraction(piece["unit"]) == 1 - Fraction(1, law.items)
    # u = (0, 1, 2)[y] f, where f is how much `own` loses when the ends of the order change places.
    means, worth = [Fraction(0)] * law.items, [Fraction(0)] * law.items
    for y, p in law.pairs():
        labels = [int(label) for label in y]
        low, high = min(labels), max(labels)
        gain, step = WORTHS[high] - WORTHS[low], high - low
        for i, label in enumerate(labels):
            worth[i] += p * WORTHS[label] / (ideal(labels) or 1)
            means[i] += p * Fraction(label * gain, step) / ideal(labels) if step else 0
    assert [Fraction(s).limit_denominator(10**6) for s in piece["scores"]] == means
    items = range(law.items)
    reached = tuple(sorted(items, key=lambda i: -means[i]))
    best = tuple(sorted(items, key=lambda i: -worth[i]))
    assert list(reached) in piece["minimiser_rankings"]
    assert list(best) in piece["best_rankings"]
    lost = sum(
        ((worth[i] - worth[j]) / k for k, (i, j) in enumerate(zip(best, reached, strict=True), start=1)),
        Fraction(0),
    )
    assert Fraction(piece["cost"]) == lost > 0


def _unit(value: Any) -> Callable[[dict[str, Any]], None]:
    def change(piece: dict[str, Any]) -> None:
        piece["unit"] = value

    return change


def _other_loss(piece: dict[str, Any]) -> None:
    piece.pop("unit")


def _other_values(piece: dict[str, Any]) -> None:
    rows = piece["values"]["rows"]
    rows[0], rows[-1] = rows[-1], rows[0]


@pytest.mark.parametrize("change", [_unit("-1/2"), _unit("1/7"), _unit("x"), _other_loss, _other_values])
def test_tampered_factors_are_refused(change: Callable[[dict[str, Any]], None], refuted: Any) -> None:
    plain = copy.deepcopy(refuted)
    change(plain["evidence"][0])
    assert not rp.replay(plain).holds


def test_a_unit_that_only_the_function_can_tell_is_compared_with_it(refuted: dict[str, Any]) -> None:
    """Another unit is another scale of the target; with scores to match, only the function tells."""
    plain = copy.deepcopy(refuted)
    piece = plain["evidence"][0]
    piece["unit"] = str(Fraction(piece["unit"]) / 2)
    piece["minimum"]["center"] = [str(2 * Fraction(x)) for x in piece["minimum"]["center"]]
    piece["scores"] = [2 * x for x in piece["scores"]]
    assert rp.replay(plain).holds
    wrong = [str(one.wrong) for one in rp.replay(plain, run_code=True).pieces if one.wrong is not None]
    assert any("gives other factors per query today" in text for text in wrong)


def test_a_unit_needs_a_loss_with_factors(place: str) -> None:
    plain = certify("squared:label-worth(worths=[0,1,5])", f"{place}:own", grades=3).to_dict()
    plain["evidence"][0]["unit"] = "1/2"
    wrong = [str(one.wrong) for one in rp.replay(plain).pieces if one.wrong is not None]
    assert any("has no factor per query" in text for text in wrong)


def test_factors_up_to_rounding_prove_no_counterexample(place: str) -> None:
    verdict = certify(WRONG, f"{place}:in_floats", grades=3)
    assert verdict.outcome == "undecided"
    metric = as_any_metric(rp.own_metric(f"{place}:in_floats"))
    loss = with_factors_of(rp.loss(WRONG), metric)
    with pytest.raises(UnprovenError, match="float precision only"):
        exact_inputs(loss, Graded((0, 1, 2)))


def test_worths_that_are_not_positive_are_refused_where_the_loss_needs_them() -> None:
    def spammy(ranking: tuple[int, ...], feedback: Any) -> Fraction | None:
        gains = [(0, 2, -1)[int(feedback[item])] for item in ranking]
        spread = max(gains) - min(gains)
        return sum((Fraction(g, k) for k, g in enumerate(gains, 1)), Fraction(0)) / spread if spread else None

    with pytest.raises(ArgumentError, match="takes targets of at least 0"):
        certify("softmax", spammy, grades=3)
    assert certify("squared", spammy, grades=3).loss == (
        "squared:label-worth(worths=[0,1,-1/2],factor=query)"
    )


def test_factors_of_one_metric_are_not_those_of_another(place: str) -> None:
    loss = rp.loss("squared", metric=rp.own_metric(f"{place}:own", grades=3))
    with pytest.raises(ArgumentError, match="has a factor per query that is read off"):
        certify(loss, f"{place}:in_floats", grades=3)


def test_labels_without_worth_and_lists_without_values_are_named(place: str) -> None:
    with pytest.raises(ArgumentError, match="The label 2 is not among the labels 0, 1"):
        certify("squared:label-worth(worths=[0,1],factor=query)", f"{place}:own", grades=3)
    table = value_table(as_any_metric(own), graded_space(2, 3))
    factors = QueryFactors(LabelRule((0, 1, 2), WORTHS, True), lambda _: table)
    with pytest.raises(DataError, match="none for the labels 0, 1, 1"):
        factors((1, 0, 1))
