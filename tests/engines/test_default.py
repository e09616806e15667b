"""Which loss and target the engines get for a metric."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.fit.engines.default import boosting_loss, engine_loss, preferred
from rankproof.fit.engines.regression import queries_of, regression_target
from rankproof.losses.auto import choose
from rankproof.losses.lift import Lift
from rankproof.losses.parse import loss
from rankproof.losses.squared import CentredSquared
from rankproof.metrics import METRICS
from rankproof.standardize.choose import candidates


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("nDCG@10", "lift:normalised-gain@10"),
        ("DCG", "lift:gain"),
        ("P@5", "lift:relevance"),
        ("AUC", "lift:pair-share"),
    ],
)
def test_the_default_is_lift_on_the_metrics_target(metric: str, expected: str) -> None:
    found = boosting_loss(metric)
    assert (str(found.loss), found.claim.value, found.warning) == (expected, True, None)


def test_a_target_that_may_be_negative_takes_centred_squares() -> None:
    found = boosting_loss("WPDL(weight=difference)")
    assert not found.target.nonnegative
    assert str(found.loss) == "centred-squared:pair-weight"
    with pytest.raises(ArgumentError, match=r"pair-weight.* may be negative, and none .*\(lift\)"):
        boosting_loss("WPDL(weight=difference)", among=(Lift,))


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_catboost_which_has_no_lift_has_centred_squares_and_others_have_lift(engine: str) -> None:
    assert preferred(engine) == (Lift, CentredSquared)
    assert str(boosting_loss("nDCG", among=preferred("catboost")).loss) == "centred-squared:normalised-gain"
    assert str(engine_loss("nDCG", among=preferred(engine))) == "lift:normalised-gain"


@pytest.mark.parametrize("metric", ["AP", "ERR", "RR"])
def test_a_metric_without_an_unconditional_target_warns(metric: str) -> None:
    with pytest.warns(ConsistencyWarning, match=r"The choice is lift:.* if the labels of the items") as seen:
        found = engine_loss(metric)
    assert "softmax" not in str(seen[0].message)
    assert engine_loss(metric, noise="independent") == found


@pytest.mark.parametrize("name", METRICS)
def test_the_target_is_the_one_the_linear_ranker_has(name: str) -> None:
    if not candidates(name):
        with pytest.raises(ArgumentError, match="No target"):
            boosting_loss(name)
        return
    expected, found = choose(name), boosting_loss(name)
    assert (found.target, found.claim) == (expected.target, expected.claim)
    assert found.loss.target == found.target


def test_a_named_loss_is_aimed_at_the_metric() -> None:
    assert engine_loss("nDCG@5", "softmax") == loss("softmax:normalised-gain@5")
    assert engine_loss("nDCG@5", "squared:gain") == loss("squared:gain")
    own = loss("kl", target="gain")
    assert engine_loss("nDCG@5", own) is own
    with pytest.raises(ArgumentError, match=r"Argument loss must be 'auto'.*got 3"):
        engine_loss("nDCG@5", 3)  # type: ignore[arg-type]


def test_the_regression_target_is_the_metrics_target() -> None:
    labels = [3, 0, 1, 2, 2]
    ideal = 7 + 1 / np.log2(3)
    tied = 3 + 3 / np.log2(3)
    expected = [7 / ideal, 0, 1 / ideal, 3 / tied, 3 / tied]
    for how in ({"group": [3, 2]}, {"qid": ["b", "b", "b", "a", "a"]}, {"offsets": [0, 3, 5]}):
        assert regression_target("nDCG@2", labels, **how) == pytest.approx(expected, rel=1e-15)
    with pytest.warns(ConsistencyWarning) as seen:
        regression_target("AP", labels, group=[3, 2])
    assert seen[0].filename == __file__


def test_queries_are_given_once() -> None:
    with pytest.raises(ArgumentError, match="one of qid, group and offsets, got none of them"):
        queries_of(3, None, None, None)
    with pytest.raises(ArgumentError, match="got qid and offsets"):
        queries_of(3, [1, 1, 1], None, [0, 3])
    with pytest.raises(ArgumentError, match="3 rows, but its group sizes add up to 4"):
        queries_of(3, None, [2, 2], None)
