"""F: the weighted harmonic mean of precision and recall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.hits import count_hits, hit_rows, hit_shares
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["F"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class F(Metric):
    r"""F measure: recall counts ``beta`` times as much as precision.

    **Definition.** :math:`F_\beta = (1 + \beta^2) P R / (\beta^2 P + R)`, and 0 when P and R are. Precision
    divides the hits by K (the cutoff, or the number of retrieved items), recall by the number R of relevant
    items, so that :math:`F_\beta = (1 + \beta^2)\, hits / (\beta^2 R + K)`: linear in the hits.
    **Domain**: any labels. **Empty**: no relevant item.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; the number of retrieved items without it.
    rel : float
        The lowest label of a relevant item.
    beta : float
        How many times as much as precision recall counts; above 0.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> F(cutoff=2).of_labels([1, 0, 1, 1])  # P = 1/2, R = 1/3: 2 x 1 / (3 + 2)
    Fraction(2, 5)
    """

    name: ClassVar[str] = "F"
    summary: ClassVar[str] = "weighted harmonic mean of precision and recall in the top K"
    definition: ClassVar[str] = r"\frac{(1 + \beta^2)\, \#\{k \le K: y_{(k)} \ge rel\}}{\beta^2 R + K}"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "van Rijsbergen, Information Retrieval, 2nd ed., 1979, chapter 7"

    cutoff: int | None = None
    rel: float = 1
    beta: float = 1

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "a harmonic mean of two shares"),
            Claim(
                "positional",
                value=True,
                reference="the definition: c_k = 1[k <= K], u_i = 1[y_i >= rel] (1+beta^2) / (beta^2 R + K)",
            ),
            Claim(
                "monotone", value=True, reference="only the relevance at K can change, and it can only rise"
            ),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        relevant = count_hits(labels, self.rel)
        if not relevant:
            return None
        square = Fraction(self.beta) ** 2
        places = len(labels) if self.cutoff is None else self.cutoff
        return (1 + square) * count_hits(labels, self.rel, self.cutoff) / (square * relevant + places)

    @property
    def _part_places(self) -> float:
        """Van Rijsbergen's alpha, 1 / (1 + beta^2): the weight of K beside R."""
        return 1.0 / (1.0 + float(self.beta) * float(self.beta))

    def per_query(self, lists: RankedLists) -> Float64s:
        return hit_shares(lists, self.rel, self.cutoff, 1.0 - self._part_places, self._part_places)

    def explain(self, lists: RankedLists) -> Explanation:
        rows, hits, relevant = hit_rows(lists, self.rel, self.cutoff, self.cutoff)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        places = int(lists.depth[0]) if self.cutoff is None else self.cutoff
        alpha = self._part_places
        divisor = (1.0 - alpha) * relevant + alpha * places
        value = hits / divisor
        steps = [
            f"P = {hits:g} hits / {places} places, R = {hits:g} hits / {relevant} relevant items",
            f"weight of precision: 1 / (1 + beta^2) = {alpha:.6g}, of recall: {1.0 - alpha:.6g}",
            f"{self} = {hits:g} / ({1.0 - alpha:.6g} x {relevant} + {alpha:.6g} x {places}) = {value:.6f}",
        ]
        return Explanation(("relevant", "hits"), rows, steps, value)
