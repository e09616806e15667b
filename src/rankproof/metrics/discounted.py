"""What DCG and nDCG share: the discounted sum of gains, on one ranking and on tied lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.arrays import Float64s
from rankproof.metrics.base import Number
from rankproof.metrics.discounts import Discount, discount_of, discount_table
from rankproof.metrics.gains import Gain, gain_of, gain_table
from rankproof.metrics.lists import RankedLists
from rankproof.metrics.ties import group_means

__all__ = ["discounted_rows", "discounted_sum", "discounted_values"]


def discounted_sum(labels: Sequence[Any], gain: Gain, discount: Discount, cutoff: int | None) -> Number:
    """The definition on one strict ranking."""
    seen = labels if cutoff is None else labels[:cutoff]
    return sum(discount_of(discount, k) * gain_of(gain, y) for k, y in enumerate(seen, start=1))


def discounted_values(
    lists: RankedLists, gain: Gain, discount: Discount, cutoff: int | None, *, normalised: bool
) -> Float64s:
    """The closed form on tied lists, for every query."""
    from rankproof.kernels.dcg import dcg

    table, formula = gain_table(gain)
    weights, running = discount_table(discount, lists.longest, cutoff)
    ideal = lists.ideal

    def kernel(low: int, high: int, out: Float64s) -> None:
        dcg(
            *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
            *(table, formula, weights, running, normalised, low, high, out),
        )

    return lists.values(kernel)


def discounted_rows(
    lists: RankedLists, gain: Gain, discount: Discount, cutoff: int | None
) -> tuple[list[tuple[float, float, float, float]], float]:
    """Per ranked place: mean gain of its tie group, discount, what it adds, the sum so far; and the sum."""
    gains = group_means(lists, [float(gain_of(gain, y)) for y in lists.labels.tolist()])
    rows: list[tuple[float, float, float, float]] = []
    total = 0.0
    depth = int(lists.depth[0])
    for k in range(1, (depth if cutoff is None else min(depth, cutoff)) + 1):
        weight = float(discount_of(discount, k))
        total += weight * gains[k - 1]
        rows.append((gains[k - 1], weight, weight * gains[k - 1], total))
    return rows, total
