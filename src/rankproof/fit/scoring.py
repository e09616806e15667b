"""The mean of a metric over queries, exact under ties: what rankers are scored and chosen by."""

from __future__ import annotations

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import DataError, UnjudgedError
from rankproof.metrics.base import Metric
from rankproof.metrics.empties import without_empties
from rankproof.metrics.lists import RankedLists, sort_by_score

__all__ = ["mean_metric", "signed"]


def mean_metric(
    metric: Metric,
    scores: Float64s,
    labels: Float64s,
    offsets: Int64s,
    weights: Float64s | None = None,
    *,
    threads: int | None = None,
) -> float:
    """The (weighted) mean of the metric over the queries that count.

    >>> import rankproof as rp
    >>> mean_metric(rp.metric("P@1"), np.array([0.7, 0.7]), np.array([1.0, 0.0]), np.array([0, 2]))
    0.5
    """
    from rankproof.kernels.pool import thread_count

    metric.check(labels)
    if metric.unjudged == "error" and np.isnan(labels).any():
        raise UnjudgedError(
            f"{metric}: item {int(np.argmax(np.isnan(labels)))} has no judgment. "
            "Judge it, or use unjudged=zero or unjudged=drop."
        )
    order = sort_by_score(scores, offsets, threads=thread_count(threads))
    lists = RankedLists.of(order, labels)
    if not metric.sees_unjudged:
        lists = lists.with_unjudged("drop" if metric.unjudged == "drop" else "zero")
    values = without_empties(metric, metric.per_query(lists), np.arange(offsets.size - 1))
    counts = ~np.isnan(values)
    weight = np.ones(values.size) if weights is None else weights
    total = float(weight[counts].sum())
    if total == 0:
        raise DataError(
            f"{metric} counts no query: each is empty ({metric.empty_when}) or has weight 0. "
            "Give data with relevant items, or use empty=0."
        )
    return float((weight[counts] * values[counts]).sum() / total)


def signed(metric: Metric, value: float) -> float:
    """The value with the sign that makes larger better, as scikit-learn wants scores to be."""
    return value if metric.direction == "higher" else -value
