"""Rank weights: what each rank of a positional metric is worth, in units of a target.

A positional metric has the value const(y) + sum_k c_k u_(item at k)(y), with c the same for all labels of a
length. A target that standardises it under every law is that u, up to a factor and a number per query; the
factor decides the size of c, so weights belong to a metric *and* a target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankproof.arrays import Float64s, as_whole_number
from rankproof.errors import ArgumentError, DataError
from rankproof.metrics.base import METRICS, Metric
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounted import discount_table
from rankproof.metrics.ndcg import NDCG
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.base import Target
from rankproof.targets.choose import candidates, target_for
from rankproof.targets.gain import GainTarget
from rankproof.targets.normalised_gain import NormalisedGain

__all__ = ["check_positional", "check_target", "rank_weights"]


def rank_weights(metric: str | Metric, target: Target, items: int) -> Float64s:
    """c_1, ..., c_n in gain form, up to a number, such that the value is const + sum_k c_k u_(item at k).

    Read off the discounts of DCG and nDCG; off the values of any other positional metric: raising the one
    item that is worth more from rank n to rank k adds (c_k - c_n) times what it is worth more.

    >>> from rankproof.targets.base import TARGETS
    >>> rank_weights("P@2", TARGETS["relevance"](), 4)
    array([0.5, 0.5, 0. , 0. ])
    """
    measure = metric_of(metric)
    size = as_whole_number("items of rank_weights", items, 1)
    check_positional(measure)
    check_target(measure, target, f"The target {target}")
    if isinstance(measure, NDCG) and isinstance(target, NormalisedGain):
        weights, _ = discount_table(target.discount, size, target.cutoff)
    elif isinstance(measure, DCG) and isinstance(target, GainTarget):
        weights, _ = discount_table(measure.discount, size, measure.cutoff)
    else:
        weights = _measured(measure, target, size)
    _check(measure, target, weights)
    return weights


def check_positional(metric: Metric) -> None:
    """Raise `ArgumentError` when the metric does not claim to be positional."""
    claim = metric.claims.get("positional")
    if claim is None or not claim.value:
        fits = [name for name, cls in METRICS.items() if _positional_kind(cls)]
        why = f" ({claim.reference})" if claim else ""
        raise ArgumentError(
            f"{metric} has no rank weights that are the same for all labels{why}, so its regret has no bound "
            f"of this kind. Metrics that have: {', '.join(fits)}."
        )


def _positional_kind(cls: type[Metric]) -> bool:
    example = cls()
    standardised = any(claim.value is True for _, claim in candidates(example))
    return standardised and bool(example.claims.value("positional"))


def check_target(metric: Metric, target: Target, subject: str) -> None:
    """Raise `ArgumentError` when the target does not standardise the metric under every law."""
    claim = target.standardizes(metric)
    if claim is None or claim.value is not True:
        raise ArgumentError(
            f"{subject} does not standardise {metric} under every law of the labels, so no bound of its "
            f"regret follows. A target that does: {target_for(metric)}."
        )


def _measured(metric: Metric, target: Target, items: int) -> Float64s:
    for low, high in _grade_pairs(metric):
        labels = [high] + [low] * (items - 1)
        if not _allowed(metric, target, labels):
            continue
        worth = target.of_labels(labels)
        more = float(worth[0] - worth[-1])
        if items == 1 or more > 0:
            raised = [_value(metric, [low] * k + [high] + [low] * (items - 1 - k)) for k in range(items)]
            return np.array([(value - raised[-1]) / more if items > 1 else 0.0 for value in raised])
    raise ArgumentError(
        f"The rank weights of {metric} cannot be read off: among labels up to 4 its target {target} gives no "
        "two the values u(high) > u(low)."
    )


def _grade_pairs(metric: Metric) -> Iterator[tuple[float, float]]:
    relevant = getattr(metric, "rel", 1)
    for low in (0, relevant - 1):
        yield from ((low, high) for high in (relevant, 1, 2, 3, 4) if high > low)


def _allowed(metric: Metric, target: Target, labels: Sequence[float]) -> bool:
    try:
        metric.check(np.array(labels, dtype=np.float64))
        target.check(np.array(labels, dtype=np.float64))
    except DataError:
        return False
    return True


def _value(metric: Metric, labels: Sequence[float]) -> float:
    """The value in gain form; a query that is empty gives every ranking the same."""
    value = float(metric.of_labels(labels) or 0)
    return value if metric.direction == "higher" else -value


def _check(metric: Metric, target: Target, weights: Float64s) -> None:
    """On labels of many grades, rankings differ in value as the weights say; no false claim is passed on."""
    n = weights.size
    relevant = getattr(metric, "rel", 1)
    grades = [g for g in (relevant - 1, 0, relevant, 1, 3, 2) if _allowed(metric, target, [g] * n)]
    for step in (1, 2, 3):
        labels = [grades[i * (i + step) % len(grades)] for i in range(n)] if grades else []
        if not labels or not _allowed(metric, target, labels):
            continue
        worth = np.array([float(u) for u in target.of_labels(labels)])
        rankings = [list(range(n)), list(range(n))[::-1], sorted(range(n), key=lambda i: (i % 3, -i))]
        values = [_value(metric, [labels[i] for i in ranking]) for ranking in rankings]
        predicted = [float(weights @ worth[ranking]) for ranking in rankings]
        for k in (1, 2):
            gap = abs((values[k] - values[0]) - (predicted[k] - predicted[0]))
            if not gap <= 1e-9 * (1.0 + sum(map(abs, predicted))):
                raise ArgumentError(
                    f"{metric} claims to be positional with the target {target}, but on labels {labels[:20]} "
                    f"the rankings {rankings[0][:20]} and {rankings[k][:20]} differ by "
                    f"{values[0] - values[k]:.9g} where the rank weights say "
                    f"{predicted[0] - predicted[k]:.9g}."
                )
