"""The loss chosen for a metric: consistent by its claims, or with a warning that says what is missing."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from every_case import every_case, exhaustive
from properties.strategies import ALL_VARIANTS
from rankproof.errors import ArgumentError
from rankproof.losses.choose import LossChoice, choose_loss
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared
from rankproof.metrics import METRICS, Metric, metric
from rankproof.targets import CONDITIONS, NormalisedGain, Relevance, Satisfaction
from targets.worlds import expected_worths, random_law


@every_case("found", [m for m in ALL_VARIANTS if m.name != "judged"], ids=str)
def test_every_metric_has_a_choice_that_rests_on_claims(found: Metric) -> None:
    chosen = choose_loss(found)
    assert chosen.loss.target == chosen.target
    assert chosen.loss.claims.value("convex") is True
    assert chosen.loss.claims.value("order_preserving") is True
    assert chosen.claim in chosen.target.claims_for(found)
    assert chosen.loss.needs == "target" or chosen.target.nonnegative
    assert (chosen.warning is None) == (chosen.claim.value is True)


def test_softmax_is_preferred() -> None:
    assert choose_loss("nDCG@10") == LossChoice(
        metric("nDCG@10"),
        Softmax(target=NormalisedGain(cutoff=10)),
        None,
        NormalisedGain(cutoff=10).standardizes(metric("nDCG@10")),  # type: ignore[arg-type]
        None,
    )
    assert str(choose_loss("P@5").loss) == "softmax:relevance"
    assert str(choose_loss("WPDL(weight=gain)").loss) == "softmax:pair-weight(weight=gain)"


def test_targets_that_may_be_negative_go_to_squared_loss() -> None:
    chosen = choose_loss("WPDL(weight=difference)")
    assert isinstance(chosen.loss, CentredSquared)
    assert chosen.warning is None


def test_the_warning_names_the_theorem_the_choice_and_what_would_justify_it() -> None:
    chosen = choose_loss("ERR@20")
    assert chosen.target == Satisfaction()
    assert chosen.warning == (
        "No target standardises ERR@20 (B11 Th. 3; C12 Corollary 4), so no convex loss on scores is "
        "consistent with it under every law (Calauzènes & Usunier 2020). The choice is softmax:satisfaction, "
        "which is consistent with ERR@20 if the labels of the items are independent given the query. If you "
        "know that this holds, set noise='independent'. Other conditions that are sufficient: "
        "'rank-differentiable', "
        "'one relevant'."
    )


@pytest.mark.parametrize("name", [name for name in METRICS if name != "judged"])
def test_a_warning_says_what_was_chosen_and_why(name: str) -> None:
    chosen = choose_loss(name)
    if chosen.warning is not None:
        assert str(chosen.loss) in chosen.warning
        assert CONDITIONS[chosen.claim.value] in chosen.warning
        assert f"noise={chosen.claim.value!r}" in chosen.warning
        assert choose_loss(name, noise=chosen.claim.value) == replace(chosen, warning=None)


def test_what_is_known_about_the_noise() -> None:
    chosen = choose_loss("RR", noise="one relevant")
    assert (chosen.target, chosen.claim.value, chosen.warning) == (Relevance(), "one relevant", None)
    assert choose_loss("nDCG", noise="independent").claim.value is True
    with pytest.raises(ArgumentError, match="None is known under noise='binary' either"):
        choose_loss("ERR", noise="binary")
    with pytest.raises(ArgumentError, match="No target standardises judged"):
        choose_loss("judged")


@pytest.mark.parametrize(
    "name", ["nDCG@2", "AUC", "WPDL(weight=difference)", *exhaustive("DCG", "P@1", "R@2")]
)
@pytest.mark.parametrize("laws", [1, *exhaustive(5)])
def test_the_minimiser_of_the_expected_loss_is_optimal(name: str, laws: int) -> None:
    """Gradient descent on the mean loss over a random law ends at scores whose ranking is a best one."""
    found = metric(name)
    chosen = choose_loss(found)
    rng = random.Random(name)
    for _ in range(laws):
        law = random_law(rng, 3, (0, 1, 2))
        labels = np.array([y for y, _ in law], float)
        weights = np.array([float(weight) for _, weight in law])
        offsets = np.arange(len(law) + 1) * 3
        targets = chosen.loss.targets(labels.reshape(-1), offsets)
        mean = weights @ targets.reshape(-1, 3)
        scores = np.zeros(3)
        for _ in range(3000):
            got = chosen.loss.evaluate(np.tile(scores, len(law)), targets, offsets, weights=weights)
            # The curvature of either loss is at most twice the mass it is weighted with.
            bound = max(2.0 * weights.sum(), float(mean.sum()), 1e-9)
            scores -= got.gradient.reshape(-1, 3).sum(axis=0) / bound
        values = expected_worths(found, law)
        apart = min(abs(mean[i] - mean[j]) for i in range(3) for j in range(i))
        if apart > 1e-3 * mean.max():
            ranking = tuple(np.argsort(-scores).tolist())
            assert values[ranking] >= max(values.values()) - 1e-12
