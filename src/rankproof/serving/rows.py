"""What a service hands over, checked for what would give wrong scores without a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Int64s, as_offsets
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.plain_rows import all_finite, none_infinite

__all__ = ["as_rows", "check_codes", "check_numbers", "offsets_of"]

_KINDS = (np.dtype(np.float64), np.dtype(np.float32))
# What engines hold categories in, with room.
_LARGEST_CODE = 2**24


def as_rows(X: Any, features: int) -> NDArray[Any]:
    """``X`` as a dense array of float32 or float64 rows in C order, with so many features."""
    if hasattr(X, "tocsr"):
        raise ArgumentError("A Scorer takes dense rows, and X is sparse. Hand over X.toarray().")
    rows = np.asarray(X)
    if rows.ndim != 2 or rows.shape[1] != features:
        raise ArgumentError(
            f"The model has {features} features, so X must be of shape (items, {features}), got shape "
            f"{rows.shape}. One item is X[np.newaxis]."
        )
    if rows.dtype not in _KINDS:
        raise ArgumentError(
            f"X must be an array of float32 or float64, got {rows.dtype}. Convert it: X.astype(np.float64)."
        )
    return np.ascontiguousarray(rows)


def check_numbers(rows: NDArray[Any], *, missing: bool) -> None:
    """Raise `DataError` for a number that the model has no score for; with ``missing``, NaN has one."""
    if none_infinite(rows) if missing else all_finite(rows):
        return
    wrong = np.isinf(rows) if missing else ~np.isfinite(rows)
    row, column = (int(at[0]) for at in np.nonzero(wrong))
    rule = "numbers or NaN, which is a missing value" if missing else "numbers: it has no missing values"
    raise DataError(
        f"Feature {column} of row {row} (counted from 0) is {rows[row, column]:g}, and the model takes "
        f"finite {rule}. Put in what stood there in training."
    )


def check_codes(rows: NDArray[Any], categories: Mapping[int, Sequence[str]]) -> None:
    """Raise `DataError` unless categories are whole numbers from 0, or NaN.

    ``categories`` has, for every column of them, what the codes 0, 1, ... stand for; nothing where fit was
    given codes.
    """
    for column, texts in categories.items():
        codes, most = rows[:, column], len(texts) or _LARGEST_CODE
        right = ((codes >= 0) & (codes < most) & (codes == np.trunc(codes))) | np.isnan(codes)
        if not right.all():
            at = int(np.argmin(right))
            raise DataError(
                f"Column {column} (counted from 0) holds categories, which are whole numbers from 0 to "
                f"{most - 1}, or NaN for one that was not there in training; got {codes[at]:g} in row {at}."
            )


def offsets_of(rows: NDArray[Any], offsets: Any) -> Int64s:
    """Where the queries of a batch start; without ``offsets`` all rows are one query."""
    if offsets is None:
        return np.array([0, rows.shape[0]], dtype=np.int64)
    return as_offsets(offsets, rows.shape[0])
