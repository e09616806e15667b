"""What the engines' own ranking losses and metrics refuse or get wrong trains, and is measured exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import catboost as cb
import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from adapters.engine_data import CATBOOST, LIGHTGBM, XGBOOST, Ranked, ranked
from every_case import few_cases
from rankproof.adapters import catboost, lightgbm, xgboost
from rankproof.errors import DataError

ROUNDS = 8


class Trained(NamedTuple):
    """Scores on the training data, and the metric's values there as the engine recorded them."""

    scores: np.ndarray
    values: list[float]


def by_lightgbm(data: Ranked, metric: str, name: str, weights: np.ndarray | None) -> Trained:
    kept: dict[str, dict[str, list[float]]] = {}
    rows = None if weights is None else np.repeat(weights, data.sizes)
    made = lgb.Dataset(data.X, data.y, group=data.sizes, weight=rows)
    model = lgb.train(
        {**LIGHTGBM, **lightgbm.parameters(metric, name)},
        made,
        ROUNDS,
        valid_sets=[made],
        valid_names=["train"],
        feval=lightgbm.eval_metric(metric),
        callbacks=[lgb.record_evaluation(kept)],
    )
    return Trained(model.predict(data.X), kept["train"][metric])


def by_lgbm_ranker(data: Ranked, metric: str, name: str, weights: np.ndarray | None) -> Trained:
    rows = None if weights is None else np.repeat(weights, data.sizes)
    model = lgb.LGBMRanker(**{**LIGHTGBM, **lightgbm.parameters(metric, name), "n_estimators": ROUNDS})
    model.fit(data.X, data.y, group=data.sizes, sample_weight=rows)
    measure = lightgbm.eval_metric(metric)
    stages = (model.predict(data.X, num_iteration=k + 1) for k in range(ROUNDS))
    values = [measure(data.y.astype(np.float32), scores, rows, data.sizes)[1] for scores in stages]
    return Trained(model.predict(data.X), values)


def by_xgboost(data: Ranked, metric: str, name: str, weights: np.ndarray | None) -> Trained:
    made = xgb.DMatrix(data.X, data.y, group=data.sizes, weight=weights)
    stop = xgboost.early_stopping(metric, made, ROUNDS + 1)
    settings = {**XGBOOST, **xgboost.parameters()}
    model = xgb.train(settings, made, ROUNDS, obj=xgboost.objective(metric, name), callbacks=[stop])
    return Trained(model.predict(made).astype(np.float64), stop.values)


def by_catboost(data: Ranked, metric: str, name: str, weights: np.ndarray | None) -> Trained:
    made = catboost.pool(metric, data.X, data.y, group=data.sizes, loss=name, query_weight=weights)
    settings = {
        **CATBOOST,
        **catboost.parameters(metric, name),
        "iterations": ROUNDS,
        "eval_metric": catboost.eval_metric(metric, made),
        "use_best_model": False,
        "bootstrap_type": "No",  # CatBoost cannot draw samples by gradients that are all 0
    }
    model = cb.CatBoost(settings).fit(made, eval_set=made)
    return Trained(model.predict(made), model.get_evals_result()["validation"][metric])


Engine = Callable[[Ranked, str, str, "np.ndarray | None"], Trained]
ENGINES = pytest.mark.parametrize("train", [by_lightgbm, by_lgbm_ranker, by_xgboost, by_catboost])
LOSSES = pytest.mark.parametrize("name", ["auto", "softmax"])


def check(found: Trained, data: Ranked, metric: str, weights: np.ndarray | None = None) -> float:
    """What the engine recorded last is the exact value of its scores."""
    assert np.isfinite(found.scores).all()
    assert len(found.values) == ROUNDS
    expected = data.value(found.scores, metric, weights=weights)
    # CatBoost sums its scores once more for predict.
    assert found.values[-1] == pytest.approx(expected, rel=1e-12)
    return expected


@few_cases
@ENGINES
@pytest.mark.parametrize("empty", ["skip", 0, 1])
def test_weights_with_empty_queries(train: Engine, empty: object) -> None:
    """The factor common to all weights cancels, and an empty query counts what the metric says."""
    data = ranked(30, seed=8)
    labels = data.y.copy()
    for q in range(0, 30, 3):
        labels[data.offsets[q] : data.offsets[q + 1]] = 0
    data = data._replace(y=labels)
    metric = "nDCG@5" if empty == "skip" else f"nDCG(empty={empty})@5"
    weights = np.arange(30) % 4 + 1.0
    once = check(train(data, metric, "auto", weights), data, metric, weights)
    # Trained again, since CatBoost and XGBoost hold the weights in the data set.
    tenfold = train(data, metric, "auto", 10 * weights)
    assert check(tenfold, data, metric, 10 * weights) == pytest.approx(
        data.value(tenfold.scores, metric, weights=weights)
    )
    assert 0 < once < 1


