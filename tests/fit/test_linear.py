"""`LinearRanker`: weights, kinds of features, threads, warm starts, arguments, what it says."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

import rankproof as rp
from every_case import few_cases
from fit.made_data import make
from rankproof.errors import ArgumentError, ConsistencyWarning, DataError, EmptyQueryError, QueryWarning
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.scaling import minmax_by_query
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared, Squared

DATA = make(queries=60)
TIGHT: dict[str, Any] = {"l2": 0.05, "tol": 1e-8}


def repeated(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The data with query q there ``times[q]`` times, under ids of their own."""
    rows, ids = [], []
    for q, count in enumerate(times.tolist()):
        for copy in range(count):
            rows.append(np.arange(DATA.offsets[q], DATA.offsets[q + 1]))
            ids.append(np.full(rows[-1].size, 100 * q + copy))
    at = np.concatenate(rows)
    return DATA.X[at], DATA.y[at], np.concatenate(ids)


@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
@pytest.mark.parametrize("scale", ["none", "standard", "query-minmax"])
@pytest.mark.parametrize("loss", [Squared(), Softmax()], ids=lambda loss: loss.name)
def test_whole_query_weights_are_repeated_queries(loss: Any, scale: str, solver: str) -> None:
    times = np.random.default_rng(6).integers(0, 4, 60)
    X, y, qid = repeated(times)
    model = LinearRanker(
        loss=loss, solver=solver, scale=scale, l2=0.05, tol=1e-9 if solver == "lbfgs" else 1e-5
    )
    weighted, plain = clone(model).fit(*DATA, query_weight=times), clone(model).fit(X, y, qid)
    if solver == "lbfgs":
        np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-6, atol=1e-7)
    else:
        # The batches differ, so SGD ends at another point near the minimum.
        assert weighted.report_.value == pytest.approx(plain.report_.value, rel=1e-3)


def test_query_weights_may_be_given_per_row() -> None:
    weights = np.random.default_rng(6).uniform(0, 4, 60)
    per_row = np.repeat(weights, np.diff(DATA.offsets))
    one = LinearRanker(**TIGHT).fit(DATA.X, DATA.y, DATA.qid, query_weight=weights)
    other = LinearRanker(**TIGHT).fit(DATA.X, DATA.y, DATA.qid, query_weight=per_row)
    assert (one.coef_ == other.coef_).all()
    per_row[1] += 1
    with pytest.raises(ArgumentError, match="the same within a query, got another at row 1"):
        LinearRanker().fit(DATA.X, DATA.y, DATA.qid, query_weight=per_row)


@pytest.mark.filterwarnings("ignore:.* differs between items of one query")
def test_whole_item_weights_are_repeated_items() -> None:
    times = np.random.default_rng(7).integers(0, 4, DATA.y.size)
    times[DATA.offsets[:-1]] += 1
    at = np.repeat(np.arange(DATA.y.size), times)
    for loss in (Squared(), Softmax()):
        # Weights of items count in the mean that scaling takes off, and targets do not.
        model = LinearRanker(loss=loss, scale="none", **TIGHT)
        weighted = clone(model).fit(DATA.X, DATA.y, DATA.qid, sample_weight=times)
        # Softmax weighs targets: an item twice is not two items, which would share the mass.
        if loss.name == "squared":
            plain = clone(model).fit(DATA.X[at], DATA.y[at], DATA.qid[at])
        else:
            plain = clone(model).fit(DATA.X, DATA.y * times, DATA.qid)
        np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-6)


def test_item_weights_that_are_equal_within_queries_go_with_every_loss() -> None:
    factor = np.random.default_rng(6).uniform(0.5, 2, 60)
    per_row = np.repeat(factor, np.diff(DATA.offsets))
    ranker = LinearRanker(loss=CentredSquared(), **TIGHT)
    by_item = ranker.fit(DATA.X, DATA.y, DATA.qid, sample_weight=per_row).coef_
    # Weights of queries are divided by their sum, weights of items are not.
    scaled = LinearRanker(loss=CentredSquared(), l2=0.05 / factor.mean(), tol=1e-8)
    np.testing.assert_allclose(
        by_item, scaled.fit(DATA.X, DATA.y, DATA.qid, query_weight=factor).coef_, rtol=1e-6
    )
    per_row[-1] += 1
    with pytest.raises(ArgumentError, match="centred-squared is not a sum over items"):
        ranker.fit(DATA.X, DATA.y, DATA.qid, sample_weight=per_row)


