"""Data frames in and out: pandas, polars or pyarrow tables with a query column, through narwhals.

>>> import pandas as pd
>>> frame = pd.DataFrame({"session": ["a", "a", "b"], "clicks": [1, 0, 2], "bm25": [7.5, 2.5, 4.0]})
>>> data = from_frame(frame, query="session", label="clicks")
>>> data, data.query_ids.tolist(), data.X.tolist()
(RankingData(2 queries, 3 items, 1 features: bm25), ['a', 'b'], [[7.5], [2.5], [4.0]])
>>> from_frame(frame, query="sesion", label="clicks")
Traceback (most recent call last):
    ...
rankproof.errors.ArgumentError: Argument query of from_frame names the column 'sesion', which the frame does
not have. Did you mean 'session'? Columns: session, clicks, bm25.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, offsets_from_qid
from rankproof.data.answer_columns import warn_of_answers
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.ids import TextIds, text_ids
from rankproof.shown import quoted

if TYPE_CHECKING:
    import narwhals

__all__ = [
    "column_floats", "column_ids", "frame_of", "frame_of_rows", "from_frame", "open_frame", "to_frame",
]  # fmt: skip

COLUMNS_AT_ONCE, ROWS_AT_ONCE = 32, 4096


def from_frame(
    frame: Any,
    *,
    query: str | int,
    label: str | int | None = None,
    features: Sequence[str | int] | None = None,
    doc: str | int | None = None,
    query_weight: str | int | None = None,
    item_weight: str | int | None = None,
    group: bool = False,
) -> RankingData:
    """Ranking data from a data frame with one row per item.

    Parameters
    ----------
    frame : pandas, polars or pyarrow frame, or any other that narwhals reads
        A lazy frame is collected. Columns may be named by whole numbers, as ``pandas.DataFrame(X)`` names
        them; the features are then called "0", "1", ...
    query : str or int
        The column of query ids: whole numbers stay numbers, anything else becomes text. Nulls are refused.
    label : str or int, optional
        The column of labels; a null is an item that was not judged. Without it no item is judged.
    features : list of str or int, optional
        The feature columns, in this order; by default every numeric or boolean column that no other argument
        names, in the order of the frame. ``feature_names`` of the result says which. A `DataWarning` names
        columns whose names suggest a prediction, a label or an id. Stored as float32; a null becomes NaN.
    doc : str or int, optional
        The column of document ids.
    query_weight, item_weight : str or int, optional
        Columns of weights; a query weight must be the same on all rows of a query.
    group : bool
        The rows of a query must stand together. With ``group=True`` they may lie apart: they are brought
        together, queries in the order of their first row, rows of a query in the order of the frame.

    Returns
    -------
    RankingData

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"session": ["a", "a"], "clicks": [1, 0], "bm25": [7.5, 2.5]})
    >>> from_frame(frame, query="session", label="clicks")
    RankingData(1 queries, 2 items, 1 features: bm25)
    """
    table = open_frame(frame, "from_frame")
    named = {
        argument: _column(table, argument, name)
        for argument, name in (
            *(("query", query), ("label", label), ("doc", doc)),
            *(("query_weight", query_weight), ("item_weight", item_weight)),
        )
        if name is not None
    }
    columns = _feature_columns(table, features, set(named.values()))

    qid = column_ids(table, named["query"])
    order: NDArray[np.int64] | slice = slice(None)
    if group:
        _, first, which = np.unique(qid, return_index=True, return_inverse=True)
        order = np.argsort(first[which], kind="stable").astype(np.int64)
        qid = qid[order]
    offsets = offsets_from_qid(qid, what=f"Query column {query!r}", way_out=" Or pass group=True.")
    data = RankingData(
        labels=np.full(qid.size, np.nan) if label is None else _floats(table, "label", named)[order],
        offsets=offsets,
        X=_matrix(table, columns, order, qid.size) if columns else None,
        query_ids=qid[offsets[:-1]],
        doc_ids=None if doc is None else _texts(table, named["doc"])[order],
        query_weights=(
            None
            if query_weight is None
            else _query_weights(
                _floats(table, "query_weight", named)[order], offsets, named["query_weight"], qid
            )
        ),
        item_weights=None if item_weight is None else _floats(table, "item_weight", named)[order],
        feature_names=tuple(columns) or None,
    )
    if features is None:
        warn_of_answers(columns)
    return data


def to_frame(
    data: RankingData,
    backend: Literal["pandas", "polars", "pyarrow"] = "pandas",
    *,
    features: Sequence[str] | None = None,
) -> Any:
    """A data frame with one row per item: ``query``, ``doc``, ``label``, the features, and the weights.

    ``doc``, ``query_weight`` and ``item_weight`` are there when the data have them. Labels that were not
    judged are NaN in pandas and null elsewhere.

    Parameters
    ----------
    data : RankingData
        The data to convert; sparse features become dense columns.
    backend : "pandas", "polars" or "pyarrow"
        The library whose frame is made.
    features : list of str, optional
        The names of the features; else as the data name them, else f0, f1, ...

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Examples
    --------
    >>> to_frame(RankingData(labels=[2, 0], offsets=[0, 2], X=[[0.5], [1.5]], query_ids=["q7"]))
      query  label   f0
    0    q7    2.0  0.5
    1    q7    0.0  1.5
    """
    default_names = data.feature_names or [f"f{k}" for k in range(data.features)]
    names = list(default_names if features is None else features)
    if len(names) != data.features:
        raise ArgumentError(
            f"Argument features of to_frame must name {data.features} features, got {len(names)}."
        )
    columns: dict[str, NDArray[Any]] = {"query": data.qids}
    if data.doc_ids is not None:
        columns["doc"] = data.doc_ids
    columns["label"] = data.labels
    fixed = [*columns, "query_weight", "item_weight"]
    clash = [name for k, name in enumerate(names) if name in fixed or name in names[:k]]
    if clash:
        raise ArgumentError(f"Argument features of to_frame gives the name {clash[0]!r} to two columns.")
    if data.X is not None:
        dense = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
        columns.update((name, dense[:, k]) for k, name in enumerate(names))
    if data.query_weights is not None:
        columns["query_weight"] = np.repeat(data.query_weights, data.sizes)
    if data.item_weights is not None:
        columns["item_weight"] = data.item_weights
    return frame_of(columns, backend, nullable=["label"])


def frame_of(columns: dict[str, NDArray[Any]], backend: str, *, nullable: Sequence[str] = ()) -> Any:
    """A data frame of the given columns; NaN of the ``nullable`` ones becomes null where there is one."""
    if backend not in ("pandas", "polars", "pyarrow"):
        raise ArgumentError(
            f"Argument backend of to_frame must be pandas, polars or pyarrow, got {backend!r}."
        )
    library = _load(backend)
    if backend == "pandas":
        return library.DataFrame({name: _listed(column) for name, column in columns.items()})
    # float32 rows cut from a matrix are strided: Arrow wants each column in one piece.
    plain = {name: np.ascontiguousarray(column) for name, column in columns.items()}
    if backend == "polars":
        frame = library.DataFrame({name: _listed(column) for name, column in plain.items()})
        return frame.with_columns(library.col(list(nullable)).fill_nan(None))
    return library.table(
        {
            name: library.array(_listed(column), from_pandas=True if name in nullable else None)
            for name, column in plain.items()
        }
    )


def frame_of_rows(rows: Sequence[Mapping[str, Any]], backend: str) -> Any:
    """A data frame of rows that all have the same names; None among numbers is a missing number.

    >>> frame_of_rows([{"system": "a", "p": 0.5}, {"system": "b", "p": None}], "pandas")
      system    p
    0      a  0.5
    1      b  NaN
    """
    columns: dict[str, NDArray[Any]] = {}
    nullable = []
    for name in rows[0] if rows else ():
        cells = [row[name] for row in rows]
        if any(isinstance(cell, str) for cell in cells) or all(cell is None for cell in cells):
            columns[name] = np.array([None if cell is None else str(cell) for cell in cells], dtype=object)
        else:
            columns[name] = np.array([np.nan if cell is None else cell for cell in cells])
            if columns[name].dtype.kind == "f":
                nullable.append(name)
    return frame_of(columns, backend, nullable=nullable)


def _listed(column: NDArray[Any]) -> Any:
    """Text as Python strings, since none of the three takes numpy text as text; numbers as they are."""
    return column.tolist() if column.dtype.kind in "UTO" else column


def _load(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f"Data frames need {module}, which is not installed: pip install {module}"
        ) from None


def open_frame(frame: Any, caller: str) -> narwhals.DataFrame[Any]:
    """A frame of any library, collected; ``caller`` is who errors speak of."""
    nw = _load("narwhals")
    try:
        frame = _with_text_names(frame)
        table = nw.from_native(frame)
        table = table.collect() if isinstance(table, nw.LazyFrame) else table
    except TypeError:
        raise ArgumentError(
            f"Argument frame of {caller} must be a pandas, polars or pyarrow frame, "
            f"got {type(frame).__module__}.{type(frame).__qualname__}."
        ) from None
    except nw.exceptions.DuplicateError:
        # pyarrow's columns are arrays: its names are elsewhere.
        names = list(getattr(frame, "column_names", frame.columns))
        repeated = [name for k, name in enumerate(names) if name in names[:k]]
        raise DataError(f"The frame has more than one column {repeated[0]!r}. Rename or drop one.") from None
    return table  # type: ignore[no-any-return]


def _with_text_names(frame: Any) -> Any:
    """The frame with every name of a column as text: narwhals takes a whole number for that of a row."""
    # Only pandas, and frames in its image, have other names than text.
    if not hasattr(frame, "set_axis") or all(isinstance(name, str) for name in frame.columns):
        return frame
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def _column(table: narwhals.DataFrame[Any], argument: str, name: object) -> str:
    """The name of a column as the table has it."""
    if str(name) in table.columns:
        return str(name)
    near = difflib.get_close_matches(str(name), table.columns, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ArgumentError(
        f"Argument {argument} of from_frame names the column {name!r}, which the frame does not have.{hint} "
        f"Columns: {', '.join(table.columns)}."
    )


def _is_numeric(table: narwhals.DataFrame[Any], name: str) -> bool:
    dtype = table.schema[name]
    return dtype.is_numeric() or dtype == _load("narwhals").Boolean


def _feature_columns(
    table: narwhals.DataFrame[Any], features: Sequence[str | int] | None, used: set[str]
) -> list[str]:
    if features is None:
        return [name for name in table.columns if name not in used and _is_numeric(table, name)]
    if isinstance(features, str):
        raise ArgumentError(f"Argument features of from_frame must be a list of columns, got {features!r}.")
    columns = [_column(table, "features", name) for name in features]
    for name in columns:
        if not _is_numeric(table, name):
            raise DataError(
                f"Feature column {name!r} must hold numbers, got {table.schema[name]}. "
                "Encode it first, or leave it out of features."
            )
    return columns


def column_ids(table: narwhals.DataFrame[Any], name: str, kind: str = "Query column") -> NDArray[Any]:
    """A column of ids without nulls: whole numbers stay numbers, anything else becomes text."""
    column = table[name]
    nulls = column.is_null().to_numpy().astype(bool)
    if column.dtype.is_float():
        nulls |= np.isnan(_as_float64(column))
    if nulls.any():
        raise DataError(
            f"{kind} {name!r} must have no nulls, got one in row {int(np.argmax(nulls))} "
            f"(rows counted from 0; {int(nulls.sum())} in all). Drop or fill these rows."
        )
    if column.dtype.is_integer():
        return column.to_numpy()
    if column.dtype.is_float():
        values = _as_float64(column)
        if np.array_equal(values, np.trunc(values)) and np.abs(values).max(initial=0) < 2**53:
            return values.astype(np.int64)
    return _texts(table, name)


def _texts(table: narwhals.DataFrame[Any], name: str) -> TextIds:
    nulls = table[name].is_null().to_numpy().astype(bool)
    if nulls.any():
        raise DataError(
            f"Column {name!r} must have no nulls, got one in row {int(np.argmax(nulls))} "
            "(rows counted from 0)."
        )
    return text_ids([str(value) for value in table[name].to_list()])


def _as_float64(column: narwhals.Series[Any]) -> Float64s:
    nw = _load("narwhals")
    return column.cast(nw.Float64).to_numpy().astype(np.float64)


def _floats(table: narwhals.DataFrame[Any], argument: str, named: Mapping[str, str]) -> Float64s:
    return column_floats(table, named[argument], f"{argument} of from_frame")


def column_floats(table: narwhals.DataFrame[Any], name: str, what: str) -> Float64s:
    """A column of numbers, NaN for a null."""
    if not _is_numeric(table, name):
        raise DataError(f"Column {name!r}, the {what}, must hold numbers, got {table.schema[name]}.")
    return _as_float64(table[name])


def _matrix(
    table: narwhals.DataFrame[Any], columns: list[str], order: NDArray[np.int64] | slice, items: int
) -> NDArray[np.float32]:
    matrix = np.empty((items, len(columns)), dtype=np.float32)
    # Some columns at a time, and of these some rows at a time: what is written then lies close together.
    for first in range(0, len(columns), COLUMNS_AT_ONCE):
        parts = [_float32s(table, name)[order] for name in columns[first : first + COLUMNS_AT_ONCE]]
        for low in range(0, items, ROWS_AT_ONCE):
            rows = slice(low, low + ROWS_AT_ONCE)
            for k, part in enumerate(parts, start=first):
                matrix[rows, k] = part[rows]
    return matrix


def _float32s(table: narwhals.DataFrame[Any], name: str) -> NDArray[np.float32]:
    if table.schema[name] == _load("narwhals").Float32:
        return table[name].to_numpy().astype(np.float32, copy=False)
    values = _as_float64(table[name])
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    over = np.isinf(narrow) & ~np.isinf(values)
    if over.any():
        row = int(np.argmax(over))
        raise DataError(
            f"Feature column {name!r} holds {values[row]} in row {row}, which float32 cannot hold. "
            "Rescale it."
        )
    return narrow


def _query_weights(weights: Float64s, offsets: NDArray[np.int64], name: str, qid: NDArray[Any]) -> Float64s:
    first = weights[offsets[:-1]]
    apart = weights != np.repeat(first, np.diff(offsets))
    if apart.any():
        row = int(np.argmax(apart))
        raise DataError(
            f"Column {name!r}, the query_weight of from_frame, must be the same on all rows of a query, "
            f"but query {quoted(qid[row])} has several values, {weights[row]} among them."
        )
    return first
