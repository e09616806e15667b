"""The exact metric as engines call it: by name, with its direction, on the scores of a data set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankproof.arrays import as_scores
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import mean_metric
from rankproof.metrics.base import Metric, MetricLike
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.linear_form import metric_on

__all__ = ["as_metrics", "higher_is_better", "value_on"]


def as_metrics(metrics: MetricLike | Iterable[MetricLike]) -> tuple[Metric, ...]:
    """One metric or several, each once."""
    several = [metrics] if isinstance(metrics, (str, Metric)) or callable(metrics) else metrics
    try:
        parsed = tuple(dict.fromkeys(metric_of(metric) for metric in several))
    except TypeError:
        raise ArgumentError(
            f"Argument metric must be a metric, its name, or several, got {metrics!r}."
        ) from None
    if not parsed:
        raise ArgumentError("Argument metric must name at least one metric.")
    return parsed


def higher_is_better(metric: Metric) -> bool:
    """Whether larger values of the metric are better."""
    return metric.direction == "higher"


def value_on(metric: Metric, scores: Any, data: RankingData) -> float:
    """The mean of the metric over the queries that count; equal scores are averaged over."""
    checked = as_scores(scores, data.labels.size)
    metric = metric_on(metric, data.expected)
    return mean_metric(metric, checked, data.labels, data.offsets, data.query_weights)
