"""The contract of scikit-learn: its own checks, clones, pipelines, searches with routed query ids."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from every_case import few_cases
from fit.made_data import UNASKED, make
from rankproof.data.split import QueryKFold
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.linear.ranker_cv import LinearRankerCV
from rankproof.losses.squared import Squared

DATA = make(queries=60)
REPEATED = "the weight of an item multiplies its target in softmax; an item twice is another list"


class InFifths(LinearRankerCV):
    """The checks know no query ids: rows in five queries, so that there is something to cross-validate."""

    def fit(  # type: ignore[override]
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, query_weight: Any = None
    ) -> InFifths:
        rows = X.shape[0] if hasattr(X, "shape") else np.asarray(X).shape[0]
        qid = np.arange(rows) * 5 // rows
        return LinearRankerCV.fit(self, X, y, qid, sample_weight, query_weight)

    def score(
        self,
        X: Any,
        y: Any,
        qid: Any = None,  # noqa: ARG002
        sample_weight: Any = None,
        query_weight: Any = None,
    ) -> float:
        return LinearRankerCV.score(self, X, y, np.zeros(len(y)), sample_weight, query_weight)


def known_failures(estimator: Any) -> dict[str, str]:
    checks = (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    )
    if isinstance(estimator, InFifths):
        return dict.fromkeys(checks, "folds hold other rows when rows are repeated")
    return {} if isinstance(estimator.loss, Squared) else dict.fromkeys(checks, REPEATED)


@few_cases
@pytest.mark.usefixtures("array_api")
@pytest.mark.filterwarnings(*UNASKED)
@parametrize_with_checks(
    [
        LinearRanker(),
        LinearRanker(loss=Squared(), tol=1e-12, scale="standard"),
        InFifths("nDCG(empty=0)@10", l2s=(1.0, 0.1)),
    ],
    expected_failed_checks=known_failures,
)
def test_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("array_api")
@pytest.mark.filterwarnings(*UNASKED)
@parametrize_with_checks(
    [LinearRanker(loss=Squared(), tol=1e-12), LinearRanker(solver="sgd")],
    expected_failed_checks=known_failures,
)
def test_the_checks_of_scikit_learn_on_other_rankers(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_clone_has_the_same_parameters_and_no_fit() -> None:
    ranker = LinearRanker("AP", noise="independent", l2=0.2, scale="standard", threads=2).fit(*DATA)
    other = clone(ranker)
    assert other.get_params() == ranker.get_params()
    assert not hasattr(other, "coef_")


def test_a_fitted_ranker_can_be_pickled() -> None:
    ranker = LinearRanker(scale="standard").fit(*DATA)
    other = pickle.loads(pickle.dumps(ranker))  # noqa: S301
    assert (other.predict(DATA.X) == ranker.predict(DATA.X)).all()
    assert other.report_ == ranker.report_


@pytest.mark.usefixtures("routing")
def test_a_pipeline_routes_query_ids() -> None:
    ranker = LinearRanker(l2=0.05, tol=1e-8)
    ranker.set_fit_request(qid=True, sample_weight=True, query_weight=True)
    ranker.set_score_request(qid=True, sample_weight=True, query_weight=True)
    weights = np.repeat(np.arange(1, 61), np.diff(DATA.offsets))
    scaler = StandardScaler().set_fit_request(sample_weight="query_weight")
    pipe = make_pipeline(scaler, ranker).fit(DATA.X, DATA.y, qid=DATA.qid, query_weight=weights)
    alone = LinearRanker(l2=0.05, tol=1e-8, scale="standard").fit(*DATA, query_weight=weights)
    np.testing.assert_allclose(pipe[-1].coef_, alone.coef_, rtol=1e-5)
    np.testing.assert_allclose(pipe.predict(DATA.X), alone.predict(DATA.X), atol=1e-6)
    assert pipe.score(DATA.X, DATA.y, qid=DATA.qid) == pytest.approx(alone.score(*DATA), abs=1e-12)


@pytest.mark.usefixtures("routing")
def test_a_pipeline_routes_query_ids_to_predict() -> None:
    ranker = LinearRanker(scale="query-minmax").set_fit_request(qid=True).set_predict_request(qid=True)
    pipe = make_pipeline(StandardScaler(), ranker).fit(DATA.X, DATA.y, qid=DATA.qid)
    alone = LinearRanker(scale="query-minmax").fit(*DATA)
    np.testing.assert_allclose(pipe.predict(DATA.X, qid=DATA.qid), alone.predict(DATA.X, DATA.qid), atol=1e-6)


@pytest.mark.usefixtures("routing")
def test_a_search_over_query_folds_scores_by_query() -> None:
    ranker = LinearRanker("nDCG@5", scale="standard", tol=1e-8)
    ranker.set_fit_request(qid=True).set_score_request(qid=True)
    splitter = QueryKFold(3, seed=2)
    folds = list(splitter.split(groups=DATA.qid))
    search = GridSearchCV(ranker, {"l2": [10.0, 0.1, 1e-3]}, cv=splitter).fit(DATA.X, DATA.y, qid=DATA.qid)
    for k, l2 in enumerate((10.0, 0.1, 1e-3)):
        by_hand = []
        for train, test in folds:
            fitted = clone(ranker).set_params(l2=l2).fit(DATA.X[train], DATA.y[train], DATA.qid[train])
            by_hand.append(fitted.score(DATA.X[test], DATA.y[test], DATA.qid[test]))
        assert search.cv_results_["mean_test_score"][k] == pytest.approx(np.mean(by_hand), abs=1e-12)
    own = LinearRankerCV(
        "nDCG@5", scale="standard", tol=1e-8, l2s=(10.0, 0.1, 1e-3), folds=3, random_state=2
    ).fit(*DATA)
    assert own.l2_ == search.best_params_["l2"]
    np.testing.assert_allclose(own.scores_.mean(axis=0), search.cv_results_["mean_test_score"], atol=1e-3)


@pytest.mark.usefixtures("routing")
def test_cross_validation_uses_the_query_ids() -> None:
    ranker = LinearRanker("nDCG@5").set_fit_request(qid=True).set_score_request(qid=True)
    folds = list(QueryKFold(3).split(groups=DATA.qid))
    found = cross_validate(
        ranker, DATA.X, DATA.y, params={"qid": DATA.qid}, cv=folds, return_train_score=True
    )
    assert (found["test_score"] > 0.5).all()
    assert (found["train_score"] > 0.5).all()


def test_feature_names_are_kept_and_checked() -> None:
    import pandas as pd

    frame = pd.DataFrame(DATA.X, columns=list("abcdef"))
    ranker = LinearRanker().fit(frame, DATA.y, DATA.qid)
    assert ranker.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(ValueError, match="feature names"):
        ranker.predict(frame[list("bacdef")])
