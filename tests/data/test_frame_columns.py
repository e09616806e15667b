"""Which columns of a frame become features: names that are numbers, and columns that look like answers."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError, DataWarning


def numbered(rows: int, columns: int, dtype: str) -> tuple[Any, Any]:
    """A frame as ``pd.DataFrame(X)`` makes it, columns 0, 1, ..., with a query and a label column added."""
    X = np.random.default_rng(0).normal(size=(rows, columns)).astype(dtype)
    frame = pd.DataFrame(X)
    frame["qid"] = np.repeat([1, 2], [rows // 2, rows - rows // 2])
    frame["label"] = np.arange(rows) % 3
    return X, frame


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(6, 6), (6, 4), (4, 6)])
def test_columns_named_by_whole_numbers_are_columns(shape: tuple[int, int], dtype: str) -> None:
    X, frame = numbered(*shape, dtype)
    data = rp.from_frame(frame, query="qid", label="label")
    np.testing.assert_array_equal(data.X, X.astype(np.float32))
    assert data.feature_names == tuple(map(str, range(shape[1])))


def test_columns_are_named_by_their_numbers_in_every_argument() -> None:
    X, frame = numbered(4, 4, "float32")
    frame.columns = range(6)
    data = rp.from_frame(frame, query=4, label=5, features=[2, 0])
    np.testing.assert_array_equal(data.X, X[:, [2, 0]])
    np.testing.assert_array_equal(data.labels, [0, 1, 2, 0])
    assert data.feature_names == ("2", "0")
    with pytest.raises(ArgumentError, match=r"names the column 9, which the frame does not have"):
        rp.from_frame(frame, query=9)


def test_names_that_are_the_same_text_are_refused() -> None:
    _, frame = numbered(4, 2, "float32")
    frame["1"] = 0.5
    with pytest.raises(DataError, match="more than one column '1'"):
        rp.from_frame(frame, query="qid", label="label")


@pytest.mark.parametrize("name", ["score", "model_score", "y_pred", "predictions", "predictedGrade", "proba"])
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_column_that_looks_like_a_prediction_is_told(name: str, backend: str) -> None:
    library = import_module(backend)
    columns = {"q": [1, 1], "label": [1, 0], "bm25": [2.0, 1.0], name: [0.5, 0.25]}
    frame = library.table(columns) if backend == "pyarrow" else library.DataFrame(columns)
    with pytest.warns(DataWarning, match=rf"took column '{name}' for a feature.*features=\['bm25'\]"):
        data = rp.from_frame(frame, query="q", label="label")
    assert data.feature_names == ("bm25", name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rp.from_frame(frame, query="q", label="label", features=["bm25", name])


@pytest.mark.parametrize(
    "name",
    [
        *(
            "relevance",
            "click_label",
            "doc_id",
            "docid",
            "rank",
            "fold",
            "weight",
        ),
        *("rating", "avgRatings", "Unnamed: 0", "lgbm", "xgb_2", "model", "run1"),
    ],
)
def test_a_column_that_looks_like_a_label_or_an_id_is_told(name: str) -> None:
    frame = pd.DataFrame({"q": [1, 1], "label": [1, 0], "bm25": [2.0, 1.0], name: [1, 0]})
    with pytest.warns(DataWarning, match=rf"took column '{name}' for a feature"):
        rp.from_frame(frame, query="q", label="label")


def test_ordinary_columns_are_taken_without_a_word_and_shown() -> None:
    frame = pd.DataFrame({"q": [1, 1], "label": [1, 0], "bm25": [2.0, 1.0], "idf": [1, 0], "age": [3, 4]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = rp.from_frame(frame, query="q", label="label")
        rp.from_frame(frame.rename(columns={"age": "running_time"}), query="q", label="label")
    assert repr(data) == "RankingData(1 queries, 2 items, 3 features: bm25, idf, age)"


def test_the_names_of_many_features_are_cut_in_the_middle() -> None:
    frame = pd.DataFrame({f"x{k}": [1.0, 2.0] for k in range(20)} | {"q": [1, 1]})
    data = rp.from_frame(frame, query="q")
    assert repr(data) == "RankingData(1 queries, 2 items, 20 features: x0, x1, x2, ..., x19)"