@few_cases
@ENGINES
@LOSSES
def test_a_query_of_fifty_thousand_items(train: Engine, name: str) -> None:
    rng = np.random.default_rng(3)
    sizes = np.array([50_000, 300])
    X = rng.normal(size=(50_300, 2))
    y = np.clip(np.round(X[:, 0] + rng.normal(size=50_300)), 0, 4)
    data = Ranked(X, y, sizes)
    assert check(train(data, "nDCG", name, None), data, "nDCG") > data.value(np.zeros(50_300), "nDCG") + 0.05


@few_cases
@ENGINES
@LOSSES
def test_float_and_large_grades(train: Engine, name: str) -> None:
    data = ranked(30, seed=9)
    for grades in ([0.0, 0.3, 0.7, 1.0, 1.9], [0.0, 1.0, 40.0, 60.0, 100.0]):
        graded = data._replace(y=np.array(grades)[data.y.astype(int)])
        check(train(graded, "nDCG@5", name, None), graded, "nDCG@5")
        check(train(graded, "P(rel=0.7)@3", name, None), graded, "P(rel=0.7)@3")


@few_cases
@ENGINES
@LOSSES
def test_queries_of_one_item_say_nothing(train: Engine, name: str) -> None:
    data = ranked(30, seed=10)
    alone = Ranked(data.X[:25], data.y[:25] + np.arange(25) % 2, np.ones(25, dtype=np.int64))
    found = train(alone, "nDCG@5", name, None)
    assert np.ptp(found.scores) < 1e-6
    assert check(found, alone, "nDCG@5") == 1
    both = Ranked(
        np.vstack([data.X, alone.X]), np.append(data.y, alone.y), np.append(data.sizes, alone.sizes)
    )
    check(train(both, "nDCG@5", name, None), both, "nDCG@5")


@few_cases
@ENGINES
@LOSSES
def test_equal_labels_say_nothing(train: Engine, name: str) -> None:
    """Within each query; CatBoost itself refuses data whose targets are all one number."""
    data = ranked(30, seed=11)
    same = data._replace(y=np.repeat(np.arange(30) % 3 + 1.0, data.sizes))
    found = train(same, "nDCG@5", name, None)
    assert np.ptp(found.scores) < 1e-6
    assert check(found, same, "nDCG@5") == pytest.approx(1)
    nothing = data._replace(y=np.zeros(data.y.size))
    if train is by_catboost:
        with pytest.raises(cb.CatBoostError, match="All train targets are equal"):
            train(nothing, "nDCG(empty=0)@5", name, None)
    else:
        found = train(nothing, "nDCG(empty=0)@5", name, None)
        assert np.ptp(found.scores) < 1e-6
        assert check(found, nothing, "nDCG(empty=0)@5") == 0


@ENGINES
def test_ties_do_not_depend_on_the_order_of_rows(train: Engine) -> None:
    """A feature of the query only: its scores are equal, and relevant rows first or last is the same."""
    y = np.array([1.0, 0, 0, 0, 0] * 6 + [1.0, 1, 0] * 2)
    sizes = np.array([5] * 6 + [3] * 2)
    first = Ranked(np.repeat(np.arange(8.0), sizes)[:, np.newaxis], y, sizes)
    last = first._replace(y=np.concatenate([part[::-1] for part in np.split(y, first.offsets[1:-1])]))
    values = [train(data, "nDCG@2", "auto", None).values[-1] for data in (first, last)]
    gap = 1 / np.log2(3)
    # One relevant item of five is at either of two ranks with probability 1/5; two of three at each with 2/3.
    assert values == pytest.approx([(6 * (1 + gap) / 5 + 2 * 2 / 3) / 8] * 2, rel=1e-12)


def test_nan_labels_are_not_trained_on() -> None:
    data = ranked(5)
    unknown, zero = data.y.copy(), data.y.copy()
    unknown[3], zero[3] = np.nan, 0
    with pytest.raises(DataError, match="NaN at row 3"):
        by_catboost(data._replace(y=unknown), "nDCG@5", "auto", None)
    # XGBoost refuses such a label itself. LightGBM makes it 0 before anyone else sees it.
    with pytest.raises(xgb.core.XGBoostError, match="NaN"):
        by_xgboost(data._replace(y=unknown), "nDCG@5", "auto", None)
    graded = by_lightgbm(data._replace(y=zero), "nDCG@5", "auto", None)
    assert by_lightgbm(data._replace(y=unknown), "nDCG@5", "auto", None).values == graded.values
