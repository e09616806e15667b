"""Rows that need no further reading: arrays that every check of scikit-learn would pass as they are.

Its checks take longer than it takes to score a query, so `Ranker.predict` asks here first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["all_finite", "is_plain", "none_infinite"]

_ROWS_AT_A_TIME = 4096
_KINDS = (np.dtype(np.float64), np.dtype(np.float32))


def is_plain(X: Any, features: int, *, missing: bool) -> bool:
    """Whether X is a dense array of rows with so many features, in C order, without a number to refuse.

    ``missing`` says whether NaN is a missing value. What is not plain may still be right.

    >>> is_plain(np.zeros((2, 3)), 3, missing=False), is_plain(np.zeros((2, 3), dtype=int), 3, missing=False)
    (True, False)
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.shape[1] == features
        and X.shape[0] > 0
        and X.dtype in _KINDS
        and X.flags.c_contiguous
        and (none_infinite(X) if missing else all_finite(X))
    )


def all_finite(X: NDArray[Any]) -> bool:
    """Whether no number of an array is NaN or infinite.

    >>> all_finite(np.ones((2, 2))), all_finite(np.array([[1.0, np.nan]])), all_finite(np.full((1, 1), 1e300))
    (True, False, True)
    """
    return all(np.isfinite(part).all() for part in _parts(X))


def none_infinite(X: NDArray[Any]) -> bool:
    """Whether no number of an array is infinite; NaN may be there.

    >>> none_infinite(np.array([[1.0, np.nan]])), none_infinite(np.array([[1.0, -np.inf, np.nan]]))
    (True, False)
    """
    return not any(np.isinf(part).any() for part in _parts(X))


def _parts(X: NDArray[Any]) -> Iterator[NDArray[Any]]:
    # Not all at once: the answers for every number of a large array would take memory.
    return (X[low : low + _ROWS_AT_A_TIME] for low in range(0, X.shape[0], _ROWS_AT_A_TIME))
