"""The real data that a world is fitted to, checked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.per_query import mean_metric
from rankproof.metrics.base import Metric
from rankproof.shown import quoted
from rankproof.worlds.plasmode.trees import GradedRows

__all__ = ["as_rows", "mean_of_metrics", "some_queries"]

LEAST_QUERIES, MOST_GRADES = 10, 32


def as_rows(data: RankingData) -> tuple[Float64s, GradedRows]:
    """The grades, and the rows with their place among the grades."""
    if data.X is None:
        raise ArgumentError("PlasmodeWorld.fit needs data with features, and these have no X.")
    if data.queries < LEAST_QUERIES:
        raise DataError(
            f"PlasmodeWorld.fit needs at least {LEAST_QUERIES} queries to fit a law to, got {data.queries}."
        )
    if (data.sizes == 0).any():
        empty = quoted(data.query_ids[int(np.argmin(data.sizes))])
        raise DataError(f"PlasmodeWorld.fit: query {empty} has no items. Leave such queries out.")
    if np.isnan(data.labels).any():
        raise DataError(
            f"PlasmodeWorld.fit: item {int(np.isnan(data.labels).argmax())} has no judgment (NaN). Leave "
            "unjudged items out, or give them a grade."
        )
    X = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
    if not np.isfinite(X).all():
        item, feature = np.argwhere(~np.isfinite(X))[0]
        raise DataError(
            f"PlasmodeWorld.fit: feature {feature} of item {item} is {X[item, feature]}, and lists are mixed "
            "from finite features only. Fill in what is missing."
        )
    grades, classes = np.unique(data.labels, return_inverse=True)
    if not 2 <= grades.size <= MOST_GRADES:
        raise DataError(
            f"PlasmodeWorld.fit needs labels with 2 to {MOST_GRADES} different grades, got {grades.size}."
        )
    return grades, GradedRows(np.ascontiguousarray(X), classes, data.offsets, grades.size)


def some_queries(data: RankingData, items: int, rng: np.random.Generator) -> Int64s:
    """Random queries with about as many items, in increasing order; all when there are no more."""
    order = rng.permutation(data.queries)
    count = int(np.searchsorted(np.cumsum(data.sizes[order]), items)) + 1
    return np.sort(order[:count])


def mean_of_metrics(metrics: Iterable[Metric], scores: Float64s, data: RankingData) -> float:
    """The mean over metrics and queries."""
    return float(np.mean([mean_metric(one, scores, data.labels, data.offsets) for one in metrics]))
