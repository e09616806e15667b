"""Loss strings: what they mean, what they print, and what they say when they do not parse."""

from __future__ import annotations

import pytest

from every_case import every_case
from rankproof.errors import ArgumentError, UnknownNameError
from rankproof.losses.base import LOSSES
from rankproof.losses.listmle import ListMLE
from rankproof.losses.parse import loss
from rankproof.losses.q_family import QFamily
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared
from rankproof.metrics import metric
from rankproof.targets import GainTarget, NormalisedGain, PositionalTarget, Relevance, Satisfaction, target


def test_a_target_a_metric_and_keywords_say_the_same() -> None:
    wanted = Softmax(target=NormalisedGain(cutoff=10))
    assert loss("softmax:normalised-gain@10") == wanted
    assert loss("softmax:nDCG@10") == wanted
    assert loss("softmax", metric="nDCG@10") == wanted
    assert loss("softmax", metric=metric("nDCG@10")) == wanted
    assert loss("softmax", target="normalised-gain@10") == wanted
    assert loss(" Softmax : nDCG @ 10 ") == wanted
    assert loss(Softmax(), metric="nDCG@10") == wanted
    assert loss(wanted) == wanted
    assert loss(wanted, target=GainTarget()).target == GainTarget()


def test_parameters() -> None:
    assert loss("listmle(ties=order)") == loss("listmle", ties="order") == ListMLE(ties="order")
    assert loss("q-family(q=3):gain") == QFamily(q=3, target=GainTarget())
    assert loss(QFamily(q=3), q=4) == QFamily(q=4)
    assert loss("centered-squared") == CentredSquared()


def test_the_target_may_have_a_colon_of_its_own() -> None:
    found = loss("softmax:positional:P(rel=2)@3")
    assert found.target == PositionalTarget(metric=metric("P(rel=2)@3"))
    assert str(found) == "softmax:positional:P(rel=2)@3"


def test_noise_gives_the_conditional_target() -> None:
    assert loss("softmax:ERR@20", noise="independent").target == Satisfaction()
    assert loss("softmax", metric="AP", noise="independent").target == Relevance()
    with pytest.raises(ArgumentError, match=r"No target standardises AP \(B11 Th. 3"):
        loss("softmax", metric="AP")
    with pytest.raises(ArgumentError, match=r"No target standardises ERR"):
        loss("softmax:ERR")


@every_case("name", LOSSES)
@every_case("aim", [None, "gain(gain=linear)", "normalised-gain@5"])
def test_the_printed_form_parses_back(name: str, aim: str | None) -> None:
    cls = LOSSES[name]
    made = cls() if aim is None or cls.needs == "labels" else cls(target=target(aim))
    assert loss(str(made)) == made
    assert str(made) == str(made) == repr(made)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_goes_by_all_its_names(name: str) -> None:
    for alias in LOSSES.aliases(name):
        assert type(loss(alias)) is LOSSES[name]


def test_spelling() -> None:
    assert str(Softmax()) == "softmax"
    assert str(QFamily(q=3, target=GainTarget(gain="linear"))) == "q-family(q=3):gain(gain=linear)"


@pytest.mark.parametrize(
    ("spec", "more", "error", "message"),
    [
        ("sofmax", {}, UnknownNameError, "Unknown loss 'sofmax'. Did you mean 'softmax'?"),
        (
            "softmax:gian",
            {},
            UnknownNameError,
            "Unknown target or metric 'gian' for the loss softmax. Did you mean 'gain'",
        ),
        ("softmax:", {}, UnknownNameError, "Unknown target or metric '' for the loss softmax."),
        ("softmax:nDCG@0", {}, ArgumentError, "Argument cutoff of nDCG must be an int >= 1, got 0."),
        ("softmax(x=1)", {}, ArgumentError, "softmax has no parameter 'x'."),
        ("softmax@10", {}, ArgumentError, "softmax has no cutoff."),
        ("softmax:gain", {"metric": "DCG"}, ArgumentError, "given 2 times: 'gain' and 'DCG'"),
        ("softmax", {"metric": "DCG", "target": "gain"}, ArgumentError, "Give one target or one metric."),
        ("softmax", {"noise": "independent"}, ArgumentError, "goes with a metric"),
        ("listmle:gain", {}, ArgumentError, "Loss listmle reads the labels as they are and takes no target"),
        ("listmle", {"metric": "nDCG"}, ArgumentError, "Losses that can: "),
        (3, {}, ArgumentError, "A loss is a string such as 'softmax:nDCG@10'"),
    ],
)
def test_what_does_not_parse_says_why(
    spec: object, more: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        loss(spec, **more)  # type: ignore[arg-type]
    assert message in str(caught.value)
