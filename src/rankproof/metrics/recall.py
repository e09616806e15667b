"""R: recall, the share of the relevant items that were shown."""

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

__all__ = ["R"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class R(Metric):
    r"""Recall.

    **Definition.** :math:`\mathrm{R@K} = \frac1R \#\{k \le K: y_{(k)} \ge rel\}`, with :math:`R` the number
    of relevant items of the query, those not retrieved included. **Domain**: any labels. **Empty**: no
    relevant item.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; all of them without it.
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> R(cutoff=2).of_labels([1, 0, 2, 1])  # 1 hit / 3 relevant items
    Fraction(1, 3)
    """

    name: ClassVar[str] = "R"
    aliases: ClassVar[tuple[str, ...]] = ("Recall",)
    summary: ClassVar[str] = "share of the relevant items that are in the top K"
    definition: ClassVar[str] = r"\frac{1}{R} \#\{k \le K: y_{(k)} \ge rel\}"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Kent et al., American Documentation 6(2), 1955"

    cutoff: int | None = None
    rel: float = 1

    @property
    def claims(self) -> Claims:
        # A list cut at K < R cannot reach 1.
        best = (Claim("best", 1.0, "a ranking of all items has all relevant ones"),)
        return Claims(
            Claim("range", (0.0, 1.0), "a share"),
            *(best if self.cutoff is None else ()),
            Claim(
                "positional", value=True, reference="the definition: c_k = 1[k <= K], u_i = 1[y_i >= rel] / R"
            ),
            Claim(
                "monotone", value=True, reference="only the relevance at K can change, and it can only rise"
            ),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        relevant = count_hits(labels, self.rel)
        return Fraction(count_hits(labels, self.rel, self.cutoff), relevant) if relevant else None

    def per_query(self, lists: RankedLists) -> Float64s:
        return hit_shares(lists, self.rel, self.cutoff, 1.0, 0.0)

    def explain(self, lists: RankedLists) -> Explanation:
        rows, hits, relevant = hit_rows(lists, self.rel, self.cutoff, self.cutoff)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        value = hits / relevant
        steps = [f"{self} = {hits:g} hits / {relevant} relevant items = {value:.6f}"]
        return Explanation(("relevant", "hits"), rows, steps, value)