@few_cases
@pytest.mark.parametrize("scale", ["none", "standard", "query-minmax"])
@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_features_are_dense_features(kind: Any, scale: str) -> None:
    X = np.maximum(DATA.X, 0)
    dense = LinearRanker(scale=scale, **TIGHT).fit(X, DATA.y, DATA.qid)
    sparse = LinearRanker(scale=scale, **TIGHT).fit(kind(X), DATA.y, DATA.qid)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6)
    np.testing.assert_allclose(
        sparse.predict(kind(X), DATA.qid), dense.predict(X, DATA.qid), rtol=1e-6, atol=1e-9
    )
    assert sparse.score(kind(X), DATA.y, DATA.qid) == pytest.approx(
        dense.score(X, DATA.y, DATA.qid), abs=1e-12
    )
    sgd = [LinearRanker(scale=scale, solver="sgd").fit(x, DATA.y, DATA.qid).coef_ for x in (X, kind(X))]
    np.testing.assert_allclose(sgd[0], sgd[1], rtol=1e-6)


def test_single_precision_is_double_precision_of_the_same_numbers() -> None:
    single = DATA.X.astype(np.float32)
    one = LinearRanker(**TIGHT).fit(single, DATA.y, DATA.qid)
    two = LinearRanker(**TIGHT).fit(single.astype(np.float64), DATA.y, DATA.qid)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-9)
    np.testing.assert_allclose(
        one.predict(single), two.predict(single.astype(np.float64)), rtol=1e-9, atol=1e-12
    )
    assert one.predict(single).dtype == np.float64


@few_cases
@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
def test_any_number_of_threads_gives_the_same_bits(solver: str) -> None:
    data = make(queries=8000, features=5, longest=15)
    assert data.y.size > 60_000
    found = [
        LinearRanker(solver=solver, threads=threads, max_iter=100, tol=1e-4).fit(
            data.X.astype(np.float32), data.y, data.qid
        )
        for threads in (1, 2, 3)
    ]
    for other in found[1:]:
        assert (other.coef_ == found[0].coef_).all()
        assert other.report_ == found[0].report_
        assert (other.predict(data.X) == found[0].predict(data.X)).all()


def test_order_of_queries_and_of_items_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    pieces = [
        DATA.offsets[q] + rng.permutation(DATA.offsets[q + 1] - DATA.offsets[q]) for q in rng.permutation(60)
    ]
    at = np.concatenate(pieces)
    one = LinearRanker(**TIGHT).fit(DATA.X, DATA.y, DATA.qid)
    other = LinearRanker(**TIGHT).fit(DATA.X[at], DATA.y[at], DATA.qid[at])
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-6)


def test_shifts_of_features_do_not_matter() -> None:
    for loss in ("squared", "softmax"):
        one = LinearRanker(loss=loss, **TIGHT).fit(DATA.X, DATA.y, DATA.qid)
        other = LinearRanker(loss=loss, **TIGHT).fit(DATA.X + 100, DATA.y, DATA.qid)
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-5)


def test_standard_scaling_makes_units_of_features_immaterial() -> None:
    one = LinearRanker(scale="standard", **TIGHT).fit(DATA.X, DATA.y, DATA.qid)
    other = LinearRanker(scale="standard", **TIGHT).fit(
        DATA.X * [1, 10, 100, 1e3, 1e-3, 7] - 3, DATA.y, DATA.qid
    )
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-6)
    by_hand = ((DATA.X - DATA.X.mean(axis=0)) / DATA.X.std(axis=0)) @ one.coef_
    np.testing.assert_allclose(one.predict(DATA.X), by_hand, atol=1e-12)


def test_a_constant_feature_is_not_divided_by_zero() -> None:
    X = np.column_stack([DATA.X, np.full(DATA.y.size, 1e6 / 3)])
    for scale in ("standard", "query-minmax"):
        ranker = LinearRanker(scale=scale, **TIGHT).fit(X, DATA.y, DATA.qid)
        assert abs(ranker.coef_[6]) < 1e-6
        assert np.isfinite(ranker.predict(X, DATA.qid)).all()


def test_query_minmax_needs_the_queries_to_predict() -> None:
    ranker = LinearRanker(scale="query-minmax").fit(DATA.X, DATA.y, DATA.qid)
    with pytest.raises(ArgumentError, match="needs qid="):
        ranker.predict(DATA.X)
    lone = ranker.predict(DATA.X[:1], ["any"])
    assert lone.tolist() == [0.0]
    with pytest.raises(ArgumentError, match="needs qid="):
        ranker.score(DATA.X, DATA.y)


