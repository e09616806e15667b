"""Training on judgments: every ranker and adapter aims at E[u], and other losses are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.judgments.container import Judgments

QUERIES, ITEMS, JUDGES = 30, 6, 3


@pytest.fixture(scope="module")
def world() -> tuple[np.ndarray, np.ndarray, Judgments]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(QUERIES * ITEMS, 4)).astype(np.float32)
    quality = X[:, 0] + 0.5 * X[:, 1]
    grades = np.clip(np.round(quality[:, None] + rng.normal(size=(X.shape[0], JUDGES)) + 1), 0, 3)
    qid = np.repeat(np.arange(QUERIES), ITEMS)
    j = Judgments.from_columns(
        np.repeat(qid, JUDGES), np.repeat(np.arange(X.shape[0]), JUDGES),
        np.tile(np.arange(JUDGES), X.shape[0]), grades.reshape(-1), reading="joint",
    )  # fmt: skip
    return X, qid, j


def aimed(X: Any, qid: Any, j: Judgments, loss: str, metric: str = "nDCG@3") -> Any:
    """A linear ranker on E[u] by hand, as labels of a loss without a target."""
    values = j.expected_target(metric).values
    return rp.LinearRanker(metric, loss=rp.loss(loss)).fit(X, values, qid=qid)


@pytest.mark.parametrize("loss", ["softmax", "squared", "centred-squared", "lift", "order-preserving"])
@pytest.mark.parametrize("reading", ["joint", "independent"])
def test_linear_rankers_train_on_the_mean_of_the_target(world: Any, loss: str, reading: Any) -> None:
    X, qid, j = world
    j = j.with_reading(reading)
    ranker = rp.LinearRanker("nDCG@3", loss=loss).fit(X, j, qid=qid)
    by_hand = aimed(X, qid, j, loss)
    assert np.allclose(ranker.coef_, by_hand.coef_, rtol=1e-10)
    assert str(ranker.loss_) == f"{loss}:normalised-gain@3"


def test_training_on_the_mean_is_training_on_every_judge(world: Any) -> None:
    X, qid, j = world
    # Every query once per judge, with the labels of that judge.
    labels = np.concatenate([j.sheets.labels[j.sheets.judge.repeat(ITEMS) == k] for k in range(JUDGES)])
    ids = np.concatenate([qid + k * QUERIES for k in range(JUDGES)])
    stacked = rp.LinearRanker("nDCG@3", tol=1e-10).fit(np.tile(X, (JUDGES, 1)), labels, qid=ids)
    ranker = rp.LinearRanker("nDCG@3", tol=1e-10).fit(X, j, qid=qid)
    assert np.allclose(ranker.coef_, stacked.coef_, rtol=1e-5, atol=1e-7)


def test_a_matrix_of_probabilities_is_soft_labels(world: Any) -> None:
    X, qid, j = world
    j = j.with_reading("independent")
    ranker = rp.LinearRanker("nDCG@3").fit(X, j, qid=qid)
    assert np.allclose(rp.LinearRanker("nDCG@3").fit(X, j.marginals(), qid=qid).coef_, ranker.coef_)


@pytest.mark.parametrize("metric", ["ERR(max_grade=3)@5", "AP"])
def test_independent_judgments_give_metrics_their_conditional_target(world: Any, metric: str) -> None:
    X, qid, j = world
    ranker = rp.LinearRanker(metric).fit(X, j.with_reading("independent"), qid=qid)  # no warning
    assert ranker.loss_.target == rp.target_for(metric, noise="independent")


def test_cross_validation_judges_by_the_mean_of_the_metric(world: Any) -> None:
    X, qid, j = world
    ranker = rp.LinearRankerCV("nDCG@3", folds=3).fit(X, j, qid=qid)
    assert ranker.scores_.shape[0] == 3
    # A validation part's value is the mean over the judges of nDCG@3.
    own = rp.LinearRankerCV("nDCG@3", l2s=[0.1]).fit(X, j, qid=qid, validation=(X, j, qid))
    scores = own.predict(X)
    by_judge = []
    for k in range(JUDGES):
        labels = j.sheets.labels[j.sheets.judge.repeat(ITEMS) == k]
        results = rp.evaluate(scores, labels, ["nDCG@3"], qid=qid, warn=False)
        by_judge.append(np.nan_to_num(results.per_query["nDCG@3"]))
    assert own.scores_[0, 0] == pytest.approx(np.mean(by_judge), rel=1e-9)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_boosted_rankers_train_on_the_mean_of_the_target(world: Any, engine: str) -> None:
    X, qid, j = world
    settings: dict[str, Any] = {"engine": engine, "n_estimators": 5, "threads": 1}
    if engine != "catboost":
        settings["min_data_in_leaf"] = 5
    ranker = rp.BoostedRanker("nDCG@3", loss="centred-squared", **settings).fit(X, j, qid=qid)
    values = j.expected_target("nDCG@3").values
    by_hand = rp.BoostedRanker("nDCG@3", loss=rp.loss("centred-squared"), **settings).fit(X, values, qid=qid)
    assert np.allclose(ranker.predict(X), by_hand.predict(X), rtol=1e-6, atol=1e-7)
    stopped = rp.BoostedRanker("nDCG@3", **settings).fit(X, j, qid=qid, validation=(X, j, qid))
    form = rp.metric("DCG(gain=linear)@3")
    value = rp.evaluate(stopped.predict(X), values, [form], qid=qid, warn=False).mean[str(form)]
    assert stopped.best_score_ == pytest.approx(value, rel=1e-6)


@pytest.mark.torch
def test_networks_train_on_the_mean_of_the_target(world: Any) -> None:
    X, qid, j = world
    settings: dict[str, Any] = {"hidden": (4,), "max_iter": 3, "valid_share": 0.2}
    ranker = rp.NeuralRanker("nDCG@3", **settings).fit(X, j, qid=qid)
    values = j.expected_target("nDCG@3").values
    by_hand = rp.NeuralRanker("DCG(gain=linear)@3", loss=rp.loss("softmax"), **settings).fit(
        X, values, qid=qid
    )
    assert np.allclose(ranker.predict(X, qid), by_hand.predict(X, qid), rtol=1e-5, atol=1e-6)


def test_objectives_of_the_engines_take_judgments(world: Any) -> None:
    import catboost as cat
    import lightgbm as lgb
    import xgboost as xgb

    X, qid, j = world
    values = j.expected_target("nDCG@3").values
    group = [ITEMS] * QUERIES
    scores = np.linspace(0, 1, X.shape[0])
    data = lgb.Dataset(X, label=np.zeros(X.shape[0]), group=group).construct()
    for loss in ("lift", "squared"):
        ours = rp.lightgbm.objective("nDCG@3", loss, judgments=j)(scores, data)
        by_hand = rp.loss(loss).evaluate(scores, values, np.arange(QUERIES + 1) * ITEMS).gradient
        # In another unit: see the notes of the objective on scale.
        ratio = ours[0] / by_hand
        assert np.allclose(ratio, ratio[0], rtol=1e-4)
    matrix = xgb.DMatrix(X, label=np.zeros(X.shape[0]), group=group)
    ours = rp.xgboost.objective("nDCG@3", "squared", judgments=j)(scores, matrix)
    assert np.allclose(ours[0], scores - values, atol=1e-6)
    target = rp.lightgbm.regression_target("nDCG@3", j, qid=qid)
    assert np.array_equal(target, values)
    pool = rp.catboost.pool("nDCG@3", X, j, qid=qid, loss="squared")
    assert isinstance(pool, cat.Pool)
    assert np.allclose(np.array(pool.get_label(), float), values, atol=1e-6)


@pytest.mark.parametrize("loss", ["listnet", "lambdarank", "preorder", "xe-ndcg"])
def test_losses_that_are_not_linear_are_refused_with_a_reason(world: Any, loss: str) -> None:
    X, qid, j = world
    with pytest.raises(ArgumentError, match=r"is not linear in what it reads \(.*Use one of .*softmax"):
        rp.LinearRanker("nDCG@3", loss=loss).fit(X, j, qid=qid)


def test_the_published_cosine_is_refused_and_the_consistent_one_is_not(world: Any) -> None:
    X, qid, j = world
    with pytest.raises(ArgumentError, match="mean direction"):
        rp.LinearRanker("nDCG@3", loss=rp.loss("cosine", metric="nDCG@3", normalize=True)).fit(X, j, qid=qid)
    assert rp.loss("cosine", metric="nDCG@3").linearity().value is True


def test_rows_and_judgments_must_be_of_the_same_items(world: Any) -> None:
    X, qid, j = world
    with pytest.raises(DataError, match="judgments are of 30 queries with 180 items"):
        rp.LinearRanker("nDCG@3").fit(X[:6], j, qid=qid[:6])
    with pytest.raises(DataError, match=r"Query 0 .* is 0 in the judgments and 'a0' in qid"):
        rp.LinearRanker("nDCG@3").fit(X, j, qid=np.char.add("a", qid.astype(str)))
    with pytest.raises(ArgumentError, match="depends on how the judgments are read"):
        rp.LinearRanker("nDCG@3").fit(X[:1], Judgments.from_columns([0], [0], [0], [1]), qid=[0])


def test_judgments_are_brought_into_the_order_of_data(world: Any) -> None:
    X, qid, j = world
    order = np.random.default_rng(1).permutation(QUERIES)
    rows = (order[:, None] * ITEMS + np.arange(ITEMS)[::-1]).reshape(-1)
    data = RankingData(
        labels=np.zeros(rows.size), offsets=np.arange(QUERIES + 1) * ITEMS, X=X[rows],
        query_ids=qid[rows][::ITEMS], doc_ids=rows.astype(str),
    )  # fmt: skip
    moved = j.for_data(data)
    assert np.array_equal(moved.counts, j.counts[rows])
    values = j.expected_target("nDCG@3").values
    assert np.allclose(moved.expected_target("nDCG@3").values, values[rows], rtol=1e-14)


def test_items_of_the_data_without_judgments_are_refused_or_those_of_the_pool() -> None:
    j = Judgments.from_columns(["q", "q", "r"], ["a", "b", "a"], [1, 1, 1], [2, 0, 1], reading="independent")
    data = RankingData(labels=[0, 0], offsets=[0, 2], query_ids=["q"], doc_ids=["c", "b"])
    with pytest.raises(DataError, match="Item 'c' of query 'q' has no judgment"):
        j.for_data(data)
    moved = j.for_data(data, unjudged="pool")
    assert moved.counts.tolist() == [[0, 0, 0], [1, 0, 0]]
