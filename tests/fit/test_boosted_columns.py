"""Missing values, categories and sparse features mean the same however they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix

import rankproof as rp
from adapters.engine_data import train_and_valid
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.trees.ranker import BoostedRanker

ENGINES = ("lightgbm", "xgboost", "catboost")
every_engine = pytest.mark.parametrize("engine", ENGINES)
RANDOM = np.random.default_rng(4)
SIZES = np.full(40, 10)
QID = np.repeat(np.arange(40), SIZES)
COLOURS = np.array(["blue", "green", "red"])
CODES = RANDOM.integers(0, 3, QID.size)
NUMBER = np.where(RANDOM.random(QID.size) < 0.2, np.nan, RANDOM.normal(size=QID.size))
# The middle category is the relevant one: no order of the codes tells it by one split.
LABELS = np.clip(2.0 * (CODES == 1) + np.round(np.nan_to_num(NUMBER) / 2), 0, 3)
ARRAY = np.column_stack([NUMBER, CODES])
ARRAY[7, 1] = np.nan


def small(engine: str, **more: Any) -> BoostedRanker:
    # LightGBM by default looks at categories only where there are hundreds of rows.
    own = {"lightgbm": {"min_data_per_group": 1, "cat_smooth": 1.0}}.get(engine)
    return BoostedRanker("nDCG@5", engine=engine, n_estimators=8, threads=1, parameters=own, **more)


def frame(kind: str = "category") -> Any:
    colour = pd.Series(COLOURS[CODES], dtype=object)
    colour[7] = None
    return pd.DataFrame({"number": NUMBER, "colour": colour.astype(kind)})


@every_engine
def test_categories_are_learnt_as_such(engine: str) -> None:
    """One split tells the middle category from the others; of numbers it would take two."""
    one_split = {"lightgbm": {}, "xgboost": {}, "catboost": {"one_hot_max_size": 5}}[engine]
    ranker = small(engine, categorical_features=[1], num_leaves=2, learning_rate=1.0, l2=0.0)
    ranker.set_params(parameters={**(ranker.parameters or {}), **one_split}, n_estimators=1)
    scores = ranker.fit(ARRAY, LABELS, qid=QID).predict(ARRAY)
    assert np.unique(scores[CODES == 1]).size <= 2
    assert scores[(CODES == 1) & ~np.isnan(ARRAY[:, 1])].min() > scores[CODES != 1].max()
    plain = ranker.set_params(categorical_features=None).fit(ARRAY, LABELS, qid=QID).predict(ARRAY)
    assert plain[CODES == 1].min() <= plain[CODES != 1].max()


@every_engine
def test_a_data_frame_is_the_same_as_codes(engine: str) -> None:
    expected = small(engine, categorical_features=[1]).fit(ARRAY, LABELS, qid=QID).predict(ARRAY).tolist()
    by_type = small(engine).fit(frame(), LABELS, qid=QID)
    assert by_type.predict(frame()).tolist() == expected
    assert by_type.columns_.categories == {1: ("blue", "green", "red")}
    by_name = small(engine, categorical_features=["colour"]).fit(frame("object"), LABELS, qid=QID)
    assert by_name.predict(frame()).tolist() == expected


@every_engine
def test_a_frame_of_polars_is_the_same(engine: str) -> None:
    import polars as pl

    words = [None if row == 7 else str(COLOURS[code]) for row, code in enumerate(CODES)]
    made = pl.DataFrame(
        {
            "number": pl.Series(NUMBER),
            "colour": pl.Series(words, dtype=pl.Categorical),
        }
    )
    one, two = (small(engine).fit(X, LABELS, qid=QID) for X in (made, frame()))
    assert one.predict(made).tolist() == two.predict(frame()).tolist()


@every_engine
def test_a_category_that_fit_has_not_seen_is_missing(engine: str) -> None:
    """Missing values are the relevant ones here, so a model that takes them for a category is seen."""
    colour = pd.Series(np.where(CODES == 1, None, COLOURS[CODES]), dtype=object)
    known = pd.DataFrame({"colour": colour})
    more = {"categorical_features": ["colour"]}
    ranker = small(engine, **more).fit(known, 1.0 * (CODES == 1), qid=QID)
    scores = ranker.predict(known)
    assert scores[CODES == 1].min() > scores[CODES != 1].max()
    strange = known.assign(colour="violet")
    assert ranker.predict(strange).tolist() == [scores.max()] * QID.size


@every_engine
def test_the_order_of_the_categories_of_a_frame_does_not_matter(engine: str) -> None:
    ranker = small(engine).fit(frame(), LABELS, qid=QID)
    other = frame()
    other["colour"] = other["colour"].cat.set_categories(["red", "white", "blue", "green"])
    assert ranker.predict(other).tolist() == ranker.predict(frame()).tolist()


@every_engine
def test_categories_come_back_from_the_disk(engine: str, tmp_path: Path) -> None:
    ranker = small(engine).fit(frame(), LABELS, qid=QID, validation=(frame(), LABELS, QID))
    ranker.save(tmp_path / "m")
    back = rp.load_model(tmp_path / "m")
    assert back.predict(frame()).tolist() == ranker.predict(frame()).tolist()
    assert back.explain(frame()).tolist() == ranker.explain(frame()).tolist()
    assert back.feature_names_in_.tolist() == ["number", "colour"]


@every_engine
def test_missing_values_are_learnt_from(engine: str) -> None:
    X = np.where(LABELS > 0, np.nan, 1.0)[:, None]
    scores = small(engine).fit(X, LABELS, qid=QID).predict(X)
    assert scores[LABELS > 0].min() > scores[LABELS == 0].max()


@every_engine
@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_features_are_the_same_as_dense_ones(engine: str, kind: Any) -> None:
    """What is not stored is 0 for every engine, not missing."""
    train, valid = train_and_valid()
    X, other = (np.where(np.abs(part.X) < 0.5, 0.0, part.X) for part in (train, valid))
    dense = small(engine).fit(X, train.y, qid=train.qid, validation=(other, valid.y, valid.qid))
    sparse = small(engine).fit(kind(X), train.y, qid=train.qid, validation=(kind(other), valid.y, valid.qid))
    assert sparse.predict(kind(other)).tolist() == dense.predict(other).tolist()
    assert dense.predict(kind(other)).tolist() == dense.predict(other).tolist()
    np.testing.assert_allclose(sparse.explain(kind(other)), dense.explain(other), atol=1e-12)


@every_engine
def test_categories_in_sparse_features(engine: str) -> None:
    X = np.nan_to_num(ARRAY)
    dense, sparse = (
        small(engine, categorical_features=[1]).fit(one, LABELS, qid=QID).predict(one)
        for one in (X, csr_array(X))
    )
    assert dense.tolist() == sparse.tolist()


@every_engine
def test_names_that_an_engine_would_refuse_are_kept_by_us(engine: str) -> None:
    odd = frame().set_axis(['a "quoted" [name]', "täg: x"], axis="columns")
    ranker = small(engine).fit(odd, LABELS, qid=QID)
    assert (
        ranker.predict(odd).tolist() == small(engine).fit(frame(), LABELS, qid=QID).predict(frame()).tolist()
    )
    with pytest.raises(ValueError, match="feature names"):
        ranker.predict(frame())


def test_the_engine_knows_plain_names() -> None:
    assert small("lightgbm").fit(frame(), LABELS, qid=QID).booster_.feature_name() == ["number", "colour"]
    assert small("xgboost").fit(frame(), LABELS, qid=QID).booster_.feature_names == ["number", "colour"]
    assert small("catboost").fit(frame(), LABELS, qid=QID).booster_.feature_names_ == ["number", "colour"]


def test_numbers_are_one_category_however_they_are_written() -> None:
    whole = frame().assign(colour=pd.Series(CODES))
    point = frame().assign(colour=pd.Series(CODES, dtype=float))
    ranker = small("lightgbm", categorical_features=["colour"]).fit(whole, LABELS, qid=QID)
    assert ranker.columns_.categories == {1: ("0", "1", "2")}
    assert ranker.predict(point).tolist() == ranker.predict(whole).tolist()


@pytest.mark.parametrize(
    ("X", "columns", "message"),
    [
        (ARRAY, [2], "names the column 2; there are 0 to 1"),
        (ARRAY, ["colour"], "names the column 'colour'"),
        (ARRAY, "colour", "must be a list of columns"),
        (ARRAY, [0], r"Column 0 \(counted from 0\) holds categories, which in an array are whole numbers"),
        (frame(), ["color"], "names the column 'color'; there are number, colour or 0 to 1"),
        (frame("object"), None, "Column 'colour' holds .*Name it in categorical_features="),
        (np.where(np.isnan(ARRAY), np.inf, ARRAY), None, "infinity"),
    ],
)
def test_columns_that_cannot_be_read(X: Any, columns: Any, message: str) -> None:
    with pytest.raises((ArgumentError, DataError, ValueError), match=message):
        small("lightgbm", categorical_features=columns).fit(X, LABELS, qid=QID)


def test_a_model_of_a_frame_with_categories_needs_a_frame() -> None:
    ranker = small("lightgbm").fit(frame(), LABELS, qid=QID)
    with (
        pytest.raises(ArgumentError, match="Give a data frame with the same columns"),
        pytest.warns(UserWarning, match="feature names"),
    ):
        ranker.predict(ARRAY)


def test_features_of_ranking_data_must_be_those_of_the_frame() -> None:
    numbers = frame()[["number"]].assign(more=1.0)
    data = rp.RankingData(labels=LABELS, offsets=np.arange(0, 401, 10), X=numbers.to_numpy())
    small("lightgbm").fit(numbers, LABELS, qid=QID, validation=data)
    named = rp.RankingData(labels=LABELS, offsets=data.offsets, X=data.X, feature_names=("more", "number"))
    with pytest.raises(ArgumentError, match="in the same order"):
        small("lightgbm").fit(numbers, LABELS, qid=QID, validation=named)
