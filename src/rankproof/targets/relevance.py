"""relevance: 1 for a relevant item, 0 for another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.ap import AP
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.bpref import Bpref
from rankproof.metrics.pd import PD
from rankproof.metrics.precision import P
from rankproof.metrics.rbp import RBP
from rankproof.metrics.rprec import Rprec
from rankproof.metrics.rr import RR
from rankproof.metrics.success import Success
from rankproof.metrics.wpdl import WPDL
from rankproof.targets.base import Target, alone, always, registered, under
from rankproof.targets.binary import conditional, same_for_all, shares
from rankproof.targets.count_form import CountForm

__all__ = ["Relevance"]

_FIRST = "the value is the relevance of the first item: c = (1, 0, ...), u_i = 1[y_i >= rel]"


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Relevance(Target):
    r"""Relevance of an item.

    **Definition.** :math:`u_i = 1[y_i \ge rel]`. It standardises P@K, RBP, and at cutoff 1 also Success and
    RR; AP, RR, Success, Rprec, bpref and the other metrics of binary relevance under a condition (see
    `rankproof.targets.binary`); the number of pairs in the wrong order when labels are binary.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant item.

    Examples
    --------
    >>> Relevance(rel=2).of_labels([3, 0, 1, 2])
    [1, 0, 0, 1]
    """

    name: ClassVar[str] = "relevance"
    summary: ClassVar[str] = "1 for a relevant item, 0 for another"
    definition: ClassVar[str] = r"u_i = 1[y_i \ge rel]"
    reference: ClassVar[str] = "Robertson, Journal of Documentation 33(4), 1977; B11 section 5"
    made_for: ClassVar[tuple[type[Metric], ...]] = (AP, Bpref, P, RBP, RR, Rprec, Success)

    rel: float = 1

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        claim = self._always(metric)
        return (*((claim,) if claim else ()), *conditional(metric, self.rel), *self._on_pairs(metric))

    def _always(self, metric: Metric) -> Claim | None:
        if getattr(metric, "rel", None) != self.rel:
            return None
        if isinstance(metric, (P, RBP)) and not (isinstance(metric, P) and metric.cutoff is None):
            return always(metric.claims["positional"].reference)
        if isinstance(metric, (RR, Success)) and metric.cutoff == 1:
            return always(_FIRST)
        if isinstance(metric, AP) and metric.cutoff == 1 and metric.denominator == "min":
            return always(_FIRST)
        return same_for_all(metric)

    def _on_pairs(self, metric: Metric) -> tuple[Claim, ...]:
        counts = isinstance(metric, PD) or (isinstance(metric, WPDL) and metric.weight == "one")
        if not counts or metric.normalize or not 0 < self.rel <= 1:  # type: ignore[attr-defined]
            return ()
        why = "R relevant items lose (sum of their ranks) - R(R+1)/2 pairs: c_k = k, u_i = y_i"
        return (under("binary", why),)

    @classmethod
    def for_metric(cls, metric: Metric) -> Relevance | None:
        if not isinstance(metric, (AP, Bpref, P, RBP, RR, Rprec, Success)):
            return None
        # At cutoff 1, the divisor R of AP is not the same for all labels: a share, not an indicator.
        divided = isinstance(metric, AP) and metric.cutoff == 1 and metric.denominator == "relevant"
        return None if divided else cls(rel=metric.rel)

    def count_form(self, grades: Float64s) -> CountForm:
        return alone(self, grades)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        return [int(y >= self.rel) for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        return shares(labels, offsets, self.rel, constant=1.0)
