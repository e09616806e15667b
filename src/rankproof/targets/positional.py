"""positional: the target of any metric that claims to be positional, read off the metric itself.

A positional metric has the value const(y) + sum_k c_k u_(item at k)(y), with c the same for all labels of a
length. Put item i first and item j last, then exchange the two: the value changes by (c_1 - c_n)(u_i -
u_j). So the metric itself tells u, up to a factor that no label changes and a number per query, and neither
matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.judged import Judged
from rankproof.metrics.parse import metric as metric_of
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.targets.base import Target, always

__all__ = ["PositionalTarget"]


@dataclass(frozen=True, kw_only=True, repr=False)
class PositionalTarget(Target):
    r"""What an item adds at the top rather than at the end.

    **Definition.** :math:`u_i = v(i, \ldots, 0) - v(0, \ldots, i)`, where v is the value of the metric for
    a ranking with these items first and last and the others between, in their order; then the smallest of
    them is taken off, so that u starts at 0. With a metric that is better when lower, the sign is turned.
    It standardises every positional metric. It costs 2n rankings of n items: a target of its own is
    quicker.

    Parameters
    ----------
    metric : Metric or str
        The metric to read the target off; it must claim to be positional.

    Examples
    --------
    >>> PositionalTarget(metric="P@1").of_labels([1, 0, 1])
    [Fraction(1, 1), Fraction(0, 1), Fraction(1, 1)]
    """

    name: ClassVar[str] = "positional"
    summary: ClassVar[str] = "what the item adds at the top rather than at the end, to any positional metric"
    definition: ClassVar[str] = r"u_i = v(i, \ldots, 0) - v(0, \ldots, i)"
    reference: ClassVar[str] = "an exchange of first and last changes the value by (c_1 - c_n)(u_i - u_j)"
    general: ClassVar[bool] = True

    metric: Metric

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric_of(self.metric))
        if not self.claims_for(self.metric):
            raise ArgumentError(
                f"Target positional needs a metric with the claim positional, got {self.metric}. "
                "Ask rankproof.targets.why_none for the reason."
            )

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if metric != self.metric or isinstance(metric, Judged) or not metric.claims.value("positional"):
            return ()
        note = "as far as c_k never rises (falls, when lower is better), which the claim monotone says"
        return (always(metric.claims["positional"].reference, note=note),)

    @classmethod
    def for_metric(cls, metric: Metric) -> PositionalTarget | None:
        fits = metric.claims.value("positional") and metric.claims.value("monotone")
        return cls(metric=metric) if fits and not isinstance(metric, Judged) else None

    def check(self, labels: Float64s) -> None:
        self.metric.check(labels)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        n = len(labels)
        if n < 2 or self.metric.of_labels(labels) is None:
            return [0] * n
        raised: list[Number] = [0]
        for i in range(1, n):
            front = [labels[j] for j in _order(n, i)]
            first = self.metric.of_labels(front) or 0
            last = self.metric.of_labels([front[-1], *front[1:-1], front[0]]) or 0
            raised.append(first - last if self.metric.direction == "higher" else last - first)
        return [value - min(raised) for value in raised]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        out = np.zeros(labels.size)
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            if b - a > 1:
                out[a:b] = self._of_query(labels[a:b])
        return out

    def _of_query(self, labels: Float64s) -> Float64s:
        n = labels.size
        ranked = np.empty((2, n - 1, n))
        for i in range(1, n):
            ranked[0, i - 1] = labels[_order(n, i)]
        ranked[1] = ranked[0]
        ranked[1, :, 0], ranked[1, :, -1] = ranked[0, :, -1], ranked[0, :, 0]
        lists = RankedLists.from_ranked(ranked.reshape(-1, n))
        first, last = self.metric.per_query(lists).reshape(2, n - 1)
        raised = np.zeros(n)
        raised[1:] = first - last if self.metric.direction == "higher" else last - first
        return np.zeros(n) if np.isnan(raised).any() else raised - raised.min()

    def __str__(self) -> str:
        return f"{self.name}:{self.metric}"

    __repr__ = __str__


def _order(n: int, first: int) -> list[int]:
    """Item ``first``, the others in their order, item 0 last."""
    return [first, *(j for j in range(1, n) if j != first), 0]