def test_minmax_of_sparse_features_keeps_zeros_or_refuses() -> None:
    X = np.array([[0.0, 4.0], [2.0, 2.0], [0.0, 0.0], [5.0, -1.0]])
    offsets = np.array([0, 2, 4])
    with pytest.raises(DataError, match="feature 1 of query number 1 goes down to -1"):
        minmax_by_query(csr_array(X), offsets)
    full = X.copy()
    full[2, 1] = 3.0
    found = minmax_by_query(csr_array(full), offsets)
    assert (
        found.toarray().tolist()
        == minmax_by_query(full, offsets).tolist()
        == [[0, 1], [1, 0], [0, 1], [1, 0]]
    )
    assert minmax_by_query(csr_array((4, 2)), offsets).toarray().tolist() == [[0, 0]] * 4


def test_warm_start_goes_on_from_the_last_fit() -> None:
    ranker = LinearRanker(warm_start=True, l2=0.05, tol=1e-6).fit(*DATA)
    cold = ranker.report_.iterations
    ranker.fit(*DATA)
    assert ranker.report_.iterations == 0
    assert ranker.report_.message == "the start is a solution"
    near = ranker.set_params(l2=0.051).fit(*DATA)
    assert 0 < near.report_.iterations < cold
    np.testing.assert_allclose(near.coef_, LinearRanker(l2=0.051, tol=1e-6).fit(*DATA).coef_, rtol=1e-3)
    squared = LinearRanker(loss="squared", warm_start=True, tol=1e-6).fit(*DATA)
    assert squared.fit(*DATA).report_.iterations == 0
    with pytest.raises(ArgumentError, match="the last fit had 6 features, this X has 2"):
        near.fit(DATA.X[:, :2], DATA.y, DATA.qid)


def test_score_is_the_mean_of_the_metric() -> None:
    ranker = LinearRanker("nDCG@3").fit(*DATA)
    weights = np.arange(60.0)
    for metric in ("nDCG@3", "AP", "RR", "nDCG(empty=0)", "P@2", "MeanNDCG", "judged"):
        ranker.set_params(metric=metric)
        found = rp.evaluate(ranker.predict(DATA.X), DATA.y, metric, qid=DATA.qid).mean
        assert ranker.score(*DATA) == pytest.approx(next(iter(found.values())), abs=1e-14)
        weighted = rp.evaluate(ranker.predict(DATA.X), DATA.y, metric, qid=DATA.qid, weights=weights).mean
        assert ranker.score(*DATA, query_weight=weights) == pytest.approx(
            next(iter(weighted.values())), abs=1e-14
        )


def test_score_is_larger_for_the_better_ranker_also_when_lower_is_better() -> None:
    ranker = LinearRanker("WPDL", loss="softmax:gain").fit(*DATA)
    good = ranker.score(*DATA)
    ranker.coef_ = -ranker.coef_
    assert ranker.score(*DATA) < good < 0


def test_weights_of_rows_in_score_are_weights_of_queries() -> None:
    ranker = LinearRanker("nDCG@3").fit(*DATA)
    weights, twos = np.arange(60.0), np.full(60, 2.0)
    per_row = np.repeat(weights, np.diff(DATA.offsets))
    assert ranker.score(*DATA, sample_weight=per_row) == ranker.score(*DATA, query_weight=weights)
    both = ranker.score(*DATA, sample_weight=per_row, query_weight=twos)
    assert both == pytest.approx(ranker.score(*DATA, query_weight=weights), abs=1e-14)
    with pytest.raises(ArgumentError, match="sample_weight with one number per row must be the same within"):
        ranker.score(*DATA, sample_weight=np.arange(DATA.y.size))


def test_score_refuses_what_counts_no_query() -> None:
    ranker = LinearRanker().fit(*DATA)
    with pytest.raises(DataError, match="nDCG@10 counts no query: each is empty"):
        ranker.score(DATA.X, np.zeros_like(DATA.y), DATA.qid)
    ranker.set_params(metric="nDCG(empty=error)")
    with pytest.raises(
        EmptyQueryError, match=r"query 0 is empty: it has no relevant item \(60 such queries in all\)"
    ):
        ranker.score(DATA.X, np.zeros_like(DATA.y), DATA.qid)


def test_the_automatic_loss_is_made_for_the_metric() -> None:
    assert str(LinearRanker("nDCG@10").fit(*DATA).loss_) == "softmax:normalised-gain@10"
    with pytest.warns(ConsistencyWarning, match="independent"):
        ranker = LinearRanker("ERR@20").fit(*DATA)
    assert str(LinearRanker("ERR@20", noise="independent").fit(*DATA).loss_) == str(ranker.loss_)
    # No warning: warnings are errors in this suite.
    assert str(LinearRanker("ERR", loss="squared", noise="independent").fit(*DATA).loss_).startswith(
        "squared:"
    )


