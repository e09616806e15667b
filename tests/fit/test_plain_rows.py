"""Plain arrays go round scikit-learn's checks in `predict`: with the same scores, and the same refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fit.made_data import make
from rankproof.errors import DataError
from rankproof.fit import ranker as ranker_module
from rankproof.fit.boosters.xgboost import as_dmatrix
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.plain_rows import is_plain
from rankproof.fit.trees.booster import ENGINES
from rankproof.fit.trees.ranker import BoostedRanker
from rankproof.threads import thread_count, using

DATA = make(queries=40)
every_engine = pytest.mark.parametrize("engine", ENGINES)


def with_gaps(seed: int = 0) -> np.ndarray:
    X = DATA.X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X


def boosted(engine: str, X: np.ndarray = DATA.X, **more: Any) -> BoostedRanker:
    ranker = BoostedRanker(engine=engine, n_estimators=5, num_leaves=4, threads=1, **more)
    return ranker.fit(X, DATA.y, DATA.qid)


@every_engine
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_trees_score_plain_arrays_as_any_other(engine: str, kind: type) -> None:
    ranker = boosted(engine, with_gaps())
    X: np.ndarray = with_gaps(1).astype(kind)
    assert is_plain(X, X.shape[1], missing=True)
    assert not is_plain(np.asfortranarray(X), X.shape[1], missing=True)
    plain = ranker.predict(X)
    assert len(set(plain)) > 2
    np.testing.assert_array_equal(plain, ranker.predict(np.asfortranarray(X)))
    np.testing.assert_array_equal(plain, ranker.predict(X.tolist() if kind is np.float64 else X[::1, :]))


def test_linear_scores_of_plain_arrays_are_those_of_any_other() -> None:
    ranker = LinearRanker().fit(*DATA)
    np.testing.assert_array_equal(ranker.predict(DATA.X), ranker.predict(DATA.X.tolist()))


def test_scikit_learn_is_asked_about_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    ranker = LinearRanker().fit(*DATA)

    def asked(*_: Any, **__: Any) -> None:
        raise RuntimeError("asked")

    monkeypatch.setattr(ranker_module, "validate_data", asked)
    ranker.predict(DATA.X)
    wrong = DATA.X.copy()
    wrong[-1, -1] = np.nan
    infinite = DATA.X.copy()
    infinite[0, 0] = -np.inf
    for X in (
        wrong,
        infinite,
        DATA.X[:, :-1],
        DATA.X[:0],
        DATA.X[0],
        DATA.X.astype(np.float16),
        DATA.X.tolist(),
    ):
        with pytest.raises(RuntimeError, match="asked"):
            ranker.predict(X)


@every_engine
def test_what_must_be_refused_still_is(engine: str) -> None:
    ranker = boosted(engine)
    infinite = DATA.X.copy()
    infinite[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        ranker.predict(infinite)
    with pytest.raises(ValueError, match="features"):
        ranker.predict(DATA.X[:, :-1])


@every_engine
def test_codes_of_categories_are_still_checked(engine: str) -> None:
    X = DATA.X.copy()
    X[:, 2] = np.arange(len(X)) % 5
    ranker = boosted(engine, X, categorical_features=[2])
    ranker.predict(X)
    X[4, 2] = 0.5
    with pytest.raises(DataError, match=r"whole numbers from 0 to .* got 0\.5 in row 4"):
        ranker.predict(X)


@pytest.mark.parametrize("categorical", [None, [2]])
def test_xgboost_scores_in_place_what_it_scores_in_its_own_matrix(categorical: list[int] | None) -> None:
    X = with_gaps()
    X[:, 2] = np.arange(len(X)) % 5
    X[7, 2] = np.nan
    ranker = boosted("xgboost", X, categorical_features=categorical, loss="squared")
    # Between the thresholds and on them: XGBoost compares in float32.
    thresholds = ranker.booster_.trees_to_dataframe()
    numbers = thresholds["Split"].dropna().astype(np.float32).to_numpy()
    rows = np.repeat(X[:1], 3 * numbers.size, axis=0)
    for column in range(X.shape[1]):
        if column != 2:
            rows[:, column] = np.concatenate(
                [
                    numbers,
                    np.nextafter(numbers, np.float32(-np.inf)),
                    np.nextafter(numbers, np.float32(np.inf)),
                ]
            )
    for each in (X, rows, rows.astype(np.float32)):
        matrix = as_dmatrix(each, (2,) if categorical else ())
        own = ranker.booster_.predict(matrix, output_margin=True, validate_features=False)
        np.testing.assert_array_equal(ranker.predict(each), own.astype(np.float64))


def test_xgboost_refuses_what_float32_cannot_hold() -> None:
    ranker = boosted("xgboost")
    X = DATA.X.copy()
    X[6, 3] = 1e39
    with pytest.raises(DataError, match=r"Feature 3 .* of row 6 is 1e\+39"):
        ranker.predict(X)


def test_xgboost_works_on_the_threads_of_each_call() -> None:
    ranker = boosted("xgboost")
    ranker.threads = None
    for threads in (2, 1, 2):
        with using(threads):
            ranker.predict(DATA.X)
            assert thread_count() == threads
        assert f'"nthread":"{threads}"' in ranker.booster_.save_config()
