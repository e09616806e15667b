"""P: precision, the share of relevant items among those shown."""

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

__all__ = ["P"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class P(Metric):
    r"""Precision.

    **Definition.** :math:`\mathrm{P@K} = \frac1K \#\{k \le K: y_{(k)} \ge rel\}`. It divides by K also when
    fewer items were retrieved; without a cutoff, by the number of retrieved items (and it is 0 when there
    are none). **Domain**: any labels. **Empty**: no relevant item.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; the number of retrieved items without it.
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> P(cutoff=4).of_labels([1, 0, 2])  # 2 hits / 4
    Fraction(1, 2)
    """

    name: ClassVar[str] = "P"
    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    summary: ClassVar[str] = "share of relevant items in the top K"
    definition: ClassVar[str] = r"\frac{1}{K} \#\{k \le K: y_{(k)} \ge rel\}"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Kent et al., American Documentation 6(2), 1955"

    cutoff: int | None = None
    rel: float = 1

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "a share"),
            Claim(
                "positional", value=True, reference="the definition: c_k = 1[k <= K], u_i = 1[y_i >= rel] / K"
            ),
            Claim(
                "monotone", value=True, reference="only the relevance at K can change, and it can only rise"
            ),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        if not count_hits(labels, self.rel):
            return None
        return Fraction(
            count_hits(labels, self.rel, self.cutoff), len(labels) if self.cutoff is None else self.cutoff
        )

    def per_query(self, lists: RankedLists) -> Float64s:
        return hit_shares(lists, self.rel, self.cutoff, 0.0, 1.0)

    def explain(self, lists: RankedLists) -> Explanation:
        rows, hits, relevant = hit_rows(lists, self.rel, self.cutoff, self.cutoff)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        places = int(lists.depth[0]) if self.cutoff is None else self.cutoff
        value = hits / places if places else 0.0
        steps = [f"{self} = {hits:g} hits / {places} places = {value:.6f}"]
        return Explanation(("relevant", "hits"), rows, steps, value)