def test_a_named_loss_takes_its_target_from_the_metric() -> None:
    assert str(LinearRanker("nDCG@7", loss="squared").fit(*DATA).loss_) == "squared:normalised-gain@7"
    assert str(LinearRanker("nDCG@7", loss="squared:gain").fit(*DATA).loss_) == "squared:gain"
    assert LinearRanker("AP", loss="listmle").fit(*DATA).loss_.target is None
    assert LinearRanker("AP", loss=Softmax()).fit(*DATA).loss_ == Softmax()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"solver": "newton"}, "solver of LinearRanker must be one of 'lbfgs', 'sgd', got 'newton'"),
        ({"scale": "minmax"}, "scale of LinearRanker must be one of"),
        ({"l2": -1}, "l2 of LinearRanker must be a finite number >= 0, got -1"),
        ({"l2": np.inf}, "l2 of LinearRanker must be a finite number"),
        ({"l2": True}, "l2 of LinearRanker"),
        ({"tol": "small"}, "tol of LinearRanker must be a finite number"),
        ({"verbose": -1}, "verbose of LinearRanker must be an int >= 0, got -1"),
        ({"verbose": "loud"}, "verbose of LinearRanker must be an int >= 0, got 'loud'"),
        ({"max_iter": 0}, "max_iter of LinearRanker must be an int >= 1, got 0"),
        ({"random_state": "x"}, "random_state of LinearRanker must be an int >= 0"),
        ({"threads": 0}, "threads must be an int >= 1"),
        ({"loss": 3}, "loss must be 'auto', the name of a loss or a loss, got 3"),
        ({"loss": "sofmax"}, "Did you mean 'softmax'"),
        ({"metric": "nDGC"}, "Did you mean 'nDCG'"),
        ({"metric": "AP", "loss": "softmax"}, "AP"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        LinearRanker(**parameters).fit(*DATA)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"qid": DATA.qid[:-1]}, "qid must have one query id per row of X"),
        ({"qid": DATA.qid[::-1][np.argsort(np.arange(DATA.y.size) % 2)]}, "next to each other"),
        ({"query_weight": np.ones(3)}, r"query_weight must have one number per query \(60\) or per row"),
        ({"query_weight": np.zeros(60)}, "query_weight must have a weight that is not zero"),
        ({"query_weight": -np.ones(60)}, "query_weight must be finite and not negative"),
        ({"sample_weight": np.ones(3)}, "sample_weight must have"),
        ({"sample_weight": np.zeros(DATA.y.size)}, "sample_weight must have a weight that is not zero"),
    ],
)
def test_wrong_data_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LinearRanker().fit(**{"X": DATA.X, "y": DATA.y, "qid": DATA.qid, **given})


def test_targets_outside_the_loss_are_refused() -> None:
    with pytest.raises(DataError, match="softmax needs targets of at least 0"):
        LinearRanker(loss=Softmax()).fit(DATA.X, DATA.y - 1, DATA.qid)


def test_ids_of_any_kind_name_queries() -> None:
    one = LinearRanker(**TIGHT).fit(*DATA).coef_
    for ids in (DATA.qid.astype(str), [f"q{q}" for q in DATA.qid], DATA.qid.astype(object)):
        assert (LinearRanker(**TIGHT).fit(DATA.X, DATA.y, ids).coef_ == one).all()


def test_without_ids_all_rows_are_one_query() -> None:
    with pytest.warns(QueryWarning, match="all .* rows are taken for the items of one query"):
        one = LinearRanker(**TIGHT).fit(DATA.X, DATA.y)
    assert (one.coef_ == LinearRanker(**TIGHT).fit(DATA.X, DATA.y, np.zeros(DATA.y.size)).coef_).all()
    assert (one.coef_ != LinearRanker(**TIGHT).fit(*DATA).coef_).any()


def test_progress_goes_to_standard_error_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    ranker = LinearRanker(verbose=2, tol=1e-6).fit(*DATA)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == ranker.report_.iterations
    assert lines[0].startswith("LinearRanker softmax: iteration 1, value ")
    LinearRanker(verbose=1, tol=1e-6).fit(*DATA)
    assert 0 < len(capsys.readouterr().err.splitlines()) < len(lines)
    LinearRanker().fit(*DATA)
    assert capsys.readouterr() == ("", "")


def test_progress_is_a_bar_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    ranker = LinearRanker(verbose=1, tol=1e-6).fit(*DATA)
    assert f"{ranker.report_.iterations}/500 value" in capsys.readouterr().err
