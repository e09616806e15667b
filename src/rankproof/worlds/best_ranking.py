"""The best ranking under a law of labels: by sorting the expected target, or by trying all.

>>> from rankproof.metrics.parse import metric
>>> support, probabilities = np.array([[5.0, 4.0], [1.0, 3.0]]), np.array([0.3, 0.7])
>>> best_ranking(metric("nDCG"), support, probabilities).order
array([1, 0])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, permutations
from typing import NamedTuple

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.worlds.metric_forms import MetricForm, Positional, Ranked, higher_is_better
from rankproof.worlds.metric_values import (
    check_domain,
    sorting_target,
    target_values,
    values_at,
    values_of_orders,
)

__all__ = ["Best", "best_ranking", "expected_value"]

MOST_ITEMS_BY_FORCE = 8
ROWS_AT_ONCE = 65_536


class Best(NamedTuple):
    """The best ranking of a query.

    Attributes
    ----------
    value : float
        Its expected value: the highest, or the lowest for a metric that is better when lower.
    order : array of int64
        Its items, best first.

    Examples
    --------
    >>> import rankproof as rp
    >>> rp.synthetic.LabelLaw([[0, 1]], [1]).best("P@1")
    Best(value=1.0, order=array([1, 0]))
    """

    value: float
    order: Int64s


def expected_value(metric: MetricForm, scores: Float64s, support: Float64s, probabilities: Float64s) -> float:
    """The mean value of ``scores`` over the label vectors of a law."""
    if isinstance(metric, Metric):
        check_domain(metric, support)
        return float(probabilities @ values_at(metric, scores, support))
    if isinstance(metric, Positional):
        return metric.at(scores, probabilities @ metric.targets(support))
    if isinstance(metric, Ranked):
        return float(probabilities @ metric.at(scores, support))
    return float(probabilities @ np.array([float(metric(scores, row)) for row in support]))


def best_ranking(metric: MetricForm, support: Float64s, probabilities: Float64s) -> Best:
    """The ranking of best expected value; among equals the first in lexicographic order."""
    items = support.shape[1]
    if isinstance(metric, Positional):
        targets = probabilities @ metric.targets(support)
        order = np.argsort(-targets, kind="stable")
        return Best(float(metric.discounts(items) @ targets[order]), order)
    if isinstance(metric, Metric):
        check_domain(metric, support)
        target = sorting_target(metric)
        if target is not None:
            order = np.argsort(-(probabilities @ target_values(target, support)), kind="stable")
            values = values_of_orders(metric, order[None, :], support)
            return Best(float(values[0] @ probabilities), order)
    return _by_force(metric, support, probabilities)


def _by_force(
    metric: Metric | Ranked | Callable[[Float64s, Float64s], float],
    support: Float64s,
    probabilities: Float64s,
) -> Best:
    items = support.shape[1]
    if items > MOST_ITEMS_BY_FORCE:
        way_out = (
            f"No target standardises {metric} under every law, so sorting does not find it either; take"
            if isinstance(metric, Metric)
            else "Give a Positional metric, or"
        )
        raise ArgumentError(
            f"The best ranking of {items} items is found by trying all, which is refused above "
            f"{MOST_ITEMS_BY_FORCE}. {way_out} a world with fewer items."
        )
    values: list[float] = []
    for orders in _chunks(items, max(1, ROWS_AT_ONCE // support.shape[0])):
        values.extend(_means_of_orders(metric, orders, support, probabilities))
    place = int(np.argmax(values) if higher_is_better(metric) else np.argmin(values))
    order = np.array(next(islice(permutations(range(items)), place, None)))
    return Best(values[place], order)


def _means_of_orders(
    metric: Metric | Ranked | Callable[[Float64s, Float64s], float],
    orders: Int64s,
    support: Float64s,
    probabilities: Float64s,
) -> list[float]:
    if isinstance(metric, Metric):
        return list((values_of_orders(metric, orders, support) @ probabilities).tolist())
    if isinstance(metric, Ranked):
        # labels[s, order] for all orders at once: (orders, label vectors, ranks).
        ranked = np.swapaxes(support[:, orders], 0, 1).reshape(-1, support.shape[1])
        return list((metric.rows(ranked).reshape(len(orders), -1) @ probabilities).tolist())
    scores = np.empty(orders.shape)
    np.put_along_axis(scores, orders, np.arange(support.shape[1], 0, -1.0)[None, :], axis=1)
    return [expected_value(metric, row, support, probabilities) for row in scores]


def _chunks(items: int, size: int) -> Iterator[Int64s]:
    orders = permutations(range(items))
    while chunk := list(islice(orders, size)):
        yield np.array(chunk, dtype=np.int64)
