"""pair-share: what a relevant item gains for every item it passes, as a share of its query's pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.auc import AUC
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.hits import count_hits
from rankproof.metrics.pd import PD
from rankproof.metrics.wpdl import WPDL
from rankproof.targets.base import Target, always, registered, under
from rankproof.targets.binary import conditional, shares
from rankproof.targets.count_form import CountForm, relevant_counts

__all__ = ["PairShare"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class PairShare(Target):
    r"""Share of the pairs of a relevant and another item.

    **Definition.** :math:`u_i = 1[y_i \ge rel] / (R (n - R))`; 0 when there is no such pair. It standardises
    AUC, and the share of pairs in the wrong order when labels are binary.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant item.

    Examples
    --------
    >>> PairShare().of_labels([1, 0, 1, 0])
    [Fraction(1, 4), 0, Fraction(1, 4), 0]
    """

    name: ClassVar[str] = "pair-share"
    summary: ClassVar[str] = "1 / (relevant x other items) for a relevant item, 0 for another"
    definition: ClassVar[str] = r"u_i = 1[y_i \ge rel] / (R (n - R))"
    reference: ClassVar[str] = "AUC = const(y) - sum over relevant items of rank / (R (n - R))"
    made_for: ClassVar[tuple[type[Metric], ...]] = (AUC,)

    rel: float = 1

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if isinstance(metric, AUC) and metric.rel == self.rel:
            claim = always(metric.claims["positional"].reference)
            return (claim, *conditional(metric, self.rel))
        counts = isinstance(metric, PD) or (isinstance(metric, WPDL) and metric.weight == "one")
        if counts and metric.normalize and 0 < self.rel <= 1:  # type: ignore[attr-defined]
            return (under("binary", "on binary labels the share of pairs lost is 1 - AUC"),)
        return conditional(metric, self.rel)

    @classmethod
    def for_metric(cls, metric: Metric) -> PairShare | None:
        return cls(rel=metric.rel) if isinstance(metric, AUC) else None

    def count_form(self, grades: Float64s) -> CountForm:
        return relevant_counts(
            grades, float(self.rel), lambda relevant, items: relevant * (items - relevant), by_items=True
        )

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        relevant = count_hits(labels, self.rel)
        pairs = relevant * (len(labels) - relevant)
        return [Fraction(1, pairs) if pairs and y >= self.rel else 0 for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        return shares(labels, offsets, self.rel, pairs=True)
