"""New lists from real ones: each is a real list moved part of the way towards a list like it.

The items of a real list are kept together, with their number. A second list is drawn from the most similar
ones; every item is paired with one of the nearest items of it, and all items of the list are moved by the
same share of the way. So what is constant within a list, or hardly varies, stays so, and a list lies between
two real ones. Where one of the two items has a frequent value of a feature (zero, mostly), the value of one
of them is taken as it is: of the same list for all items. Features of whole numbers are rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rankproof.arrays import Float64s, Int64s, query_of_item

__all__ = ["ListMaker", "MadeLists"]

PARTNERS, CHOICES, FREQUENT = 8, 3, 0.01


class MadeLists(NamedTuple):
    """Lists that were made: features, topics of the items, and the real list that each came from."""

    X: NDArray[np.float32]
    topics: Float64s
    offsets: Int64s
    bases: Int64s


class ListMaker:
    """Makes lists of the rows of real ones."""

    def __init__(self, X: NDArray[np.float32], offsets: Int64s, *, topics: int) -> None:
        self.X, self.offsets, self.sizes = X, offsets, np.diff(offsets)
        scores = normal_scores(X)
        self.topics = directions(scores, offsets, topics)
        self.whole = np.array([_whole(column) for column in X.T])
        self.frequent = np.stack([_frequent(column) for column in X.T], axis=1)
        self.partners = _similar_lists(scores, offsets)
        self.matches = self._matches(scores)

    def make(self, queries: int, rng: np.random.Generator) -> MadeLists:
        """Independent lists."""
        bases = rng.integers(0, self.sizes.size, queries)
        sizes = self.sizes[bases]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        of_item = query_of_item(offsets)
        rows = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - self.offsets[bases], sizes)
        partner = rng.integers(0, self.matches.shape[1], queries)
        other = self.matches[rows, partner[of_item], rng.integers(0, CHOICES, rows.size)]
        share = rng.beta(0.5, 0.5, queries)
        taken = rng.random((queries, self.X.shape[1]), dtype=np.float32) < share[:, None]
        moved = share[of_item].astype(np.float32)[:, None]
        near, far = self.X[rows], self.X[other]
        X = near + moved * (far - near)
        kept_whole = self.frequent[rows] | self.frequent[other]
        np.copyto(X, np.where(taken[of_item], far, near), where=kept_whole)
        X[:, self.whole] = np.rint(X[:, self.whole])
        topics = self.topics[rows] + share[of_item, None] * (self.topics[other] - self.topics[rows])
        return MadeLists(X, centred(topics, offsets), offsets, bases)

    def _matches(self, scores: Float64s) -> Int64s:
        """The nearest items in each similar list: (items, partners, choices)."""
        matches = np.empty((scores.shape[0], self.partners.shape[1], CHOICES), dtype=np.int64)
        for query, others in enumerate(self.partners):
            low, high = self.offsets[query], self.offsets[query + 1]
            own = scores[low:high]
            for place, other in enumerate(others):
                start, stop = self.offsets[other], self.offsets[other + 1]
                theirs = scores[start:stop]
                distances = np.square(theirs).sum(axis=1) - 2 * own @ theirs.T
                nearest = np.argsort(distances, axis=1)[:, :CHOICES]
                matches[low:high, place] = start + nearest[:, np.arange(CHOICES) % nearest.shape[1]]
        return matches


def centred(values: Float64s, offsets: Int64s) -> Float64s:
    """Columns less their mean within each list."""
    sizes = np.diff(offsets)
    means = np.add.reduceat(values, offsets[:-1], axis=0) / sizes.reshape(-1, *(1,) * (values.ndim - 1))
    difference: Float64s = values - np.repeat(means, sizes, axis=0)
    return difference


def normal_scores(X: NDArray[np.float32]) -> Float64s:
    """Every column by its ranks, as normal quantiles; equal values share the mean of their ranks."""
    scores = np.empty(X.shape)
    for j, column in enumerate(X.T):
        _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
        ranks = np.cumsum(counts) - (counts - 1) / 2 - 0.5
        scores[:, j] = ndtri(ranks / column.size)[inverse]
    spread = scores.std(axis=0)
    scaled: Float64s = scores / np.where(spread > 0, spread, 1.0)
    return scaled


def directions(scores: Float64s, offsets: Int64s, count: int) -> Float64s:
    """The principal components within lists, each with a pooled variance of 1."""
    inner = centred(scores, offsets)
    _, vectors = np.linalg.eigh(inner.T @ inner)
    projected = inner @ vectors[:, ::-1][:, :count]
    spread = np.sqrt(np.square(projected).mean(axis=0))
    scaled: Float64s = projected / np.where(spread > 0, spread, 1.0)
    return scaled


def _similar_lists(scores: Float64s, offsets: Int64s) -> Int64s:
    """The lists whose mean features are nearest."""
    sizes = np.diff(offsets)
    means = np.add.reduceat(scores, offsets[:-1], axis=0) / sizes[:, None]
    squares = np.square(means).sum(axis=1)
    distances = squares[:, None] + squares - 2 * means @ means.T
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, : min(PARTNERS, sizes.size - 1)]


def _frequent(column: NDArray[np.float32]) -> NDArray[np.bool_]:
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    often: NDArray[np.bool_] = (counts > max(2.0, FREQUENT * column.size))[inverse]
    return often


def _whole(column: NDArray[np.float32]) -> bool:
    return bool((column == np.rint(column)).all())
