"""The forms in which a synthetic world takes a metric: one of `rankproof.metrics`, or a plain function.

- a metric of the registry or its string, such as ``"nDCG@10"``, with its direction and exact ties;

and three forms of plain functions, of which higher is better:

- a function ``(scores, labels) -> value`` of one query, which has its own way with ties;
- `Ranked`: a function of the labels in ranked order, for many label vectors at once;
- `Positional`: ``Σ_k discount(k) · target of the item at rank k``, for which sorting by the expected target
  is optimal (discounts do not increase), at any number of items.

Under ties, `Ranked` and `Positional` have the mean over all rankings that sort the scores.

>>> dcg = Positional(target=lambda labels: 2.0**labels - 1, discount=lambda rank: 1 / np.log2(1 + rank))
>>> float(dcg.at(np.array([2.0, 1.0]), np.array([3.0, 1.0])))
3.63...
>>> first = Ranked(lambda ranked: ranked[:, 0])
>>> first.at(np.array([1.0, 1.0, 0.0]), np.array([[2.0, 0.0, 5.0]])).tolist()
[1.0]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.metrics.ranked.ties import sorting_rankings

__all__ = [
    "MetricForm",
    "Positional",
    "QueryMetric",
    "Ranked",
    "as_metric_form",
    "higher_is_better",
    "matrix_targets",
    "score_groups",
]

MOST_TIED_ORDERS = 40_320


@dataclass(frozen=True)
class Ranked:
    """A metric as a function of ranked labels.

    Parameters
    ----------
    function : callable
        Takes a matrix with one label vector per row, best-ranked item in the first column, and gives one
        value per row.

    Examples
    --------
    >>> first = Ranked(lambda ranked: ranked[:, 0])
    >>> first.at(np.array([1.0, 2.0]), np.array([[3.0, 0.0]]))
    array([0.])
    """

    function: Callable[[Float64s], ArrayLike]

    def rows(self, ranked: Float64s) -> Float64s:
        """One value per row of ranked labels."""
        values = np.asarray(self.function(ranked), dtype=np.float64)
        if values.shape != ranked.shape[:1]:
            raise ArgumentError(
                f"The function of a Ranked metric must give one value per row ({ranked.shape[0]}), "
                f"got shape {values.shape}."
            )
        return values

    def at(self, scores: Float64s, labels: Float64s) -> Float64s:
        """The value of ``scores`` for every row of ``labels``: the mean over all rankings that sort them."""
        groups = score_groups(scores)
        orders = prod(factorial(group.size) for group in groups)
        if orders > MOST_TIED_ORDERS:
            raise ArgumentError(
                f"These scores are sorted by {orders} rankings, too many to average over (at most "
                f"{MOST_TIED_ORDERS}). Break some ties, or give the metric as (scores, labels) -> value."
            )
        total = np.zeros(labels.shape[0])
        for order in sorting_rankings(scores.tolist()):
            total += self.rows(labels[:, list(order)])
        return total / orders


@dataclass(frozen=True)
class Positional:
    """A metric ``Σ_k discount(k) · u_i(y)`` with item i at rank k.

    Parameters
    ----------
    target : callable
        Maps a matrix of label vectors (rows) to the matrix of targets u(y) of the same shape.
    discount : callable
        Maps the ranks 1, 2, ... (an array) to numbers that do not increase.

    Examples
    --------
    >>> precision = Positional(target=lambda labels: labels > 0, discount=lambda rank: rank <= 1)
    >>> precision.at(np.array([2.0, 1.0]), np.array([0.0, 1.0]))
    0.0
    """

    target: Callable[[Float64s], ArrayLike]
    discount: Callable[[Int64s], ArrayLike]

    def targets(self, labels: Float64s) -> Float64s:
        """The targets of every row of labels."""
        return matrix_targets(self.target, labels)

    def discounts(self, items: int) -> Float64s:
        """The discounts of the ranks 1..items."""
        ranks = np.arange(1, items + 1)
        values = np.broadcast_to(np.asarray(self.discount(ranks), dtype=np.float64), (items,))
        if (np.diff(values) > 0).any():
            rank = int(np.argmax(np.diff(values) > 0)) + 1
            raise ArgumentError(
                f"The discounts of a Positional metric must not increase, got {values[rank - 1]} at rank "
                f"{rank} and {values[rank]} at rank {rank + 1}."
            )
        return values

    def at(self, scores: Float64s, targets: Float64s) -> float:
        """The value of ``scores`` for one vector of targets, or of expected targets (the form is linear)."""
        discounts = self.discounts(scores.size)
        total, above = 0.0, 0
        for group in score_groups(scores):
            total += float(targets[group].mean() * discounts[above : above + group.size].sum())
            above += group.size
        return total


def matrix_targets(target: Callable[[Float64s], ArrayLike], labels: Float64s) -> Float64s:
    """What a function gives for a matrix of label vectors, checked to be one number per label."""
    values = np.asarray(target(labels), dtype=np.float64)
    if values.shape != labels.shape:
        raise ArgumentError(
            f"The target of a metric must give one number per label, a matrix of shape {labels.shape}, "
            f"got shape {values.shape}."
        )
    return values


MetricForm: TypeAlias = Metric | Ranked | Positional | Callable[[Float64s, Float64s], float]
QueryMetric: TypeAlias = str | MetricForm
"""What the methods of a law take for a metric."""


def as_metric_form(metric: QueryMetric) -> MetricForm:
    """The metric itself; a string is parsed.

    >>> as_metric_form("AP@5")
    AP@5
    """
    if isinstance(metric, str):
        return metric_of(metric)
    if isinstance(metric, (Metric, Ranked, Positional)) or callable(metric):
        return metric
    raise ArgumentError(
        "Argument metric must be a metric, its string, a Ranked, a Positional or a function (scores, labels) "
        f"-> value, got {metric!r:.80}."
    )


def higher_is_better(metric: MetricForm) -> bool:
    """Whether larger values are better: so for plain functions, and as a `Metric` says itself."""
    return not isinstance(metric, Metric) or metric.direction == "higher"


def score_groups(scores: Float64s) -> list[Int64s]:
    """The items with equal scores, best group first, items of a group in increasing order.

    >>> [group.tolist() for group in score_groups(np.array([1.0, 3.0, 1.0]))]
    [[1], [0, 2]]
    """
    order = np.argsort(-scores, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(scores[order])) + 1)
