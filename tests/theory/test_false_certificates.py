"""What once gave a wrong certificate: rounding read as exact, kinks, and classes derived from known ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import rankproof as rp
from every_case import few_cases
from rankproof.errors import ArgumentError
from rankproof.feedback import Law
from rankproof.losses.listnet import ListNet
from rankproof.losses.preorder import Preorder
from rankproof.metrics.dcg import DCG
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.custom.loss import as_user_loss
from rankproof.theory.minima.custom import check_user_minimum


@few_cases
@pytest.mark.parametrize("scale", [1.0, 1e6, 1e9, 1e12, 1e300])
def test_the_unit_of_a_metric_does_not_change_its_verdict(scale: float) -> None:
    """DCG has a target. Near 1e9 every float is within its last digits of a fraction with few digits."""

    def dcg(ranking: tuple[int, ...], labels: Any) -> float:
        return scale * sum(labels[item] / math.log2(rank + 2) for rank, item in enumerate(ranking))

    assert rp.certify_metric(dcg).outcome == "consistent"


def test_a_small_part_of_a_metric_is_not_taken_for_rounding_of_a_large_one() -> None:
    """On labels 0 and 1 this is AP, which has no target, beside values of 1e13 on labels with a 2."""

    def lexicographic(ranking: tuple[int, ...], labels: Any) -> float:
        found, precisions = 0, 0.0
        for rank, item in enumerate(ranking, 1):
            found += labels[item] > 0
            precisions += found / rank if labels[item] > 0 else 0.0
        top = sum((labels[item] > 1) / math.log2(rank + 2) for rank, item in enumerate(ranking))
        return 1e13 * top + precisions / max(found, 1)

    with pytest.raises(ArgumentError, match=r"very different sizes.*fractions\.Fraction"):
        rp.certify_metric(lexicographic, grades=3)


def stair(scores: Any, labels: Any) -> float:
    """Convex. With z_i = (s_i - y_i) / 1 or 3 it is max(0, z) - 0.4 sum z up to z = 5, where it turns."""
    z = [(s - y) / (1 if y else 3) for s, y in zip(scores, labels, strict=True)]
    return float(max(0.0, *z) - 0.4 * sum(z) + 10 * max(0.0, max(z) - 5))


def split_tie(scores: Any, labels: Any) -> list[float]:
    """What differences give for `stair` at z = 0: 0.5 - 0.4 for every item, the slope of no tangent."""
    at = [(s - y) / (1 if y else 3) for s, y in zip(scores, labels, strict=True)]
    most = max(0.0, *at)
    slopes = [(0.5 if z == most == 0 else float(z == most)) - 0.4 for z in at]
    return [slope / (1 if y else 3) for slope, y in zip(slopes, labels, strict=True)]


@pytest.mark.parametrize("gradient", [None, split_tie])
def test_a_kink_is_no_minimum_because_differences_rise_to_all_sides(gradient: Any) -> None:
    """At z = 0 the loss is 0, at z = (1, 1, 1) 1 - 1.2, at z = (5, 5, 5) 5 - 6: the order turns."""
    assert (stair((1, 0, 0), (1, 0, 0)), round(stair((6, 15, 15), (1, 0, 0)), 9)) == (0.0, -1.0)
    kink = Minimum("ball", (Fraction(1), Fraction(0), Fraction(0)), Fraction(13, 20))
    own = as_user_loss(stair, convex=True, gradient=gradient)
    assert check_user_minimum(own, Law.point((1, 0, 0)), kink) is not None


def test_values_that_cancel_between_feedback_leave_their_rounding() -> None:
    """The constants +-1e12 cancel in the mean; their last digits, 1e-4, are more than all that is left."""

    def lifted(scores: Any, labels: Any) -> float:
        left = sum((s - y) ** 2 for s, y in zip(scores, labels, strict=True))
        return float(1e12 * (2 * sum(labels) - 3) + 1e-3 * left)

    law = Law({(1, 0, 0): "1/2", (1, 1, 0): "1/2"})
    own = as_user_loss(lifted, convex=True)
    ball = Minimum("ball", (Fraction(1), Fraction(1, 2), Fraction(0)), Fraction(3, 10))
    assert check_user_minimum(own, law, ball) is not None


@dataclass(frozen=True, kw_only=True, repr=False)
class OwnListNet(ListNet):
    """Derived from a loss of the registry, with its name; its loops may be anything."""


@dataclass(frozen=True, kw_only=True, repr=False)
class OwnPreorder(Preorder):
    """The same for pairs."""


@pytest.mark.parametrize("loss", [OwnListNet(), OwnPreorder()])
def test_a_derived_loss_does_not_inherit_a_theorem(loss: rp.Loss) -> None:
    assert rp.certify(loss, "nDCG", "rank-differentiable").outcome == "undecided"


@pytest.mark.parametrize("kind", [OwnListNet, OwnPreorder])
def test_evidence_on_a_borrowed_name_is_not_replayed_as_the_loss_of_that_name(kind: type[rp.Loss]) -> None:
    verdict = rp.certify(kind(), "AP")
    assert verdict.outcome == "inconsistent"
    assert verdict.loss == f"function {kind.name}"
    assert not rp.replay(verdict).holds


@dataclass(frozen=True, kw_only=True, repr=False)
class OwnDCG(DCG):
    """Derived from a metric of the registry; it may pay for anything."""


@pytest.mark.parametrize("ask", [rp.certify_metric, lambda metric: rp.certify("softmax", metric)])
def test_a_derived_metric_does_not_inherit_a_theorem(ask: Any) -> None:
    with pytest.raises(ArgumentError, match=r"OwnDCG.*derived from one.*Give it as a function"):
        ask(OwnDCG())


@pytest.mark.parametrize("steady", [5, 50, 200, 500])
def test_a_metric_that_changes_after_many_calls_is_refused(steady: int) -> None:
    """It may change while longer lists are tried, which a metric need not be made for."""
    calls = 0

    def changing(ranking: tuple[int, ...], labels: Any) -> Fraction:
        nonlocal calls
        calls += 1
        dcg = sum((Fraction(labels[item], rank) for rank, item in enumerate(ranking, 1)), Fraction(0))
        return dcg if calls <= steady else -dcg

    with pytest.raises(ArgumentError, match=r"not deterministic|treat all items alike"):
        rp.certify_metric(changing)
