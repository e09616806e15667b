"""relevance-share: the relevant items of a query share 1 evenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.ap import AP
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.hits import count_hits
from rankproof.metrics.recall import R
from rankproof.targets.base import Target, always, registered
from rankproof.targets.binary import conditional, shares
from rankproof.targets.count_form import CountForm, relevant_counts

__all__ = ["RelevanceShare"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class RelevanceShare(Target):
    r"""Share of the query's relevance.

    **Definition.** :math:`u_i = 1[y_i \ge rel] / R`, with R the number of relevant items of the query; 0 when
    there is none. It standardises recall at any cutoff, and AP@1.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant item.

    Examples
    --------
    >>> RelevanceShare().of_labels([1, 0, 1])
    [Fraction(1, 2), 0, Fraction(1, 2)]
    """

    name: ClassVar[str] = "relevance-share"
    summary: ClassVar[str] = "1 / (number of relevant items) for a relevant item, 0 for another"
    definition: ClassVar[str] = r"u_i = 1[y_i \ge rel] / R"
    reference: ClassVar[str] = "the definition of recall; B11 section 5"
    made_for: ClassVar[tuple[type[Metric], ...]] = (AP, R)

    rel: float = 1

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        same = getattr(metric, "rel", None) == self.rel
        claims: tuple[Claim, ...] = ()
        if same and isinstance(metric, R):
            claims = (always(metric.claims["positional"].reference),)
        elif same and isinstance(metric, AP) and metric.cutoff == 1 and metric.denominator == "relevant":
            claims = (always("AP@1 = 1[first item relevant] / R: c = (1, 0, ...)"),)
        return (*claims, *conditional(metric, self.rel))

    @classmethod
    def for_metric(cls, metric: Metric) -> RelevanceShare | None:
        first = isinstance(metric, AP) and metric.cutoff == 1 and metric.denominator == "relevant"
        return cls(rel=metric.rel) if isinstance(metric, R) or first else None  # type: ignore[attr-defined]

    def count_form(self, grades: Float64s) -> CountForm:
        return relevant_counts(grades, float(self.rel), lambda relevant, _: relevant, by_items=False)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        relevant = count_hits(labels, self.rel)
        return [Fraction(1, relevant) if y >= self.rel else 0 for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        return shares(labels, offsets, self.rel, per_relevant=1.0)
