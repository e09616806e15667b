"""`LinearRankerCV`: the penalty with the best metric on queries that were not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import rankproof as rp
from fit.made_data import make
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.linear.ranker_cv import LinearRankerCV

TRAIN, VALID = make(queries=60, seed=1), make(queries=40, seed=2)
L2S = (1e-3, 10.0, 0.1)


@pytest.mark.parametrize("loss", ["softmax", "squared"])
@pytest.mark.parametrize("scale", ["none", "standard", "query-minmax"])
def test_validation_scores_are_those_of_single_fits(scale: str, loss: str) -> None:
    model = LinearRankerCV("nDCG@5", loss=loss, l2s=L2S, scale=scale, tol=1e-9).fit(
        *TRAIN, validation=VALID[:3]
    )
    assert model.l2_path_.tolist() == [10.0, 0.1, 1e-3]
    assert model.scores_.shape == (1, 3)
    singles = [
        LinearRanker("nDCG@5", loss=loss, l2=l2, scale=scale, tol=1e-9).fit(*TRAIN)
        for l2 in model.l2_path_.tolist()
    ]
    scores = [single.score(*VALID) for single in singles]
    np.testing.assert_allclose(model.scores_[0], scores, atol=1e-12)
    best = singles[int(np.argmax(scores))]
    assert model.l2_ == best.l2
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=1e-5, atol=1e-9)
    assert model.intercept_ == pytest.approx(best.intercept_, rel=1e-6)
    assert model.score(*VALID) == pytest.approx(max(scores), abs=1e-12)


def test_folds_hold_out_each_query_once_and_the_rest_is_refitted() -> None:
    weights = np.random.default_rng(4).uniform(0.5, 2, 60)
    model = LinearRankerCV("nDCG@5", l2s=L2S, folds=3, tol=1e-9, random_state=7)
    model.fit(*TRAIN, query_weight=weights)
    folds = list(rp.QueryKFold(3, seed=7).split(groups=TRAIN.qid))
    query = np.repeat(np.arange(60), np.diff(TRAIN.offsets))
    for k, l2 in enumerate(model.l2_path_.tolist()):
        for row, (train, test) in enumerate(folds):
            fitted = LinearRanker("nDCG@5", l2=l2, tol=1e-9).fit(
                TRAIN.X[train], TRAIN.y[train], TRAIN.qid[train], query_weight=weights[query[train]]
            )
            value = fitted.score(
                TRAIN.X[test], TRAIN.y[test], TRAIN.qid[test], query_weight=weights[query[test]]
            )
            assert model.scores_[row, k] == pytest.approx(value, abs=1e-12)
    assert model.l2_ == model.l2_path_[np.argmax(model.scores_.mean(axis=0))]
    whole = LinearRanker("nDCG@5", l2=model.l2_, tol=1e-9).fit(*TRAIN, query_weight=weights)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.* differs between items of one query")
def test_item_weights_are_cut_with_the_items() -> None:
    items = np.random.default_rng(4).uniform(0.5, 2, TRAIN.y.size)
    model = LinearRankerCV("nDCG@5", l2s=[0.1], folds=2, tol=1e-9).fit(*TRAIN, sample_weight=items)
    train, test = next(iter(rp.QueryKFold(2).split(groups=TRAIN.qid)))
    fitted = LinearRanker("nDCG@5", l2=0.1, tol=1e-9).fit(
        TRAIN.X[train], TRAIN.y[train], TRAIN.qid[train], sample_weight=items[train]
    )
    assert model.scores_[0, 0] == pytest.approx(
        fitted.score(TRAIN.X[test], TRAIN.y[test], TRAIN.qid[test]), abs=1e-12
    )


def test_warm_starts_take_fewer_iterations_than_cold_ones() -> None:
    l2s = 10.0 ** np.arange(0, -7, -1.0)
    path = LinearRankerCV("nDCG@5", l2s=l2s, tol=1e-6).fit(*TRAIN, validation=VALID[:3])
    cold = [LinearRanker("nDCG@5", l2=l2, tol=1e-6).fit(*TRAIN) for l2 in l2s.tolist()]
    at = int(np.argmax(path.l2_path_ == path.l2_))
    np.testing.assert_allclose(path.coef_, cold[at].coef_, rtol=1e-3)


def test_a_data_set_serves_as_validation() -> None:
    data = rp.RankingData.from_qid(VALID.X, VALID.y, VALID.qid)
    one = LinearRankerCV("nDCG@5", l2s=L2S).fit(*TRAIN, validation=data)
    other = LinearRankerCV("nDCG@5", l2s=L2S).fit(*TRAIN, validation=(data.X, data.labels, data.qids))
    assert (one.scores_ == other.scores_).all()


def test_among_equals_the_largest_penalty_wins() -> None:
    X, y, qid = np.array([[1.0], [0.0]] * 4), [1, 0] * 4, np.repeat(np.arange(4), 2)
    model = LinearRankerCV(l2s=[1e-3, 1.0, 1e-1], folds=2).fit(X, y, qid)
    assert (model.scores_ == 1).all()
    assert model.l2_ == 1.0


def test_a_metric_of_which_lower_is_better_is_minimised() -> None:
    model = LinearRankerCV("WPDL", loss="softmax:gain", l2s=(1e3, 1e-2)).fit(*TRAIN, validation=VALID[:3])
    assert (model.scores_ < 0).all()
    assert model.l2_ == model.l2_path_[np.argmax(model.scores_[0])]


def test_fits_that_did_not_converge_are_counted() -> None:
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 fits did not converge, the first at l2=10:"):
        LinearRankerCV(l2s=L2S, max_iter=1, tol=1e-12).fit(*TRAIN, validation=VALID[:3])


@pytest.mark.parametrize(
    ("parameters", "given", "error", "message"),
    [
        ({"l2s": []}, {}, ArgumentError, "l2s of LinearRankerCV must have at least one penalty"),
        ({"l2s": 3}, {}, ArgumentError, "l2s of LinearRankerCV must be a list of numbers, got 3"),
        ({"l2s": [-1]}, {}, ArgumentError, "l2s of LinearRankerCV must be a finite number >= 0, got -1"),
        ({"folds": 1}, {}, ArgumentError, "folds of LinearRankerCV must be an int >= 2"),
        (
            {},
            {"qid": np.zeros(TRAIN.y.size)},
            DataError,
            r"at least folds=5 queries to cross-validate, got 1 .*validation=",
        ),
        (
            {},
            {"query_weight": np.eye(TRAIN.offsets.size - 1)[0]},
            DataError,
            r"counts no query.* These are the queries held out in fold \d; give fewer folds, or validation=",
        ),
        ({}, {"validation": 3}, ArgumentError, r"validation must be \(X, y, qid\) or a RankingData, got int"),
        (
            {},
            {"validation": (VALID.X[:, :2], VALID.y, VALID.qid)},
            ArgumentError,
            "the 6 features of X, got 2",
        ),
        ({}, {"validation": rp.RankingData(labels=[1], offsets=[0, 1])}, ArgumentError, "without X"),
    ],
)
def test_wrong_arguments_are_named(
    parameters: dict[str, Any], given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        LinearRankerCV(**parameters).fit(**{"X": TRAIN.X, "y": TRAIN.y, "qid": TRAIN.qid, **given})
