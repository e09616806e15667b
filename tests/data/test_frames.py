"""Data frames in and out: every backend must read to the same data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankproof.data.frames import from_frame, to_frame
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError, MissingDependencyError

COLUMNS: dict[str, list[Any]] = {
    "q": [7, 7, 3, 3, 3],
    "title": ["a", "b", "c", "d", "e"],
    "bm25": [1.5, 2.5, 0.25, 4.0, -1.0],
    "grade": [2, 0, None, 1, 0],
    "fresh": [True, False, True, True, False],
    "clicks": [10, None, 30, 40, 50],
    "wq": [2.0, 2.0, 0.5, 0.5, 0.5],
    "wi": [1.0, 1.0, 0.0, 1.0, 3.0],
}

BACKENDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas-arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "polars-lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "pyarrow": pa.table,
}


@pytest.fixture(params=list(BACKENDS))
def build(request: pytest.FixtureRequest) -> Callable[[dict[str, list[Any]]], Any]:
    return BACKENDS[request.param]


def test_all_columns_arrive(build: Callable[..., Any]) -> None:
    data = from_frame(
        build(COLUMNS), query="q", label="grade", doc="title", query_weight="wq", item_weight="wi"
    )
    assert data.query_ids.tolist() == [7, 3]
    assert data.offsets.tolist() == [0, 2, 5]
    np.testing.assert_array_equal(data.labels, [2, 0, np.nan, 1, 0])
    assert isinstance(data.X, np.ndarray)
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(
        data.X, [[1.5, 1, 10], [2.5, 0, np.nan], [0.25, 1, 30], [4, 1, 40], [-1, 0, 50]]
    )
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == ["a", "b", "c", "d", "e"]
    assert data.query_weights is not None
    assert data.query_weights.tolist() == [2.0, 0.5]
    assert data.item_weights is not None
    assert data.item_weights.tolist() == [1, 1, 0, 1, 3]


def test_features_are_chosen_and_ordered(build: Callable[..., Any]) -> None:
    data = from_frame(build(COLUMNS), query="q", features=["wi", "bm25"])
    assert isinstance(data.X, np.ndarray)
    assert data.X[4].tolist() == [3.0, -1.0]
    assert np.isnan(data.labels).all()
    assert from_frame(build(COLUMNS), query="q", features=[]).X is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_large_frames_arrive_whole(dtype: type[np.generic]) -> None:
    """More rows and columns than are copied at once."""
    matrix = np.random.default_rng(0).integers(0, 1000, (9000, 70)).astype(dtype)
    frame = pl.DataFrame({"q": np.arange(9000) % 3, **{f"f{k}": matrix[:, k].copy() for k in range(70)}})
    data = from_frame(frame, query="q", group=True)
    np.testing.assert_array_equal(data.X, np.concatenate([matrix[k::3] for k in range(3)]))


def test_nulls_in_float32_features_become_nan(build: Callable[..., Any]) -> None:
    frame = build({"q": [1, 1], "f": [None, 0.5]})
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        frame = frame.with_columns(pl.col("f").cast(pl.Float32))
    elif isinstance(frame, pa.Table):
        frame = frame.set_column(1, "f", frame["f"].cast(pa.float32()))
    else:
        frame["f"] = frame["f"].astype(
            {"Float64": "Float32", "float64": "float32"}.get(
                str(frame["f"].dtype), pd.ArrowDtype(pa.float32())
            )
        )
    np.testing.assert_array_equal(from_frame(frame, query="q").X, np.array([[np.nan], [0.5]], np.float32))


def test_queries_that_come_back_are_grouped_only_when_asked(build: Callable[..., Any]) -> None:
    frame = build({"q": ["x", "y", "x", "z", "y"], "label": [0, 1, 2, 3, 4], "doc": list("abcde")})
    with pytest.raises(DataError, match=r"Query column 'q' .*query\s'x' comes back at item 2.*group=True"):
        from_frame(frame, query="q", label="label")
    data = from_frame(frame, query="q", label="label", doc="doc", group=True)
    assert data.query_ids.tolist() == ["x", "y", "z"]
    assert data.offsets.tolist() == [0, 2, 4, 5]
    assert data.labels.tolist() == [0, 2, 1, 4, 3]
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == ["a", "c", "b", "e", "d"]


def test_grouping_moves_features_and_weights_along(build: Callable[..., Any]) -> None:
    frame = build({"q": [5, 1, 5], "f": [1.0, 2.0, 3.0], "wq": [4.0, 6.0, 4.0], "wi": [1.0, 2.0, 3.0]})
    data = from_frame(frame, query="q", features=["f"], query_weight="wq", item_weight="wi", group=True)
    assert isinstance(data.X, np.ndarray)
    assert data.X.tolist() == [[1], [3], [2]]
    assert data.query_weights is not None
    assert data.query_weights.tolist() == [4, 6]
    assert data.item_weights is not None
    assert data.item_weights.tolist() == [1, 3, 2]


def test_nulls_in_the_query_column_are_refused_with_their_row(build: Callable[..., Any]) -> None:
    for ids in ([1, None, 2, None], ["a", None, "b", None]):
        with pytest.raises(DataError, match=r"Query column 'q' .*row 1 \(rows counted from 0; 2 in all\)"):
            from_frame(build({"q": ids, "f": [1, 2, 3, 4]}), query="q")


def test_a_float_query_column_must_not_hold_nan() -> None:
    for frame in (pl.DataFrame({"q": [1.0, np.nan]}), pd.DataFrame({"q": [1.0, np.nan]})):
        with pytest.raises(DataError, match=r"Query column 'q' .*row 1"):
            from_frame(frame, query="q")


def test_a_query_weight_must_be_constant_in_its_query(build: Callable[..., Any]) -> None:
    frame = build({"q": ["a", "a", "b"], "w": [1.0, 1.5, 2.0]})
    with pytest.raises(DataError, match=r"Column 'w', the query_weight .*query 'a' has several values, 1\.5"):
        from_frame(frame, query="q", query_weight="w")


def test_missing_columns_are_named_with_a_hint(build: Callable[..., Any]) -> None:
    with pytest.raises(
        ArgumentError, match=r"Argument label of from_frame names the column 'grad'.*mean 'grade'"
    ):
        from_frame(build(COLUMNS), query="q", label="grad")
    with pytest.raises(
        ArgumentError, match=r"Argument features of from_frame names the column 'zzz'.*have\. Col"
    ):
        from_frame(build(COLUMNS), query="q", features=["bm25", "zzz"])


def test_columns_that_are_not_numbers_are_named(build: Callable[..., Any]) -> None:
    with pytest.raises(DataError, match="Feature column 'title' must hold numbers, got String"):
        from_frame(build(COLUMNS), query="q", features=["bm25", "title"])
    with pytest.raises(DataError, match="Column 'title', the label of from_frame, must hold numbers"):
        from_frame(build(COLUMNS), query="q", label="title")
    with pytest.raises(ArgumentError, match="must be a list of columns, got 'bm25'"):
        from_frame(build(COLUMNS), query="q", features="bm25")


def test_null_document_ids_are_refused(build: Callable[..., Any]) -> None:
    with pytest.raises(DataError, match="Column 'd' must have no nulls, got one in row 1"):
        from_frame(build({"q": [1, 1], "d": ["x", None]}), query="q", doc="d")


def test_query_ids_of_other_types() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b"], "f": [1, 2, 3]})
    categories = from_frame(frame.with_columns(pl.col("q").cast(pl.Categorical)), query="q")
    assert categories.query_ids.tolist() == ["a", "b"]
    floats = from_frame(pd.DataFrame({"q": [3.0, 3.0, 1.0]}), query="q")
    assert floats.query_ids.tolist() == [3, 1]
    assert floats.query_ids.dtype.kind == "i"
    days = from_frame(pl.DataFrame({"q": [date(2020, 1, 2), date(2020, 1, 3)]}), query="q")
    assert days.query_ids.tolist() == ["2020-01-02", "2020-01-03"]
    halves = from_frame(pl.DataFrame({"q": [0.5, 1.0]}), query="q")
    assert halves.query_ids.tolist() == ["0.5", "1.0"]


def test_decimals_are_numbers() -> None:
    frame = pl.DataFrame({"q": [1, 1], "f": ["1.25", "2.50"]}).with_columns(
        pl.col("f").cast(pl.Decimal(8, 2))
    )
    data = from_frame(frame, query="q")
    assert isinstance(data.X, np.ndarray)
    assert data.X.tolist() == [[1.25], [2.5]]


def test_values_that_float32_cannot_hold_are_named() -> None:
    frame = pl.DataFrame({"q": [1, 1, 1], "f": [1.0, np.inf, 1e300]})
    with pytest.raises(DataError, match=r"Feature column 'f' holds 1e\+300 in row 2"):
        from_frame(frame, query="q")


def test_things_that_are_no_frames_and_repeated_names() -> None:
    with pytest.raises(ArgumentError, match=r"must be a pandas, polars or pyarrow frame, got builtins\.dict"):
        from_frame({"q": [1]}, query="q")
    for frame in (pd.DataFrame([[1, 2]], columns=["q", "q"]), pa.table([[1], [2]], names=["q", "q"])):
        with pytest.raises(DataError, match="more than one column 'q'"):
            from_frame(frame, query="q")


@pytest.fixture
def data() -> RankingData:
    return RankingData(
        labels=[2, np.nan, 1],
        offsets=[0, 2, 3],
        X=[[0.5, 1], [1.5, 0], [2.5, -1]],
        query_ids=["q7", "q9"],
        doc_ids=["a", "b", "c"],
        query_weights=[1, 2],
        item_weights=[0, 1, 2],
    )


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_out_and_in_again_gives_the_same_data(backend: Any, data: RankingData) -> None:
    frame = to_frame(data, backend)
    assert type(frame).__module__.split(".")[0] == backend
    names = {name: name for name in ("query", "label", "doc", "query_weight", "item_weight")}
    again = from_frame(frame, **names)
    for field in ("labels", "offsets", "X", "query_ids", "doc_ids", "query_weights", "item_weights"):
        np.testing.assert_array_equal(getattr(again, field), getattr(data, field), err_msg=field)
    named = from_frame(to_frame(data, backend, features=["u", "v"]), query="query", features=["v"])
    assert isinstance(named.X, np.ndarray)
    assert named.X.tolist() == [[1], [0], [-1]]


def test_unjudged_labels_are_null_where_null_exists(data: RankingData) -> None:
    assert to_frame(data, "polars")["label"].to_list() == [2.0, None, 1.0]
    assert to_frame(data, "pyarrow")["label"].to_pylist() == [2.0, None, 1.0]
    assert np.isnan(to_frame(data, "pandas")["label"][1])


def test_sparse_features_and_data_without_features() -> None:
    from scipy.sparse import csr_array

    sparse = RankingData(labels=[1, 0], offsets=[0, 2], X=csr_array(np.array([[0.0, 2.0], [3.0, 0.0]])))
    assert to_frame(sparse)[["f0", "f1"]].to_numpy().tolist() == [[0, 2], [3, 0]]
    plain = to_frame(RankingData(labels=[1], offsets=[0, 1]))
    assert list(plain.columns) == ["query", "label"]


def test_to_frame_checks_its_arguments(data: RankingData) -> None:
    with pytest.raises(ArgumentError, match="must be pandas, polars or pyarrow, got 'spark'"):
        to_frame(data, "spark")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="must name 2 features, got 1"):
        to_frame(data, features=["u"])
    for names in (["label", "v"], ["u", "u"]):
        with pytest.raises(ArgumentError, match=f"gives the name '{names[0]}' to two columns"):
            to_frame(data, features=names)


def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, data: RankingData
) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(MissingDependencyError, match=r"need narwhals.*pip install narwhals"):
        from_frame(pd.DataFrame({"q": [1]}), query="q")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingDependencyError, match=r"need polars.*pip install polars"):
        to_frame(data, "polars")


def test_feature_names_are_kept_there_and_back() -> None:
    frame = pd.DataFrame({"q": [1, 1, 2], "price": [1.0, 2.0, 3.0], "age": [4, 5, 6], "y": [0, 1, 1]})
    data = from_frame(frame, query="q", label="y")
    assert data.feature_names == ("price", "age")
    assert data[1:].feature_names == ("price", "age")
    assert list(to_frame(data).columns) == ["query", "label", "price", "age"]
    with pytest.raises(ArgumentError, match="must give 1 different names, got 2"):
        RankingData(labels=[1], offsets=[0, 1], X=[[1.0]], feature_names=("a", "b"))
