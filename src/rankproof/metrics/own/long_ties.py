"""The mean over ties that are too many to try, from the target of the metric.

On lists of one length the value is const(y) + sum_k c_k u_(item at k)(y) when u is a target (see
`rankproof.metrics.own.rule`), so in the mean over the orders of a tie group each of its places counts the
mean u of the group. The differences c_k - c_(k + 1) are read off exchanges of neighbours. Whether the target
holds on lists of this length is tried first (`rankproof.metrics.own.lengths`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rankproof.errors import RankproofError
from rankproof.metrics.own.lengths import find_misfit
from rankproof.metrics.own.rule import LabelRule
from rankproof.metrics.own.standing import Own, standing_of

__all__ = ["holds_at", "mean_by_rule"]


def mean_by_rule(metric: Own, labels: Sequence[Any], ends: Sequence[int]) -> Any | None:
    """The mean over the ties of a ranking of all items; None when no target of the metric is known."""
    if len(ends) != len(labels):
        return None
    try:
        rule = standing_of(metric).rule
        if rule is None or not set(labels) <= set(rule.grades) or not holds_at(metric, len(labels)):
            return None
    except RankproofError:
        return None
    valued = metric.valued
    worths = [rule.worth(label) for label in labels]
    factor = rule.factor(valued, labels)
    total = valued(labels)
    start = 0
    while start < len(labels):
        end = int(ends[start])
        group = worths[start:end]
        mean = sum(group) / len(group)
        above: Any = 0
        for k in range(start, end - 1):
            # What the places down to k have less than their share.
            above += mean - worths[k]
            if above:
                total += above * factor * _step(metric, rule, len(labels), k)
        start = end
    return total if metric.direction == "higher" else -total


@lru_cache(maxsize=4096)
def _step(metric: Own, rule: LabelRule, n: int, k: int) -> Any:
    """c_(k + 1) - c_(k + 2) on lists of n items, in units of the worths of a list with factor 1."""
    labels = rule.reference(n)
    apart = rule.worth(labels[0]) - rule.worth(labels[1])
    labels[0], labels[k] = labels[k], labels[0]
    factor = rule.factor(metric.valued, labels)
    return metric.valued.exchange(labels, k, k + 1) / (apart * factor) if factor else 0


@lru_cache(maxsize=4096)
def holds_at(metric: Own, n: int) -> bool:
    """Whether no exchange on lists of n items contradicts the target of the metric."""
    rule = standing_of(metric).rule
    if rule is None:
        return False
    valued = metric.valued
    return find_misfit(valued, lambda labels: rule.values(valued, labels), rule.grades, n) is None
