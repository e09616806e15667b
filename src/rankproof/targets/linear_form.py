"""A metric as a linear function of its target: what it is worth on average, from the mean of the target
alone.

A positional metric is the sum over ranks of c_k times u of the item there. So its mean over labels is the
same sum of E[u], which is DCG of a linear gain on E[u] as labels, with the c_k as discounts.
"""

from __future__ import annotations

from fractions import Fraction

from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounted import Discount
from rankproof.metrics.f import F
from rankproof.metrics.ndcg import NDCG
from rankproof.metrics.precision import P
from rankproof.metrics.rbp import RBP
from rankproof.metrics.recall import R
from rankproof.targets.base import Target
from rankproof.targets.f_share import FShare
from rankproof.targets.gain import GainTarget
from rankproof.targets.normalised_gain import NormalisedGain
from rankproof.targets.relevance import Relevance
from rankproof.targets.relevance_share import RelevanceShare

__all__ = ["linear_form", "metric_on"]

# Weights of ranks below this share of the first are left out.
_NOTHING = 1e-18
_MOST_RANKS = 100_000


def linear_form(metric: Metric, target: Target) -> Metric | None:
    """The metric that has, on E[u] as labels, the mean of ``metric``; None when there is none.

    A query that is empty under some of its labels counts 0 for these, and is never left out.

    >>> linear_form(NDCG(cutoff=10), NormalisedGain(cutoff=10))
    DCG(gain=linear)@10
    """
    weights = _weights(metric, target) if getattr(metric, "empty", None) in ("skip", 0) else None
    if weights is None:
        return None
    discount, cutoff = weights
    return DCG(gain="linear", discount=discount, cutoff=cutoff, empty=metric.empty)


def metric_on(metric: Metric, expected: Target | None) -> Metric:
    """The metric itself for labels that are grades; its linear form for the mean of a target."""
    if expected is None:
        return metric
    form = linear_form(metric, expected)
    if form is None:
        raise ArgumentError(
            f"{metric} is no sum over ranks of the mean of {expected}, which is all that these judgments "
            "have "
            "become: they cannot choose by it. Give validation data with labels."
        )
    return form


def _weights(metric: Metric, target: Target) -> tuple[Discount, int | None] | None:
    """The discounts c_k and the cutoff of a metric that is the sum of c_k times the target at rank k."""
    if isinstance(metric, NDCG) and target == NormalisedGain.for_metric(metric):
        return metric.discount, metric.cutoff
    if isinstance(metric, DCG) and target == GainTarget.for_metric(metric):
        return metric.discount, metric.cutoff
    if isinstance(metric, P) and metric.cutoff is not None and target == Relevance.for_metric(metric):
        return (Fraction(1, metric.cutoff),) * metric.cutoff, None
    if isinstance(metric, R) and metric.cutoff is not None and target == RelevanceShare.for_metric(metric):
        return (1.0,) * metric.cutoff, None
    if isinstance(metric, F) and metric.cutoff is not None and target == FShare.for_metric(metric):
        return (1 + float(metric.beta) ** 2,) * metric.cutoff, None
    if isinstance(metric, RBP) and target == Relevance.for_metric(metric):
        return _of_rbp(metric)
    return None


def _of_rbp(metric: RBP) -> tuple[Discount, int | None] | None:
    """Weights down to where they are nothing beside the first."""
    weights = [1.0 - metric.persistence]
    while weights[-1] * metric.persistence > _NOTHING * weights[0]:
        if len(weights) == _MOST_RANKS:
            return None
        weights.append(weights[-1] * float(metric.persistence))
    return tuple(weights), metric.cutoff
