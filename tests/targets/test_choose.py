"""Every metric is decided: it has a target, or one under a condition, or a reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from every_case import every_case
from properties.strategies import ALL_VARIANTS
from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError
from rankproof.metrics import METRICS, Explanation, Metric, metric
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.targets import CONDITIONS, PositionalTarget, absence_of, candidates, target_for, why_none
from rankproof.targets.base import as_condition

# What each metric aims at, by hand: the target, and the condition under which it is the right one.
DECIDED = {
    "AP": ("relevance", "independent"),
    "AP@1": ("relevance-share", True),
    "AP(denominator=min)@1": ("relevance", True),
    "AP@10": ("relevance", "independent"),
    "AUC": ("pair-share", True),
    "AUC(rel=2)": ("pair-share(rel=2)", True),
    "bpref": ("relevance", "independent"),
    "DCG": ("gain", True),
    "DCG(gain=linear,discount=reciprocal)@3": ("gain(gain=linear)", True),
    "ERR": ("satisfaction", "independent"),
    "ERR@1": ("satisfaction", True),
    "ERR(max_grade=2)@20": ("satisfaction(max_grade=2)", "independent"),
    "F": ("f-share", True),
    "F(rel=2,beta=2)@5": ("f-share(rel=2,beta=2)@5", True),
    "judged": (None, None),
    "MeanNDCG": ("normalised-gain", "rank-differentiable"),
    "MeanNDCG(discount=[1])": ("normalised-gain(discount=[1])", True),
    "nDCG": ("normalised-gain", True),
    "nDCG(gain=linear)@10": ("normalised-gain(gain=linear)@10", True),
    "P": ("relevance", True),
    "P(rel=2)@5": ("relevance(rel=2)", True),
    "PD": ("balance", "low noise"),
    "PD(normalize=true)": ("balance(normalize=pairs)", "low noise"),
    "R": ("relevance-share", True),
    "R@100": ("relevance-share", True),
    "RBP": ("relevance", True),
    "Rprec": ("relevance", "independent"),
    "RR": ("relevance", "independent"),
    "RR@1": ("relevance", True),
    "Success": ("relevance", True),
    "Success@1": ("relevance", True),
    "Success@5": ("relevance", "independent"),
    "tau": ("balance(normalize=root)", "low noise"),
    "WPDL": ("balance", "low noise"),
    "WPDL(weight=difference)": ("pair-weight", True),
    "WPDL(weight=gain,normalize=true)": ("pair-weight(weight=gain,normalize=true)", True),
    "ZeroOne": ("rank-grade", "order-preserving"),
}


@every_case("name", DECIDED)
def test_the_target_of_a_metric(name: str) -> None:
    wanted, condition = DECIDED[name]
    found = candidates(name)
    if wanted is None:
        assert not found
        return
    target, claim = found[0]
    assert (str(target), claim.value) == (wanted, condition)
    assert target.standardizes(metric(name)) == claim
    assert str(target_for(name, None if condition is True else condition)) == wanted


def test_the_table_has_every_metric() -> None:
    assert {metric(name).name for name in DECIDED} == set(METRICS)


@every_case("found", ALL_VARIANTS, ids=str)
def test_every_metric_has_a_target_or_a_reason(found: Metric) -> None:
    always = [target for target, claim in candidates(found) if claim.value is True]
    reason = why_none(found)
    assert bool(always) == (reason is None)
    if always:
        assert target_for(found) == always[0]
        # A metric that is positional has a target, and the other way round in this registry.
        assert found.claims.value("positional") is True or found.name == "MeanNDCG"
    else:
        assert reason is not None
        assert str(found) in reason
        assert found.claims.value("positional") is not True or found.name == "judged"
        with pytest.raises(ArgumentError, match="No target"):
            target_for(found)


@pytest.mark.parametrize("name", METRICS)
def test_no_default_metric_is_left_undecided(name: str) -> None:
    found = METRICS[name]()
    reason = why_none(found)
    proven = absence_of(found) is not None or name == "judged"
    assert (reason is None) != proven, f"{name} has neither a target nor a proof that there is none"


@every_case("found", ALL_VARIANTS, ids=str)
def test_conditions_are_known_and_referenced(found: Metric) -> None:
    for _, claim in candidates(found):
        assert claim.name == "standardizes"
        assert claim.value is True or claim.value in CONDITIONS
        assert claim.reference
        if claim.value is not True:
            assert target_for(found, claim.value).claims_for(found)


def test_a_condition_is_only_needed_where_there_is_no_target() -> None:
    assert str(target_for("nDCG@10", noise="independent")) == "normalised-gain@10"
    assert str(target_for("AP", noise="One_Relevant")) == "relevance"
    assert str(target_for("PD", noise="low-noise")) == "balance"
    assert str(target_for("AP", noise="rank-differentiable")) == "relevance"


def test_the_refusal_says_why_and_what_would_do() -> None:
    with pytest.raises(ArgumentError) as caught:
        target_for("ERR@20")
    text = str(caught.value)
    assert text.startswith("No target standardises ERR@20 (B11 Th. 3; C12 Corollary 4)")
    assert "Calauzènes & Usunier 2020" in text
    assert (
        "noise='independent' (the labels of the items are independent given the query) gives satisfaction"
        in text
    )
    with pytest.raises(ArgumentError, match="None is known under noise='low noise' either"):
        target_for("ERR@20", noise="low noise")
    with pytest.raises(ArgumentError, match=r"noise must be one of independent, .* or None, got 'lots'"):
        target_for("ERR", noise="lots")
    with pytest.raises(ArgumentError, match="measures the judgments, not the ranking"):
        target_for("judged@10")


def test_names_of_conditions() -> None:
    assert [as_condition(name.upper().replace(" ", "_")) for name in CONDITIONS] == list(CONDITIONS)


# Metrics of a user's own ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, repr=False)
class Shop(Metric):
    """Revenue of the first two places, half of it for the second."""

    name: ClassVar[str] = "shop"
    stated: ClassVar[tuple[Claim, ...]] = ()

    @property
    def claims(self) -> Claims:
        return Claims(*self.stated)

    def of_labels(self, labels: Sequence[Any]) -> Any:
        return sum(y / k for k, y in enumerate(labels[:2], 1))

    def per_query(self, lists: RankedLists) -> Float64s:
        raise AssertionError(lists)

    def explain(self, lists: RankedLists) -> Explanation:
        raise AssertionError(lists)


class Positioned(Shop):
    stated = (
        Claim("positional", value=True, reference="the definition"),
        Claim("monotone", value=True, reference="the definition"),
    )


class Unsorted(Shop):
    stated = (Claim("positional", value=True, reference="the definition"),)


class Rising(Shop):
    stated = (Claim("monotone", value=True, reference="the definition"),)


def test_a_metric_of_ones_own_has_the_target_its_claims_give() -> None:
    found = target_for(Positioned())
    assert found == PositionalTarget(metric=Positioned())
    # u_i - u_0 = (1 - 0)(y_i - y_0), and the smallest is 0.
    assert found.of_labels([3, 1, 7]) == [2, 0, 6]
    assert why_none(Positioned()) is None


def test_a_metric_of_ones_own_without_claims_is_not_decided() -> None:
    assert not candidates(Shop())
    with pytest.raises(ArgumentError, match="No target is known that standardises shop: it does not claim"):
        target_for(Shop())
    assert "but not to be monotone" in str(why_none(Unsorted()))
    assert [(str(t), c.value) for t, c in candidates(Rising())] == [("rank-grade", "rank-differentiable")]
