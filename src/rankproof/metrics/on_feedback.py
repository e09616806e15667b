"""The value of scores for one piece of feedback of any kind: the mean over the rankings that sort them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, as_labels, as_scores
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Permutation, PreferenceGraph, as_feedback
from rankproof.metrics.base import Metric
from rankproof.metrics.disagreement import scores_on_graph
from rankproof.metrics.pd import PD
from rankproof.metrics.ranked.lists import RankedLists, sort_by_score
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.metrics.wpdl import WPDL

__all__ = ["of_scores"]

MOST_RANKINGS = 50_000


def of_scores(metric: Metric, scores: ArrayLike, feedback: Any) -> float | None:
    """The value of ``scores`` (one per item, higher is better), exact under ties; None for empty feedback.

    >>> of_scores(PD(), [0.5, 0.5, 0.1], {(0, 1): 1, (2, 0): 3})  # 1/2 + 3
    3.5
    >>> from rankproof.metrics import ZeroOne
    >>> of_scores(ZeroOne(), [2, 1, 1], Permutation((1, 3, 2)))  # one of two rankings is right
    0.5
    """
    entry = as_feedback(feedback)
    metric.check_kind(entry)
    array = as_scores(scores, entry.items)
    if isinstance(entry, PreferenceGraph):
        if isinstance(metric, (PD, WPDL)):
            weight = metric.weight if isinstance(metric, WPDL) else "one"
            return scores_on_graph(array, entry, weight, metric.ties, normalize=metric.normalize)
        return _by_definition(metric, array, entry)
    if entry.items == 1:
        return _as_float(metric.of_ranking((0,), entry))
    grades = entry.grades() if isinstance(entry, Permutation) else entry
    labels = as_labels([float(y) for y in grades])
    metric.check(labels)
    order = sort_by_score(array, np.array([0, entry.items]))
    value = float(metric.per_query(RankedLists.from_order(order, labels))[0])
    return None if math.isnan(value) else value


def _by_definition(metric: Metric, scores: Float64s, feedback: Feedback) -> float | None:
    """The mean itself, for a metric that brings a definition on graphs and no closed form."""
    _, sizes = np.unique(scores, return_counts=True)
    many = math.prod(math.factorial(int(size)) for size in sizes)
    if many > MOST_RANKINGS:
        raise ArgumentError(
            f"{metric} has no closed form on preference graphs, and {many} rankings sort these scores, more "
            f"than the {MOST_RANKINGS} that are averaged one by one. Break the ties of the scores first."
        )
    values = [metric.of_ranking(ranking, feedback) for ranking in sorting_rankings(scores.tolist())]
    counted = [value for value in values if value is not None]
    if not counted:
        return None
    return math.fsum(map(float, counted)) / len(counted)


def _as_float(value: int | float | Fraction | None) -> float | None:
    return None if value is None else float(value)
