"""What a metric of `rankproof.metrics` is worth for every label vector of a law, by its own kernel.

>>> from rankproof.metrics.parse import metric
>>> labels = np.array([[1.0, 0.0], [0.0, 0.0]])
>>> values_at(metric("P@1"), np.array([0.5, 0.5]), labels)  # a tie; nothing is relevant in the second row
array([0.5, 0. ])
>>> values_of_orders(metric("P@1"), np.array([[0, 1], [1, 0]]), labels)
array([[1., 0.],
       [0., 0.]])
"""

from __future__ import annotations

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import without_empties
from rankproof.metrics.base import Metric
from rankproof.metrics.ranked.lists import RankedLists, sort_by_score
from rankproof.targets.base import Target
from rankproof.targets.choose import candidates

__all__ = ["check_domain", "sorting_target", "target_values", "values_at", "values_of_orders"]


def check_domain(metric: Metric, labels: Float64s) -> None:
    """Raise when the metric is not defined on grades, or not on these."""
    if "graded" not in metric.feedback_kinds:
        raise ArgumentError(
            f"A LabelLaw is a law of grades, and {metric} is defined on feedback of kind "
            f"{' or '.join(metric.feedback_kinds)}. Take a Law with rankproof.regret."
        )
    metric.check(labels.reshape(-1))


def values_at(metric: Metric, scores: Float64s, labels: Float64s) -> Float64s:
    """The value of ``scores`` for every row of ``labels``, as `rankproof.evaluate` has it under ties.

    A row that is empty for the metric counts what ``empty`` says, and 0 when that is ``"skip"``.
    """
    rows, items = labels.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * items
    order = sort_by_score(np.tile(scores, rows), offsets)
    return _counted(metric, metric.per_query(RankedLists.from_order(order, labels.reshape(-1))))


def values_of_orders(metric: Metric, orders: Int64s, labels: Float64s) -> Float64s:
    """The value of every strict ranking (rows of ``orders``) for every row of ``labels`` (columns)."""
    ranked = np.swapaxes(labels[:, orders], 0, 1).reshape(-1, labels.shape[1])
    values = _counted(metric, metric.per_query(RankedLists.from_ranked(ranked)))
    return values.reshape(orders.shape[0], labels.shape[0])


def sorting_target(metric: Metric) -> Target | None:
    """A target by whose mean sorting is optimal for the metric under every law of grades, or None."""
    for target, claim in candidates(metric):
        if claim.value is True and "graded" in target.feedback_kinds:
            return target
    return None


def target_values(target: Target, labels: Float64s) -> Float64s:
    """The targets of every row of labels."""
    rows, items = labels.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * items
    return target.values(labels.reshape(-1), offsets).reshape(rows, items)


def _counted(metric: Metric, values: Float64s) -> Float64s:
    return np.nan_to_num(without_empties(metric, values, np.arange(values.size)), nan=0.0)
