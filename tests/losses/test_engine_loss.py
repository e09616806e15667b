"""Which loss and target the engines get for a metric."""

from __future__ import annotations

import pytest

from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.losses.choose import choose_loss
from rankproof.losses.parse import loss
from rankproof.metrics import METRICS
from rankproof.targets.choose import candidates


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("nDCG@10", "query-ordinal:normalised-gain@10"),
        ("DCG", "query-ordinal:gain"),
        ("P@5", "query-ordinal:relevance"),
        ("AUC", "query-ordinal:pair-share"),
    ],
)
def test_the_default_is_query_ordinal_on_the_metrics_target(metric: str, expected: str) -> None:
    found = choose_loss(metric, engine="lightgbm")
    assert (str(found.loss), found.claim.value, found.warning) == (expected, True, None)


@pytest.mark.parametrize(
    ("engine", "expected"),
    [("lightgbm", "query-ordinal"), ("catboost", "centred-squared"), (None, "centred-squared")],
)
def test_a_target_that_may_be_negative_takes_a_loss_for_any_target(engine: str | None, expected: str) -> None:
    found = choose_loss("WPDL(weight=difference)", engine=engine)
    assert not found.target.nonnegative
    assert str(found.loss) == f"{expected}:pair-weight"
    with pytest.raises(ArgumentError, match=r"pair-weight.* may be negative, and none .*\(lift\)"):
        choose_loss("WPDL(weight=difference)", among=("lift",))


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_catboost_which_has_its_own_losses_only_has_centred_squares(engine: str) -> None:
    assert str(choose_loss("nDCG", engine="catboost").loss) == "centred-squared:normalised-gain"
    assert str(choose_loss("nDCG", engine=engine).loss) == "query-ordinal:normalised-gain"
    with pytest.raises(ArgumentError, match=r"one of 'lightgbm', 'xgboost', 'catboost', or None, got 'lgbm'"):
        choose_loss("nDCG", engine="lgbm")


@pytest.mark.parametrize("metric", ["AP", "ERR", "RR"])
def test_a_metric_without_an_unconditional_target_warns(metric: str) -> None:
    with pytest.warns(
        ConsistencyWarning, match=r"The choice is query-ordinal:.* if the labels of the items"
    ) as seen:
        found = choose_loss(metric, engine="lightgbm").warned().loss
    assert "softmax" not in str(seen[0].message)
    assert choose_loss(metric, noise="independent", engine="lightgbm").warned().loss == found


@pytest.mark.parametrize("name", METRICS)
def test_the_target_is_the_one_the_linear_ranker_has(name: str) -> None:
    if not candidates(name):
        with pytest.raises(ArgumentError, match="No target"):
            choose_loss(name, engine="lightgbm")
        return
    expected, found = choose_loss(name), choose_loss(name, engine="lightgbm")
    assert (found.target, found.claim) == (expected.target, expected.claim)
    assert found.loss.target == found.target


def test_a_named_loss_is_aimed_at_the_metric() -> None:
    for engine in (None, "lightgbm", "catboost"):
        assert choose_loss("nDCG@5", "softmax", engine=engine).loss == loss("softmax:normalised-gain@5")
        # It is not proven to optimise nDCG@5, but whoever names a loss in code is not warned.
        assert choose_loss("nDCG@5", "squared:gain", engine=engine).warned().loss == loss("squared:gain")
        own = loss("kl", target="gain")
        assert choose_loss("nDCG@5", own, engine=engine).loss is own
        with pytest.raises(ArgumentError, match=r"Argument loss must be 'auto'.*got 3"):
            choose_loss("nDCG@5", 3, engine=engine)  # type: ignore[arg-type]
