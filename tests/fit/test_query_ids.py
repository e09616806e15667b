"""scikit-learn's plain calls score by query, with and without metadata routing; no query ids, no number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankproof as rp
from fit.made_data import make
from rankproof.errors import ArgumentError, QueryWarning
from rankproof.fit.query_ids import MOST_ROWS

DATA = make(queries=60)
CV = rp.QueryKFold(3)
WITH, WITHOUT = {"params": {"qid": DATA.qid}}, {"params": {"qid": DATA.qid}, "groups": DATA.qid}
RANKERS = [
    rp.LinearRanker("nDCG@5", scale="none"),
    rp.LinearRanker("nDCG@5", scale="query-minmax"),
    rp.LinearRankerCV("nDCG@5", l2s=(1.0, 0.01), folds=2),
    rp.BoostedRanker("nDCG@5", n_estimators=5, threads=1),
    rp.BoostedRanker("nDCG@5", engine="xgboost", n_estimators=5, threads=1),
    rp.BoostedRanker("nDCG@5", engine="catboost", n_estimators=5, threads=1),
    pytest.param(rp.NeuralRanker("nDCG@5", hidden=(4,), max_iter=2), marks=pytest.mark.torch),
]


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(ranker: Any, part: int = 1) -> list[float]:
    """The exact metric on the queries of every fold, through the evaluator that users call."""
    values = []
    for fold in CV.split(groups=DATA.qid):
        train, rows = fold[0], fold[part]
        fitted = clone(ranker).fit(DATA.X[train], DATA.y[train], qid=DATA.qid[train])
        scores = fitted.predict(DATA.X[rows], qid=DATA.qid[rows])
        sizes = np.unique(DATA.qid[rows], return_counts=True)[1]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        values.append(rp.evaluate(scores, DATA.y[rows], "nDCG@5", offsets=offsets).mean["nDCG@5"])
    return values


@pytest.mark.parametrize("ranker", RANKERS)
def test_cross_validation_scores_by_query(ranker: Any) -> None:
    found = cross_val_score(ranker, DATA.X, DATA.y, cv=CV, error_score="raise", **WITHOUT)
    np.testing.assert_allclose(found, by_hand(ranker), rtol=0, atol=1e-12)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("ranker", RANKERS)
def test_cross_validation_scores_by_query_with_routing(ranker: Any) -> None:
    found = cross_val_score(ranker, DATA.X, DATA.y, cv=CV, error_score="raise", **WITH)
    np.testing.assert_allclose(found, by_hand(ranker), rtol=0, atol=1e-12)


@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize(
    "cut", [KFold(3, shuffle=True, random_state=0), ShuffleSplit(2, random_state=0), 4], ids=str
)
def test_folds_that_cut_queries_are_refused(cut: Any, routed: bool) -> None:
    """A query of which some rows were trained on is half known: .81 where folds of whole queries say .64."""
    given: Any = {"cv": cut, "params": {"qid": DATA.qid}, "error_score": "raise"}
    said = r"cuts queries apart: of query \d+ \d+ rows are tested on and \d+ are not.*QueryKFold"
    pipe = make_pipeline(StandardScaler(), rp.LinearRanker("nDCG@5"))
    with sklearn.config_context(enable_metadata_routing=routed):
        with pytest.raises(ArgumentError, match=said):
            cross_val_score(RANKERS[1], DATA.X, DATA.y, **given)
        name = "qid" if routed else "linearranker__qid"
        with pytest.raises(ArgumentError, match=said):
            cross_val_score(pipe, DATA.X, DATA.y, **{**given, "params": {name: DATA.qid}})
        with pytest.raises(ArgumentError, match=said):
            GridSearchCV(RANKERS[0], {"l2": [1.0]}, cv=cut, error_score="raise").fit(
                DATA.X, DATA.y, qid=DATA.qid
            )
        if not isinstance(cut, ShuffleSplit):
            with pytest.raises(ArgumentError, match=said):
                cross_val_predict(RANKERS[0], DATA.X, DATA.y, cv=cut, params={"qid": DATA.qid})


def test_a_learning_curve_may_cut_the_queries_that_it_trains_on() -> None:
    sizes, _, found = learning_curve(
        RANKERS[0],
        *(DATA.X, DATA.y),
        groups=DATA.qid,
        cv=CV,
        train_sizes=[0.37, 1.0],
        params={"qid": DATA.qid},
        error_score="raise",
    )
    assert sizes[0] < sizes[1]
    np.testing.assert_allclose(found[1], by_hand(RANKERS[0]), rtol=0, atol=1e-12)


def test_training_scores_are_by_query_too() -> None:
    """Of two folds both parts have as many rows, or nearly."""
    ranker = RANKERS[0]
    found = cross_validate(ranker, DATA.X, DATA.y, cv=CV, return_train_score=True, **WITHOUT)
    np.testing.assert_allclose(found["test_score"], by_hand(ranker), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["train_score"], by_hand(ranker, part=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("jobs", [2])
def test_other_processes_score_by_query(jobs: int) -> None:
    ranker = RANKERS[0]
    found = cross_val_score(ranker, DATA.X, DATA.y, cv=CV, n_jobs=jobs, **WITHOUT)
    np.testing.assert_allclose(found, by_hand(ranker), rtol=0, atol=1e-12)


@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize("kind", [GridSearchCV, RandomizedSearchCV])
def test_a_search_chooses_by_the_metric_of_queries(kind: Any, routed: bool) -> None:
    penalties = [1e4, 10.0, 1e-3]
    more = {} if kind is GridSearchCV else {"n_iter": 3, "random_state": 0}
    search = kind(rp.LinearRanker("nDCG@5"), {"l2": penalties}, cv=CV, error_score="raise", **more)
    given = {"qid": DATA.qid} if routed else {"qid": DATA.qid, "groups": DATA.qid}
    with sklearn.config_context(enable_metadata_routing=routed):
        search.fit(DATA.X, DATA.y, **given)
    found = dict(
        zip(
            [one["l2"] for one in search.cv_results_["params"]],
            search.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    expected = {l2: float(np.mean(by_hand(rp.LinearRanker("nDCG@5", l2=l2)))) for l2 in penalties}
    assert found == pytest.approx(expected, abs=1e-12)
    assert search.best_params_["l2"] == max(expected, key=expected.__getitem__)


@pytest.mark.parametrize("routed", [False, True])
def test_pipelines_are_cross_validated_and_searched_by_query(routed: bool) -> None:
    pipe = make_pipeline(StandardScaler(), rp.LinearRanker("nDCG@5", scale="none", l2=0.05, tol=1e-9))
    name = "qid" if routed else "linearranker__qid"
    groups = {} if routed else {"groups": DATA.qid}
    # The scaling of the ranker itself is the same, learnt on the same rows.
    expected = by_hand(rp.LinearRanker("nDCG@5", scale="standard", l2=0.05, tol=1e-9))
    with sklearn.config_context(enable_metadata_routing=routed):
        found = cross_val_score(
            pipe, DATA.X, DATA.y, cv=CV, params={name: DATA.qid}, error_score="raise", **groups
        )
        search = GridSearchCV(pipe, {"linearranker__l2": [0.05]}, cv=CV, error_score="raise")
        search.fit(DATA.X, DATA.y, **{name: DATA.qid}, **groups)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert search.best_score_ == pytest.approx(np.mean(expected), abs=1e-9)


@pytest.mark.usefixtures("routing")
def test_predictions_of_folds_need_no_query_ids_or_are_refused() -> None:
    """`cross_val_predict` hands nothing to ``predict``."""
    given: Any = {"cv": CV, "params": {"qid": DATA.qid}}
    found = cross_val_predict(RANKERS[0], DATA.X, DATA.y, **given)
    for train, test in CV.split(groups=DATA.qid):
        fitted = clone(RANKERS[0]).fit(DATA.X[train], DATA.y[train], qid=DATA.qid[train])
        assert np.array_equal(found[test], fitted.predict(DATA.X[test]))
    with pytest.raises(ArgumentError, match="needs qid="):
        cross_val_predict(RANKERS[1], DATA.X, DATA.y, **given)


def test_where_the_ids_of_a_fold_are_not_found_nothing_is_scored() -> None:
    with pytest.raises(ArgumentError, match=r"score has no qid=.*enable_metadata_routing"):
        permutation_test_score(rp.LinearRanker(), DATA.X, DATA.y, cv=CV, n_permutations=1, **WITHOUT)
    search = GridSearchCV(rp.LinearRanker(), {"l2": [1.0]}, cv=CV).fit(
        DATA.X, DATA.y, qid=DATA.qid, groups=DATA.qid
    )
    with pytest.raises(ArgumentError, match="score has no qid="):
        search.score(DATA.X, DATA.y)


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_ranker_of_queries_is_not_scored_without_them(ranker: Any, tmp_path: Any) -> None:
    fitted = clone(ranker).fit(DATA.X, DATA.y, qid=DATA.qid)
    fitted.save(tmp_path / "model")
    for one in (fitted, rp.load_model(tmp_path / "model")):
        with pytest.raises(ArgumentError, match=r"needs qid=|score has no qid="):
            one.score(DATA.X, DATA.y)


@pytest.mark.parametrize("ranker", [rp.LinearRanker(), rp.BoostedRanker(n_estimators=2, threads=1)])
def test_rows_without_queries_are_few_and_warned_of(ranker: Any) -> None:
    rows = np.arange(MOST_ROWS + 1)
    X, y = np.column_stack([rows % 7, rows % 11]).astype(float), (rows % 3).astype(float)
    with pytest.raises(ArgumentError, match=r"fit has no qid=.*the 1001 rows.*same id for all"):
        clone(ranker).fit(X, y)
    with pytest.warns(QueryWarning, match="fit has no qid=, so all 1000 rows are taken") as seen:
        fitted = clone(ranker).fit(X[:-1], y[:-1])
    assert seen[0].filename == __file__
    with pytest.warns(QueryWarning, match="score has no qid=, so all 1000 rows are taken") as seen:
        fitted.score(X[:-1], y[:-1])
    assert seen[0].filename == __file__
    with pytest.raises(ArgumentError, match="score has no qid="):
        fitted.score(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = clone(ranker).fit(X, y, qid=np.zeros(rows.size, int))
        told.score(X, y, qid=np.zeros(rows.size, int))


def test_validation_data_have_query_ids() -> None:
    ranker = rp.BoostedRanker(n_estimators=2, threads=1)
    with pytest.raises(ArgumentError, match=r"validation must be .* one query id per row, got no qid"):
        ranker.fit(DATA.X, DATA.y, qid=DATA.qid, validation=(DATA.X, DATA.y, None))
