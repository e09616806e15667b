"""`certify` is not fooled by few items, takes parameters at their word, and tells wrong use in one line."""

from __future__ import annotations

from typing import Any

import pytest

from every_case import exhaustive
from rankproof.errors import ArgumentError, DataError, RankproofError
from rankproof.feedback import Law
from rankproof.feedback.spaces import graded_space
from rankproof.losses import ListNet, Ordinal, PointwiseLogistic, Softmax, Squared
from rankproof.targets import GainTarget, UserTarget
from rankproof.theory.base.verdict import Inconsistent, Undecided
from rankproof.theory.certify import certify, certify_metric
from rankproof.theory.formulas.sorting import sorting_of
from theory.questions import always_one, asked, first_two, name_of, share_of_pairs, success_at_2

# What few items would make believe ---------------------------------------------------------------------


@pytest.mark.exhaustive
def test_agreement_by_chance_is_refuted_on_more_items() -> None:
    verdict = certify("pointwise-logistic", "AUC")
    assert isinstance(verdict, Inconsistent)
    law = Law.from_dict(verdict.evidence[0].data["law"])
    assert law.items == 4


def test_a_metric_that_loses_its_target_on_more_items() -> None:
    verdict = certify_metric(success_at_2)
    assert isinstance(verdict, Inconsistent)
    assert verdict.evidence[-1].data["space"]["items"] == 4


def test_a_target_keeps_its_name_on_more_items() -> None:
    """On three items relevance serves too; on three grades nothing does."""
    assert not certify_metric(share_of_pairs)
    verdict = certify_metric(share_of_pairs, "binary")
    assert verdict
    assert verdict.evidence[0].data["closed_form"] == "pair-share"
    assert verdict.conditions == (
        "shown on 3 items with grades 0, 1; longer lists and other grades are not covered",
    )


def test_a_function_for_three_items_only_is_not_asked_for_four() -> None:
    def three(ranking: tuple[int, ...], feedback: Any) -> Any:
        first, second, _ = ranking
        return 2 * feedback[first] + feedback[second]

    assert certify_metric(three).rule == "target-exists"


@pytest.mark.parametrize(
    ("loss", "metric", "told"),
    [
        ("squared:gain", "P@6", "the same value on 3 items"),
        ("squared", always_one, "the same value on 3 items"),
        ("squared:normalised-gain@10", "nDCG@5", "what the cutoff does"),
    ],
    ids=name_of,
)
def test_undecided_says_why(loss: str, metric: Any, told: str) -> None:
    verdict = certify(loss, metric, effort=0.1)
    assert isinstance(verdict, Undecided)
    assert told in verdict.reason


def test_metrics_whose_absence_takes_too_many_items_are_undecided() -> None:
    assert isinstance(certify_metric("Success@5"), Undecided)
    assert isinstance(certify("softmax", "Success@5", effort=0.1), Undecided)


# Losses on labels that were given a target -------------------------------------------------------------


def test_what_is_known_of_labels_is_not_said_of_a_target() -> None:
    """Ordinal regression on 2^y - 1 does not sort as E[y], nor is P(2^y - 1 >= 2) always P(y >= 2)."""
    for loss in (
        Ordinal(target=GainTarget()),
        PointwiseLogistic(target=GainTarget()),
        ListNet(target=GainTarget()),
    ):
        assert sorting_of(loss) is None
    verdict = certify(Ordinal(target=GainTarget()), "DCG(gain=linear)", grades=3)
    assert isinstance(verdict, Inconsistent)


def test_what_a_user_says_of_a_target_is_tried() -> None:
    right = UserTarget(function=lambda y: [2 * g for g in y], metric="DCG(gain=linear)", why="twice the gain")
    wrong = UserTarget(function=lambda y: [-g for g in y], metric="DCG(gain=linear)", why="believe me")
    verdict = certify(Squared(target=right), "DCG(gain=linear)", grades=3)
    assert verdict
    assert verdict.conditions[0].endswith("as its user says: twice the gain")
    assert isinstance(certify(Squared(target=wrong), "DCG(gain=linear)", grades=3), Inconsistent)


def test_parameters_of_losses_count() -> None:
    assert certify("pointwise-logistic(rel=2)", "P(rel=2)@2", grades=3)
    assert not certify("pointwise-logistic", "P(rel=2)@2", grades=3)
    assert certify("squared:gain(gain=linear)", "DCG(gain=linear)", grades=3)
    assert not certify("squared:gain", "DCG(gain=linear)", grades=3)
    assert certify("squared:normalised-gain@2", "nDCG@2", grades=3)
    assert not certify("squared:normalised-gain@1", "nDCG@2", grades=3)


def test_gain_tables_that_are_not_whole() -> None:
    verdict = certify_metric("nDCG(gain=[0,0.1,0.7])", grades=3)
    assert verdict.find("target") is not None
    assert verdict.find("target").data["closed_form"] == "normalised-gain(gain=[0,0.1,0.7])"  # type: ignore[union-attr]


