"""Rprec: R-precision, precision at the rank that is the number of relevant items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.hits import AS_MANY_AS_RELEVANT, count_hits, hit_rows, hit_shares
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import relevant_in

__all__ = ["Rprec"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Rprec(Metric):
    r"""R-precision.

    **Definition.** :math:`\mathrm{Rprec} = \frac1R \#\{k \le R: y_{(k)} \ge rel\}`, with :math:`R` the number
    of relevant items: the rank at which precision and recall are equal. **Domain**: any labels. **Empty**:
    no relevant item.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> Rprec().of_labels([1, 0, 0, 1])  # R = 2: 1 hit in the top 2
    Fraction(1, 2)
    """

    name: ClassVar[str] = "Rprec"
    aliases: ClassVar[tuple[str, ...]] = ("R-precision",)
    summary: ClassVar[str] = "precision at the number of relevant items"
    definition: ClassVar[str] = r"\frac{1}{R} \#\{k \le R: y_{(k)} \ge rel\}"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Buckley & Voorhees, TREC: Experiment and Evaluation, 2005"

    rel: float = 1

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "a share"),
            Claim("best", 1.0, "the R relevant items in the top R"),
            Claim(
                "positional",
                value=False,
                reference="three items: with y = 100 ranks 2 and 3 count alike, with y = 110 they do not",
            ),
            Claim(
                "monotone", value=True, reference="only the relevance at R can change, and it can only rise"
            ),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        relevant = count_hits(labels, self.rel)
        return Fraction(count_hits(labels, self.rel, relevant), relevant) if relevant else None

    def per_query(self, lists: RankedLists) -> Float64s:
        return hit_shares(lists, self.rel, AS_MANY_AS_RELEVANT, 1.0, 0.0)

    def explain(self, lists: RankedLists) -> Explanation:
        top = relevant_in(lists, self.rel)[1]
        if not top:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        rows, hits, relevant = hit_rows(lists, self.rel, top, None)
        value = hits / relevant
        steps = [
            f"relevant items: {relevant}, so hits count in the top {relevant}",
            f"{self} = {hits:g} hits / {relevant} = {value:.6f}",
        ]
        return Explanation(("relevant", "hits"), rows, steps, value)
