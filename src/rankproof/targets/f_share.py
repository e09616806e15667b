"""f-share: what one hit adds to the F measure of its query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.f import F
from rankproof.metrics.hits import count_hits
from rankproof.targets.base import Target, always, registered
from rankproof.targets.binary import conditional, same_for_all, shares
from rankproof.targets.count_form import CountForm, relevant_counts

__all__ = ["FShare"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class FShare(Target):
    r"""Share of a hit in the F measure.

    **Definition.** :math:`u_i = 1[y_i \ge rel] / (\beta^2 R + K)`, with R the number of relevant items of the
    query and K the cutoff (its number of items without one). It standardises F at the same cutoff.

    Parameters
    ----------
    cutoff : int, optional
        The K of the F measure that is aimed at; the number of items without it.
    rel : float
        The lowest label of a relevant item.
    beta : float
        How many times as much as precision recall counts; above 0.

    Examples
    --------
    >>> FShare(cutoff=2).of_labels([1, 0, 1, 1])  # 1 / (3 + 2)
    [Fraction(1, 5), 0, Fraction(1, 5), Fraction(1, 5)]
    """

    name: ClassVar[str] = "f-share"
    summary: ClassVar[str] = "1 / (beta^2 R + K) for a relevant item, 0 for another"
    definition: ClassVar[str] = r"u_i = 1[y_i \ge rel] / (\beta^2 R + K)"
    reference: ClassVar[str] = "the definition of F: (1 + beta^2) hits / (beta^2 R + K)"
    made_for: ClassVar[tuple[type[Metric], ...]] = (F,)

    cutoff: int | None = None
    rel: float = 1
    beta: float = 1

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        claim: Claim | None = None
        if isinstance(metric, F) and metric.rel == self.rel:
            claim = same_for_all(metric)
            if claim is None and (metric.cutoff, metric.beta) == (self.cutoff, self.beta):
                claim = always(metric.claims["positional"].reference)
        return (*((claim,) if claim else ()), *conditional(metric, self.rel))

    @classmethod
    def for_metric(cls, metric: Metric) -> FShare | None:
        if not isinstance(metric, F):
            return None
        return cls(cutoff=metric.cutoff, rel=metric.rel, beta=metric.beta)

    def count_form(self, grades: Float64s) -> CountForm:
        square, cutoff = float(self.beta) * float(self.beta), self.cutoff

        def divisor(relevant: Float64s, items: int) -> Float64s:
            return square * relevant + (items if cutoff is None else cutoff)

        return relevant_counts(grades, float(self.rel), divisor, by_items=cutoff is None)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        places = len(labels) if self.cutoff is None else self.cutoff
        divisor = Fraction(self.beta) ** 2 * count_hits(labels, self.rel) + places
        return [1 / divisor if y >= self.rel else 0 for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        square = float(self.beta) * float(self.beta)
        per_item, constant = (1.0, 0.0) if self.cutoff is None else (0.0, float(self.cutoff))
        return shares(
            *(labels, offsets, self.rel),
            per_relevant=square,
            per_item=per_item,
            constant=constant,
        )
