"""rank-grade: how many items an item is at least as good as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.judged import Judged
from rankproof.metrics.zero_one import ZeroOne
from rankproof.targets.base import Target, fill, registered, sorted_labels, under

__all__ = ["RankGrade"]

_EXCHANGE = (
    "the metric is monotone, so an exchange of neighbours changes its mean by a sum of terms of one sign, "
    "that in which the law prefers one of the two (as in L12 Th. 2); u rises with the label, and so does E[u]"
)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class RankGrade(Target):
    r"""Place in the order of the labels, counted from the end.

    **Definition.** :math:`u_i = \#\{k: y_k \le y_i\}`; for a permutation that is :math:`n - y(i) + 1`. It
    standardises the 0/1 error under order-preserving laws of permutations, and every monotone metric under
    rank-differentiable laws.

    Examples
    --------
    >>> RankGrade().of_labels([2, 0, 0, 1])
    [4, 2, 2, 3]
    """

    name: ClassVar[str] = "rank-grade"
    summary: ClassVar[str] = "how many items the item is at least as good as"
    definition: ClassVar[str] = r"u_i = \#\{k: y_k \le y_i\}"
    reference: ClassVar[str] = "B11 section 5.4; Xia et al., ICML 2008"
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded", "permutation")
    general: ClassVar[bool] = True

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if isinstance(metric, Judged) or not metric.claims.value("monotone"):
            return ()
        general = under("rank-differentiable", _EXCHANGE)
        if not isinstance(metric, ZeroOne):
            return (general,)
        return (
            under("order-preserving", "B11 section 5.4; Xia et al. 2008, Th. 5", note="for permutations"),
            general,
        )

    @classmethod
    def for_metric(cls, metric: Metric) -> RankGrade | None:
        target = cls()
        return target if target.claims_for(metric) else None

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        return [sum(x <= y for x in labels) for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        from rankproof.kernels.targets.values import standings

        ideal = sorted_labels(labels, offsets)
        below = np.empty(labels.size)
        above = fill(offsets, lambda a, b, out: standings(labels, ideal, offsets, a, b, out, below))
        sizes = np.diff(offsets)
        return np.repeat(sizes.astype(np.float64), sizes) - above
