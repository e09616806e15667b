"""Feature columns for trees: numbers, missing values, and categories, from arrays and data frames.

In an array a categorical column holds codes: whole numbers from 0, NaN where the value is missing. In a data
frame it holds anything; fit numbers the values there, and predict reads what fit has never seen as
missing. Infinite numbers are refused, NaN is a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.fit.data import AS_ARRAY, AS_LABELS, stand_in
from rankproof.fit.matrix import as_dense

__all__ = ["CategoricalColumns", "check_varied", "is_frame", "learnt_features", "read_features"]

# In either order: engines read both, and another one would be a copy of the data.
_WITH_MISSING = {**AS_ARRAY, "ensure_all_finite": "allow-nan", "order": None}
# What engines hold categories in, with room.
_LARGEST_CODE = 2**24
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class CategoricalColumns:
    """Which columns are categories; of those from a data frame, what the codes 0, 1, ... stand for."""

    categorical: tuple[int, ...] = ()
    categories: dict[int, tuple[str, ...]] = field(default_factory=dict)


def is_frame(X: Any) -> bool:
    """Whether X has named columns."""
    return hasattr(X, "columns") and not hasattr(X, "tocsr")


def learnt_features(estimator: Any, X: Any, y: Any, categorical: Any) -> tuple[Any, CategoricalColumns]:
    """Features to train on, checked as scikit-learn does, and what was learnt of the columns.

    ``categorical`` is the argument ``categorical_features`` of the estimator.
    """
    if not is_frame(X):
        X, _ = validate_data(estimator, X, stand_in(X, y), validate_separately=(_WITH_MISSING, AS_LABELS))
        columns = CategoricalColumns(_numbers_of(categorical, None, X.shape[1]))
        _check_codes(X, columns.categorical)
        return X, columns
    frame = _open(X)
    validate_data(estimator, X, stand_in(X, y), skip_check_array=True)
    series = list(frame.iter_columns())
    chosen = set(_numbers_of(categorical, list(frame.columns), len(series)))
    chosen |= {number for number, column in enumerate(series) if _is_categorical(column)}
    categories = {number: _categories(series[number].to_list()) for number in sorted(chosen)}
    columns = CategoricalColumns(tuple(sorted(chosen)), categories)
    return check_array(_matrix(frame, columns), **_WITH_MISSING), columns


def read_features(estimator: Any, X: Any, columns: CategoricalColumns) -> Any:
    """Features to predict with, which must be those of the fit."""
    if not is_frame(X):
        X = validate_data(estimator, X, reset=False, **_WITH_MISSING)
        if not columns.categories:
            _check_codes(X, columns.categorical)
            return X
        raise ArgumentError(
            f"The model was fitted to a data frame, and has numbered the categories in its column "
            f"{min(columns.categories)}. Give a data frame with the same columns."
        )
    validate_data(estimator, X, reset=False, skip_check_array=True)
    frame = _open(X)
    return check_array(_matrix(frame, columns), **_WITH_MISSING)


def check_varied(X: Any) -> None:
    """Raise `DataError` when no column has two different values: then there is nothing to split by."""
    first = as_dense(X[:1])
    for low in range(0, X.shape[0], _ROWS_AT_A_TIME):
        rows = as_dense(X[low : low + _ROWS_AT_A_TIME])
        if ((rows != first) & ~(np.isnan(rows) & np.isnan(first))).any():
            return
    raise DataError(
        f"No feature differs between items (n_samples={X.shape[0]}), so no tree can be grown. "
        "Give features that do."
    )


def _numbers_of(categorical: Any, names: list[Any] | None, width: int) -> tuple[int, ...]:
    """The columns that ``categorical_features`` names, by number or by name."""
    if categorical is None:
        return ()
    if isinstance(categorical, str) or not isinstance(categorical, Iterable):
        raise ArgumentError(
            f"Argument categorical_features of BoostedRanker must be a list of columns, got {categorical!r}."
        )
    numbers = set()
    for column in categorical:
        if isinstance(column, Integral) and not isinstance(column, bool) and 0 <= int(column) < width:
            numbers.add(int(column))
        elif isinstance(column, str) and names is not None and column in names:
            numbers.add(names.index(column))
        else:
            choices = (
                f"0 to {width - 1}" if names is None else f"{', '.join(map(str, names))} or 0 to {width - 1}"
            )
            raise ArgumentError(
                f"Argument categorical_features of BoostedRanker names the column {column!r}; "
                f"there are {choices}, counted from 0."
            )
    return tuple(sorted(numbers))


def _check_codes(X: Any, categorical: tuple[int, ...]) -> None:
    for column in categorical:
        values = as_dense(X[:, [column]]).reshape(-1)
        wrong = ~(
            np.isnan(values) | ((values >= 0) & (values < _LARGEST_CODE) & (values == np.trunc(values)))
        )
        if wrong.any():
            at = int(np.argmax(wrong))
            raise DataError(
                f"Column {column} (counted from 0) holds categories, which in an array are whole numbers "
                f"from 0 to {_LARGEST_CODE - 1} or NaN, got {values[at]:g} in row {at}. Number the "
                "categories, or give a data frame."
            )


def _open(X: Any) -> Any:
    try:
        import narwhals
    except ImportError:
        raise MissingDependencyError(
            "Data frames need narwhals, which is not installed: pip install narwhals"
        ) from None
    try:
        frame = narwhals.from_native(X)
    except narwhals.exceptions.DuplicateError as error:
        raise DataError(f"CategoricalColumns of a data frame must have different names: {error}") from None
    return frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame


def _is_categorical(column: Any) -> bool:
    import narwhals

    return column.dtype in (narwhals.Categorical, narwhals.Enum)


def _matrix(frame: Any, columns: CategoricalColumns) -> Any:
    """The frame's own memory when all of it is of one float type; else column by column as float64."""
    import narwhals

    kinds = set(frame.schema.values())
    if not columns.categories and kinds in ({narwhals.Float32}, {narwhals.Float64}):
        whole = frame.to_numpy()
        if whole.dtype in (np.float32, np.float64):
            return whole
    # Columns of a frame are written one by one: in this order their memory is written once, in a row.
    matrix = np.empty((len(frame), len(frame.columns)), order="F")
    for number, column in enumerate(frame.iter_columns()):
        if number in columns.categories:
            matrix[:, number] = _codes(column.to_list(), columns.categories[number])
        elif column.dtype.is_numeric() or column.dtype == narwhals.Boolean:
            matrix[:, number] = column.cast(narwhals.Float64).to_numpy()
        else:
            raise DataError(
                f"Column {column.name!r} holds {column.dtype}, and features are numbers or categories. Name "
                "it in categorical_features=, make its type categorical, or leave it out."
            )
    return matrix


def _text(value: Any) -> str | None:
    """A category as text; None when it is missing. 3 and 3.0 are one category."""
    if value is None or (isinstance(value, Real) and value != value):
        return None
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Real) and float(value).is_integer():
        return str(int(float(value)))
    text = str(value)
    return None if text in ("<NA>", "NaT") and not isinstance(value, str) else text


def _categories(values: list[Any]) -> tuple[str, ...]:
    texts = {_text(value) for value in set(values)}
    return tuple(sorted(text for text in texts if text is not None))


def _codes(values: list[Any], categories: tuple[str, ...]) -> Float64s:
    number = {text: float(code) for code, text in enumerate(categories)}
    texts = {value: _text(value) for value in set(values)}
    codes = {value: np.nan if text is None else number.get(text, np.nan) for value, text in texts.items()}
    return np.array([codes[value] for value in values])
