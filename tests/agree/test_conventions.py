"""What all conventions obey: real metrics, valid values, and a test for every tool that is named."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, ConventionError, UnknownNameError
from rankproof.metrics import METRICS, Metric
from rankproof.metrics.conventions.named import CONVENTIONS, Convention, Offer
from rankproof.metrics.conventions.rules import ordered
from rankproof.metrics.ranked.lists import sort_by_score

ALL_OFFERS = [(name, offer) for name in CONVENTIONS for offer in CONVENTIONS[name].offers or ()]
over_offers = pytest.mark.parametrize(
    ("name", "offer"), ALL_OFFERS, ids=[f"{name}-{offer.metric}" for name, offer in ALL_OFFERS]
)


def plain(offer: Offer) -> Metric:
    """The metric with our defaults, and what the tool wants to be given: a cutoff, ranx also RBP's p."""
    cls = METRICS[offer.metric]
    if offer.metric == "RBP" and "p" not in offer.options:
        return cls(p=0.8)  # type: ignore[call-arg]
    return cls(cutoff=10) if offer.cutoff == "required" else cls()  # type: ignore[call-arg]


@over_offers
def test_an_offer_is_a_metric_with_valid_values(name: str, offer: Offer) -> None:
    cls = METRICS[offer.metric]
    assert cls.name == offer.metric
    parameters = {field.name for field in fields(cls)}
    assert {*offer.options, *offer.free} <= parameters
    assert ("cutoff" in parameters) or offer.cutoff == "none"
    for parameter, values in offer.options.items():
        for value in values:
            changed = replace(plain(offer), **{parameter: value})
            assert getattr(CONVENTIONS[name].resolve(changed), parameter) == value


@over_offers
def test_resolving_twice_changes_nothing(name: str, offer: Offer) -> None:
    once = CONVENTIONS[name].resolve(plain(offer))
    assert CONVENTIONS[name].resolve(once) == once
    guarded = replace(plain(offer), empty="error", unjudged="error")
    resolved = CONVENTIONS[name].resolve(guarded)
    assert (resolved.empty, resolved.unjudged) == ("error", "error")


@over_offers
def test_cutoffs(name: str, offer: Offer) -> None:
    convention, cls = CONVENTIONS[name], METRICS[offer.metric]
    if offer.cutoff == "required":
        with pytest.raises(ConventionError, match=f"Ask for {cls.name}@10, say"):
            convention.resolve(cls())
    elif offer.cutoff == "none" and any(field.name == "cutoff" for field in fields(cls)):
        with pytest.raises(ConventionError, match="Leave the cutoff out"):
            convention.resolve(cls(cutoff=3))  # type: ignore[call-arg]
    elif offer.cutoff == "optional":
        assert str(convention.resolve(cls(cutoff=3))).endswith("@3")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", CONVENTIONS)
def test_what_a_tool_does_not_have_is_refused_with_what_it_has(name: str) -> None:
    convention = CONVENTIONS[name]
    if convention.offers is None:
        assert all(convention.resolve(cls()) == cls() for cls in METRICS.values())
        return
    offered = {offer.metric for offer in convention.offers}
    for other in set(METRICS) - offered:
        with pytest.raises(ConventionError) as raised:
            convention.resolve(METRICS[other]())
        assert f"has no {other}. It has: " in str(raised.value)
        assert all(str(offer) in str(raised.value) for offer in convention.offers)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_explained(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "explanation" / "conventions.md"
    assert f"| `{name}` |" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(CONVENTIONS) - {"rankproof"}))
def test_every_tool_has_a_test_against_it(name: str) -> None:
    folder = Path(__file__).parent
    of_scripts = name in ("letor3", "letor4", "mslr")
    text = (folder / f"test_{'letor_scripts' if of_scripts else name}.py").read_text(encoding="utf-8")
    assert f'"{name}"' in text


def test_an_unknown_convention() -> None:
    with pytest.raises(
        UnknownNameError, match=r"Unknown convention 'trec-eval'\. Did you mean 'trec_eval'\?"
    ):
        CONVENTIONS["trec-eval"]


@pytest.mark.parametrize("name", CONVENTIONS)
def test_tie_rules(name: str) -> None:
    """Four equal scores with grades 1, 0, not judged, 2 and document ids b, d, c, a."""
    labels = np.array([1.0, 0.0, np.nan, 2.0])
    tied = sort_by_score(np.zeros(4), np.array([0, 4]))
    got = ordered(CONVENTIONS[name], tied, labels, lambda: np.array([2, 0, 1, 3]))
    wanted = {
        "row": [0, 1, 2, 3],
        "doc_id": [1, 2, 0, 3],
        "pessimistic": [1, 2, 0, 3],
        "average": [0, 1, 2, 3],
    }[CONVENTIONS[name].ties]
    assert got.places.tolist() == wanted
    assert got.ends.tolist() == ([4] * 4 if CONVENTIONS[name].ties == "average" else [1, 2, 3, 4])


def test_a_variant_of_a_convention_is_a_copy_with_one_field_changed() -> None:
    """trec_eval 10 compares scores as doubles."""
    ten: Convention = replace(CONVENTIONS["trec_eval"], scores="float64")
    close = np.array([1.0, 1.0 + 1e-12])
    assert ten.read_scores(close).tolist() == close.tolist()
    assert CONVENTIONS["trec_eval"].read_scores(close).tolist() == [1.0, 1.0]


def test_evaluate_speaks_the_convention() -> None:
    """Two tied items, the relevant one last: 0 by row order, 1/2 in the mean, in one line of code each."""
    query = {"scores": [1.0, 1.0], "data": [0.0, 1.0], "offsets": [0, 2]}
    assert rp.evaluate(metrics="nDCG@1", convention="lightgbm", **query).mean["nDCG@1"] == 0.0
    assert rp.evaluate(metrics="nDCG@1", **query).mean["nDCG@1"] == 0.5
    with pytest.raises(ArgumentError, match="the data have no document ids"):
        rp.evaluate(metrics="AP", convention="trec_eval", **query)