# Wrong use ---------------------------------------------------------------------------------------------

WRONG = [
    ({"items": 1}, "items must be an int >= 2, got 1"),
    ({"items": 7}, "items must be at most 6"),
    ({"items": 2.5}, "items must be an int"),
    ({"grades": 1}, "grades must be an int >= 2"),
    ({"grades": 40}, "more than the 5000"),
    ({"noise": "loud"}, "noise must be one of independent"),
    ({"noise": "order-preserving"}, "is about feedback of kind permutation"),
    ({"feedback": "clicks"}, "feedback must be one of graded"),
    ({"feedback": "preferences"}, "defined on feedback of kind graded"),
    ({"direction": "up"}, "direction must be one of higher, lower"),
    ({"direction": "lower"}, "of nDCG higher is better"),
    ({"effort": 0}, "effort must be a finite number above 0"),
    ({"effort": float("inf")}, "effort must be a finite number above 0"),
    ({"effort": float("nan")}, "effort must be a finite number above 0"),
    ({"effort": "much"}, "effort must be a finite number above 0"),
    ({"seed": -1}, "seed must be an int >= 0"),
    ({"seed": "x"}, "seed must be an int >= 0"),
    ({"loss": "softmx"}, "Did you mean 'softmax'"),
    ({"loss": ""}, "A loss is named"),
    ({"loss": "softmax:foo"}, "Unknown target or metric 'foo'"),
    ({"loss": None}, "Argument loss must be a loss"),
    ({"loss": 3}, "Argument loss must be a loss"),
    ({"loss": "no_such.py:f"}, "There is no file 'no_such.py'"),
    ({"metric": "nDCGG"}, "Did you mean 'nDCG'"),
    ({"metric": None}, "Argument metric must be a metric"),
    ({"metric": "no_such.py"}, "There is no file 'no_such.py'"),
    ({"loss": "ordinal", "grades": 6}, "whole grades from 0 to 4, got 5"),
    ({"loss": "RankNet", "metric": "DCG(gain=[0,1])", "grades": 3}, "no entry in the gain table"),
]


@pytest.mark.parametrize(("wrong", "told"), WRONG, ids=name_of)
def test_wrong_use_is_told(wrong: dict[str, Any], told: str) -> None:
    given = {"loss": "softmax", "metric": "nDCG", **wrong}
    loss, metric = given.pop("loss"), given.pop("metric")
    with pytest.raises(RankproofError) as caught:
        certify(loss, metric, **given)
    assert told in str(caught.value)


@pytest.mark.parametrize("noise", ["binary", "independent", "rank-differentiable"])
def test_noise_that_does_not_fit_the_feedback(noise: str) -> None:
    for ask in (certify_metric, lambda *words, **more: certify("softmax", *words, **more)):
        with pytest.raises(ArgumentError, match="is about feedback of kind"):
            ask("PD", noise, feedback="preferences")


def test_losses_that_cannot_read_the_feedback() -> None:
    with pytest.raises(ArgumentError, match="a preference graph has none"):
        certify("listnet", "PD", feedback="preferences")
    with pytest.raises(ArgumentError, match="defined on feedback of kind graded"):
        certify("squared:gain", "ZeroOne", feedback="permutation", noise="rank-differentiable")
    turned = UserTarget(function=lambda labels: [-grade for grade in labels])
    with pytest.raises(DataError, match="needs targets of at least 0, got -1"):
        certify(Softmax(target=turned), "nDCG")


@pytest.mark.parametrize("items", [2, 3, 4, *exhaustive(5, 6)])
def test_every_number_of_items(items: int) -> None:
    assert certify("softmax", "nDCG", items=items)
    assert certify_metric("P@2", items=items)


def test_the_table_beside_a_theorem_is_left_out_when_it_is_long() -> None:
    """Six items with three grades are 729 labels and 720 rankings."""
    verdict = certify("softmax", "nDCG", items=6, grades=3)
    assert [piece.kind for piece in verdict.evidence] == ["theorem"]


def test_a_seed_gives_the_same_verdict() -> None:
    assert certify("RankNet", "nDCG", seed=3).to_dict() == certify("RankNet", "nDCG", seed=3).to_dict()


def test_lower_is_better() -> None:
    def lost(ranking: tuple[int, ...], feedback: Any) -> Any:
        return -first_two(ranking, feedback)

    assert certify_metric(lost, direction="lower")
    assert certify("squared:gain(gain=linear)", lost, direction="lower")
    assert not certify("squared:gain(gain=linear)", lost, direction="higher")


def test_questions_with_one_item_more() -> None:
    question = asked("softmax", "nDCG")
    assert question.larger is not None
    assert question.larger.space == graded_space(4, 2)
    assert asked("softmax", "nDCG", items=6).larger is None
    assert asked("RankNet", "PD", feedback="preferences").larger is None
