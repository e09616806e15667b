"""A loss is told with what is proven of it; a warning says where that is nothing, or rests on a condition."""

from __future__ import annotations

import re

import pytest

from rankproof.errors import ArgumentError, UnknownNameError
from rankproof.losses import LOSSES
from rankproof.losses.choose import choose_loss
from rankproof.metrics import METRICS
from rankproof.papers import SOURCES, sources_in
from rankproof.targets import TARGETS, candidates, why_none


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_proven_or_warned_of(name: str) -> None:
    """The two facts that a proof needs, looked up by hand: the loss sorts as its target, the target fits."""
    choice = choose_loss("nDCG@10", name)
    made = choice.loss
    sorts = made.claims.value("order_preserving") is True and made.target is not None
    assert (choice.warning is None) == sorts
    assert (choice.claim is not None) == sorts
    if sorts:
        assert str(made.target) == "normalised-gain@10"
        assert choice.to_dict()["condition"] is None
    assert any(word == "loss" and sentence.startswith(str(made)) for word, sentence in choice.lines())


def test_what_a_proof_lacks_is_told() -> None:
    hinge = choose_loss("nDCG@10", "order-preserving(margin=hinge)")
    assert str(hinge.loss.target) == "normalised-gain@10"
    for choice, gap in (
        (hinge, hinge.loss.claims["order_preserving"].reference),
        (choose_loss("nDCG@10", "ordinal"), "it reads the labels as they are"),
        (choose_loss("nDCG@10", "squared:gain"), "gain does not standardise nDCG@10"),
    ):
        assert choice.claim is None
        assert choice.warning is not None
        assert gap in choice.warning


def test_a_target_for_another_metric_is_warned_of() -> None:
    assert choose_loss("nDCG@10", "squared:nDCG@10").warning is None
    # nDCG@5 is normalised by another ideal, raw gains by none.
    for aim in ("nDCG@5", "gain"):
        choice = choose_loss("nDCG@10", f"squared:{aim}")
        assert choice.warning is not None
        assert choice.warning.startswith("squared:")
        assert " is not proven to optimise nDCG@10: " in choice.warning
        assert choice.warning.endswith("The loss 'auto' takes one that is proven to.")
        assert [word for word, _ in choice.lines()] == ["metric", "loss"]


def test_a_condition_is_told_until_it_is_known() -> None:
    for loss in ("auto", "softmax:satisfaction(max_grade=2)"):
        choice = choose_loss("ERR(max_grade=2)", loss)
        assert choice.warning is not None
        assert "independent given the query" in choice.warning
        assert choice.to_dict()["condition"] == "independent"
        known = choose_loss("ERR(max_grade=2)", loss, noise="independent")
        assert known.warning is None
        assert "if the labels of the items are independent" in dict(known.lines())["target"]
    other = choose_loss("ERR(max_grade=2)", "softmax:satisfaction(max_grade=2)", noise="rank-differentiable")
    assert (other.warning, other.to_dict()["condition"]) == (None, "rank-differentiable")


def test_a_condition_that_does_not_help_leaves_the_warning() -> None:
    choice = choose_loss("ERR", "softmax:satisfaction", noise="order-preserving")
    assert choice.warning is not None
    with pytest.raises(ArgumentError, match="No target standardises ERR"):
        choose_loss("ERR", "auto", noise="order-preserving")


@pytest.mark.parametrize(
    ("loss", "error"), [("sofmax", UnknownNameError), ("", ArgumentError), (":gain", ArgumentError)]
)
def test_what_is_no_loss_is_refused(loss: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        choose_loss("nDCG@10", loss)


def test_every_short_name_in_a_claim_is_spelt_out() -> None:
    texts = [cls.reference for cls in (*LOSSES.values(), *TARGETS.values())]  # type: ignore[attr-defined]
    texts += [claim.reference for cls in LOSSES.values() for claim in cls().claims.values()]
    for cls in METRICS.values():
        texts += [claim.reference for _, claim in candidates(cls())] + [why_none(cls()) or ""]
    short = set(re.findall(r"\b[A-Z]+\d\d\b", " ".join(texts)))
    assert {"B11", "L12", "R11"} <= short <= set(SOURCES)


def test_short_names_are_spelt_out() -> None:
    assert list(sources_in("see B11 Th. 1, and R11.")) == ["B11", "R11"]
    assert sources_in("B110 xR11 L12a") == {}
    assert sources_in(" ".join(SOURCES)) == SOURCES
