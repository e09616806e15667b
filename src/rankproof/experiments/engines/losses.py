"""What orders of items lose under a law, exactly, ties included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankproof.experiments.engines.runs import Order
from rankproof.feedback import Law
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.risk import best_rankings, expected_values, table_of
from rankproof.theory.base.values import Ranking, ValueTable

__all__ = ["RankingValues"]


@dataclass(frozen=True)
class RankingValues:
    """The mean value of every ranking under a law in gain form, and the best rankings.

    Attributes
    ----------
    means : more is better: minus the value of a metric of which less is better
    best : the rankings of the largest mean
    direction : of the metric
    """

    means: Mapping[Ranking, Fraction]
    best: tuple[Ranking, ...]
    direction: str = "higher"

    @classmethod
    def from_law(cls, metric: Any, law: Law) -> RankingValues:
        """Of a metric under a law, in fractions."""
        return cls.from_table(table_of(metric, law), law)

    @classmethod
    def from_table(cls, table: ValueTable, law: Law) -> RankingValues:
        """Of the values of a metric on the law's labels."""
        means = dict(zip(table.rankings, expected_values(table, law.probabilities), strict=True))
        return cls(means, best_rankings(table, law.probabilities), table.metric.direction)

    @property
    def best_value(self) -> Fraction:
        """The mean value of the best rankings, by the metric itself."""
        value = max(self.means.values())
        return value if self.direction == "higher" else -value

    def lost(self, order: Order) -> float:
        """What an order loses: the mean over the rankings that it allows; exactly 0 where all are best.

        >>> RankingValues.from_law("P@1", Law({(1, 0): "3/4", (0, 1): "1/4"})).lost(((0, 1),))
        0.25
        """
        place = {item: -k for k, group in enumerate(order) for item in group}
        allowed = list(sorting_rankings([place[item] for item in range(len(place))]))
        if set(allowed) <= set(self.best):
            return 0.0
        mean = sum((self.means[ranking] for ranking in allowed), Fraction(0)) / len(allowed)
        return float(max(self.means.values()) - mean)

    def losses(self, orders: Iterable[Order]) -> dict[Order, float]:
        """What each of the orders loses."""
        return {order: self.lost(order) for order in dict.fromkeys(orders)}
