"""Scaling of the features: part of the model, learnt in fit, applied again in predict.

``none`` leaves features as they are. ``standard`` takes off the mean and divides by the standard deviation
of the training items. ``query-minmax`` maps each feature of each query to 0..1, as the LETOR files
"QueryLevelNorm" do; it looks at all items of a query, so it needs the query ids also to predict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s, spans_by_items
from rankproof.errors import DataError
from rankproof.fit.matrix import FeatureMatrix, as_matrix

__all__ = ["SCALES", "Scaling", "learn_scaling", "minmax_by_query", "scaled_matrix"]

SCALES = ("none", "standard", "query-minmax")
# Entries that are scaled at a time: bounds the memory beside the result.
_ENTRIES_AT_A_TIME = 1 << 22


@dataclass(frozen=True, eq=False)
class Scaling:
    """Centre and divisor of every feature; for ``query-minmax`` they are 0 and 1, after `minmax_by_query`."""

    kind: str
    centre: Float64s
    divisor: Float64s

    def raw(self, weights: Float64s, intercept: float) -> tuple[Float64s, float]:
        """Weights and intercept for features as they are, from those for scaled features."""
        plain = weights / self.divisor
        return plain, float(intercept - np.sum(self.centre * plain))


def learn_scaling(kind: str, X: FeatureMatrix, weights: Float64s | None = None) -> Scaling:
    """The scaling of this kind for the (weighted) rows of ``X``; one without variance is not divided."""
    columns = X.shape[1]
    if kind != "standard":
        return Scaling(kind, np.zeros(columns), np.ones(columns))
    mean, variance = X.moments if weights is None else X.weighted_moments(weights)
    # Below this a spread is what rounding left of a constant.
    flat = variance <= 1e-14 * np.square(mean)
    return Scaling(kind, mean, np.where(flat, 1.0, np.sqrt(variance)))


def scaled_matrix(kind: str, X: Any, offsets: Int64s) -> FeatureMatrix:
    """The features that centre and divisor are for: as they are, or scaled over the items of each query."""
    return as_matrix(minmax_by_query(X, offsets) if kind == "query-minmax" else X)


def minmax_by_query(X: Any, offsets: Int64s) -> Any:
    """A copy of ``X`` with each feature of each query mapped to 0..1; a constant becomes 0.

    >>> minmax_by_query(np.array([[1.0], [3.0], [2.0], [7.0]]), np.array([0, 3, 4])).tolist()
    [[0.0], [1.0], [0.5], [0.0]]
    """
    if hasattr(X, "tocsr"):
        return _sparse_minmax(X, offsets)
    out = np.empty_like(X, order="C")
    # No query without items: reduceat would look for its first one.
    offsets = np.unique(offsets)
    sizes = np.diff(offsets)
    for low, high in spans_by_items(offsets, max(1, _ENTRIES_AT_A_TIME // max(1, X.shape[1]))):
        a, b = int(offsets[low]), int(offsets[high])
        starts = offsets[low:high] - a
        part = X[a:b]
        least = np.minimum.reduceat(part, starts, axis=0)
        width = np.maximum.reduceat(part, starts, axis=0) - least
        width[width == 0] = 1
        out[a:b] = (part - np.repeat(least, sizes[low:high], axis=0)) / np.repeat(
            width, sizes[low:high], axis=0
        )
    return out


def _sparse_minmax(X: Any, offsets: Int64s) -> Any:
    """The same for CSR: what is not stored is 0 and must stay 0, so no feature may be negative beside it."""
    x = X.copy()
    columns = x.shape[1]
    query = np.repeat(np.arange(offsets.size - 1), x.indptr[offsets[1:]] - x.indptr[offsets[:-1]])
    place = query * np.int64(columns) + x.indices
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    if not starts.size:
        return x
    stored = np.diff(np.append(starts, order.size))
    least = np.minimum.reduceat(x.data[order], starts)
    most = np.maximum.reduceat(x.data[order], starts)
    partial = stored < np.diff(offsets)[query[order[starts]]]
    if (partial & (least < 0)).any():
        at = place[order[starts[np.argmax(partial & (least < 0))]]]
        raise DataError(
            f"scale='query-minmax' of sparse features needs numbers of at least 0, but feature "
            f"{at % columns} of query number {at // columns} goes down to "
            f"{least[np.argmax(partial & (least < 0))]:g}: items that do not store it would no longer be 0. "
            "Use dense features or another scale."
        )
    least = np.where(partial, 0, least)
    most = np.where(partial, np.maximum(most, 0), most)
    width = most - least
    width[width == 0] = 1
    x.data[order] = (x.data[order] - np.repeat(least, stored)) / np.repeat(width, stored)
    return x
