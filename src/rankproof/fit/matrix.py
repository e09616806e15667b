"""Feature matrices as the solvers see them: dense or sparse rows, either precision, one interface.

A matrix multiplies a range of its rows with weights, and adds the transposed product to an accumulator. Both
are done by compiled loops in double precision, on one thread: threads are the caller's, who cuts the rows.
Loops are made for their arrays, once, because a solver calls them for thousands of small ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.errors import DataError
from rankproof.threads import run, thread_count

__all__ = [
    "DenseRows",
    "FeatureMatrix",
    "SparseRows",
    "as_dense",
    "as_matrix",
    "linear_scores",
    "sparse_as_matrix",
]

# Rows whose moments are taken at a time: their double-precision copy stays in the cache.
_ROWS_AT_A_TIME = 1024
_LARGEST = 1e300
RowsLoop: TypeAlias = Callable[[int, int], None]


class FeatureMatrix(Protocol):
    """What a solver needs of the features."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def row_bytes(self) -> int:
        """Bytes that one row takes, about."""

    def scores(self, weights: Float64s, out: Float64s) -> RowsLoop:
        """A loop (low, high): ``out[low:high]`` = the products of these rows with ``weights``."""

    def gradient(self, slopes: Float64s, out: Float64s) -> RowsLoop:
        """A loop (low, high): add the sum of these rows, each times its slope, to ``out``."""

    @property
    def moments(self) -> tuple[Float64s, Float64s]:
        """Mean and variance of every column."""

    def weighted_moments(self, weights: Float64s) -> tuple[Float64s, Float64s]:
        """The same when row i is there ``weights[i]`` times."""

    def take(self, rows: Int64s) -> FeatureMatrix:
        """A copy of some rows."""

    def dense(self) -> Float64s:
        """The whole in double precision."""


