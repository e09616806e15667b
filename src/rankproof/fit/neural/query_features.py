"""Features for a neural ranker: standardised over all items, and over the items of their query.

What counts in a ranking is how an item compares with the others of its query, which a network that sees one
item at a time cannot know. So each feature also comes as its distance from the mean of the query, in standard
deviations of the query; a feature that is the same for all items of a query, as any is for one item alone,
becomes 0. Both are then squashed by sign(z) log(1 + |z|): counts and scores have long tails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, spans_by_items
from rankproof.fit.matrix import as_dense, as_matrix
from rankproof.fit.scaling import learn_scaling

__all__ = ["KINDS", "QueryFeatures", "learn_features"]

KINDS = ("both", "standard", "query")
# Entries that are scaled at a time: bounds the memory beside the result.
_ENTRIES_AT_A_TIME = 1 << 20


@dataclass(frozen=True, eq=False)
class QueryFeatures:
    """Centre and divisor of every feature, and which of the two forms a network sees."""

    kind: str
    centre: Float64s
    divisor: Float64s

    @property
    def columns(self) -> int:
        """How many numbers a network sees of an item."""
        return self.centre.size * (2 if self.kind == "both" else 1)

    def fits(self, features: int) -> bool:
        """Whether the kind is one there is, with a centre and a divisor for each of so many features."""
        return self.kind in KINDS and self.centre.shape == self.divisor.shape == (features,)

    def transform(self, X: Any, offsets: Int64s) -> NDArray[np.float32]:
        """What a network sees of the rows of ``X``, dense or CSR: always dense.

        >>> plain = QueryFeatures("query", np.zeros(1), np.ones(1))
        >>> X, offsets = np.array([[1.0], [3.0], [7.0]]), np.array([0, 2, 3])
        >>> plain.transform(X, offsets).ravel()  # log 2 at 1 deviation
        array([-0.6931472,  0.6931472,  0.       ], dtype=float32)
        """
        out = np.empty((X.shape[0], self.columns), dtype=np.float32)
        width = self.centre.size
        for low, high in spans_by_items(offsets, max(1, _ENTRIES_AT_A_TIME // max(1, width))):
            a, b = int(offsets[low]), int(offsets[high])
            part = np.asarray(as_dense(X[a:b]), dtype=np.float64)
            if self.kind != "query":
                out[a:b, :width] = _squashed((part - self.centre) / self.divisor)
            if self.kind != "standard":
                out[a:b, self.columns - width :] = _squashed(_within(part, offsets[low : high + 1] - a))
        return out


def learn_features(kind: str, X: Any, weights: Float64s | None) -> QueryFeatures:
    """The features of this kind, with means and deviations of the (weighted) rows of ``X``."""
    scaling = learn_scaling("standard", as_matrix(X), weights)
    return QueryFeatures(kind, scaling.centre, scaling.divisor)


def _within(part: Float64s, offsets: Int64s) -> Float64s:
    """Distance from the mean of the query in its standard deviations; 0 where all are the same."""
    sizes = np.diff(offsets)
    starts, sizes = offsets[:-1][sizes > 0], sizes[sizes > 0]
    least = np.minimum.reduceat(part, starts, axis=0)
    width = np.maximum.reduceat(part, starts, axis=0) - least
    flat = width == 0
    # From 0 to 1 first: squares of large numbers would overflow, and a constant is 0 to the last bit.
    unit = (part - np.repeat(least, sizes, axis=0)) / np.repeat(np.where(flat, 1.0, width), sizes, axis=0)
    n = sizes[:, np.newaxis]
    unit -= np.repeat(np.add.reduceat(unit, starts, axis=0) / n, sizes, axis=0)
    deviation = np.sqrt(np.add.reduceat(np.square(unit), starts, axis=0) / n)
    return np.where(
        np.repeat(flat, sizes, axis=0), 0.0, unit / np.repeat(np.where(flat, 1.0, deviation), sizes, axis=0)
    )


def _squashed(z: Float64s) -> Float64s:
    return np.sign(z) * np.log1p(np.abs(z))