@dataclass(frozen=True, eq=False)
class DenseRows:
    """A C-ordered array of float32 or float64."""

    values: NDArray[Any]

    def __post_init__(self) -> None:
        # Read-only whatever it was, so that kernels compile for one kind of array only.
        object.__setattr__(self, "values", frozen(self.values))

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    @property
    def row_bytes(self) -> int:
        return int(self.values.strides[0])

    def scores(self, weights: Float64s, out: Float64s) -> RowsLoop:
        from rankproof.kernels.matrices.products import dense_scores

        return _rows_loop(dense_scores, (self.values, weights), out)

    def gradient(self, slopes: Float64s, out: Float64s) -> RowsLoop:
        from rankproof.kernels.matrices.products import dense_gradient

        return _rows_loop(dense_gradient, (self.values, slopes), out)

    @cached_property
    def moments(self) -> tuple[Float64s, Float64s]:
        return self._moments(None)

    def weighted_moments(self, weights: Float64s) -> tuple[Float64s, Float64s]:
        return self._moments(weights)

    @np.errstate(over="ignore", invalid="ignore")
    def _moments(self, weights: Float64s | None) -> tuple[Float64s, Float64s]:
        rows, columns = self.shape
        # Sums of differences to about the mean: nothing large cancels, and one pass is enough.
        about = self.values[:_ROWS_AT_A_TIME].mean(axis=0, dtype=np.float64)
        first, second = np.zeros(columns), np.zeros(columns)
        for a in range(0, rows, _ROWS_AT_A_TIME):
            off = self.values[a : a + _ROWS_AT_A_TIME] - about
            weighted = off if weights is None else off * weights[a : a + _ROWS_AT_A_TIME, np.newaxis]
            first += weighted.sum(axis=0)
            second += np.einsum("ij,ij->j", weighted, off)
        total = rows if weights is None else weights.sum()
        spread = second / total - np.square(first / total)
        return _in_range(about + first / total, np.maximum(spread, 0.0))

    def take(self, rows: Int64s) -> DenseRows:
        return DenseRows(self.values[rows])

    def dense(self) -> Float64s:
        return self.values.astype(np.float64)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A CSR array of float32 or float64."""

    values: Any

    @cached_property
    def _arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        x = self.values
        return frozen(x.data), frozen(x.indices), frozen(x.indptr)

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.values.shape[0]), int(self.values.shape[1])

    @property
    def row_bytes(self) -> int:
        data, indices = self.values.data, self.values.indices
        return max(1, int(data.nbytes + indices.nbytes) // max(1, self.shape[0]))

    def scores(self, weights: Float64s, out: Float64s) -> RowsLoop:
        from rankproof.kernels.matrices.products import csr_scores

        return _rows_loop(csr_scores, (*self._arrays, weights), out)

    def gradient(self, slopes: Float64s, out: Float64s) -> RowsLoop:
        from rankproof.kernels.matrices.products import csr_gradient

        return _rows_loop(csr_gradient, (*self._arrays, slopes), out)

    @cached_property
    def moments(self) -> tuple[Float64s, Float64s]:
        return self.weighted_moments(np.ones(self.shape[0]))

    @np.errstate(over="ignore", invalid="ignore")
    def weighted_moments(self, weights: Float64s) -> tuple[Float64s, Float64s]:
        columns, total = self.shape[1], weights.sum()
        at, data = self.values.indices, self.values.data.astype(np.float64)
        weight = np.repeat(weights, np.diff(self.values.indptr))
        mean = np.bincount(at, weight * data, minlength=columns) / total
        stored = np.bincount(at, weight, minlength=columns)
        spread = np.bincount(at, weight * np.square(data - mean[at]), minlength=columns)
        return _in_range(mean, (spread + np.maximum(total - stored, 0) * np.square(mean)) / total)

    def take(self, rows: Int64s) -> SparseRows:
        return SparseRows(self.values[rows])

    def dense(self) -> Float64s:
        return np.asarray(self.values.toarray(), dtype=np.float64)


def _rows_loop(kernel: Any, arrays: tuple[NDArray[Any], ...], out: Float64s) -> RowsLoop:
    entry = kernel.entry(*arrays, 0, 0, out)
    return lambda low, high: entry(*arrays, low, high, out)


def _in_range(mean: Float64s, variance: Float64s) -> tuple[Float64s, Float64s]:
    """Mean and variance of every column; raises `DataError` for one whose squares are beyond a float."""
    # Solvers square the mean, and the variance is a square already: both stay below 1e300.
    wrong = ~(variance < _LARGEST) | ~(np.abs(mean) < np.sqrt(_LARGEST))
    if wrong.any():
        raise DataError(
            f"Column {int(np.argmax(wrong))} of X (counted from 0) has numbers so large that their squares "
            "overflow. Divide the column by a number, or take scale='query-minmax'."
        )
    return mean, variance


def as_matrix(X: Any) -> FeatureMatrix:
    """The matrix of an array that scikit-learn's validation has passed: dense in C order, or CSR."""
    if not hasattr(X, "tocsr"):
        return DenseRows(np.ascontiguousarray(X))
    x = X.tocsr()
    # Entries stored twice would count twice in the moments and once in a value.
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    return SparseRows(x)


def as_dense(X: Any) -> Any:
    """An array of what may be a sparse array or matrix; what is dense stays as it is."""
    return X.toarray() if hasattr(X, "toarray") else X


def linear_scores(X: FeatureMatrix, weights: Float64s) -> Float64s:
    """``X @ weights`` in double precision, on several threads."""

    rows, workers = X.shape[0], thread_count()
    out = np.empty(rows)
    step = max(1024, -(-rows // (4 * workers)))
    spans = [(a, min(rows, a + step)) for a in range(0, rows, step)]
    run(X.scores(weights, out), spans)
    return out


def sparse_as_matrix(X: Any) -> Any:
    """A sparse array as the sparse matrix with short indices that engines know; anything else as it is."""
    if not hasattr(X, "tocsr"):
        return X
    from scipy.sparse import csr_matrix

    if X.nnz > np.iinfo(np.int32).max:
        raise DataError(
            f"X stores {X.nnz} numbers, and engines take sparse matrices of up to {np.iinfo(np.int32).max}. "
            "Give a dense array."
        )
    indices, starts = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return csr_matrix((X.data, indices, starts), shape=X.shape)
