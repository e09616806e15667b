"""RR: reciprocal rank, one divided by the rank of the first relevant item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.first_relevant import first_rank, first_relevant_values, first_row_chances
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["RR"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class RR(Metric):
    r"""Reciprocal rank; its mean over queries is known as MRR.

    **Definition.** :math:`\mathrm{RR@K} = 1/k` for the smallest :math:`k \le K` with
    :math:`y_{(k)} \ge rel`, 0 when there is none. **Domain**: any labels. **Empty**: no relevant item.

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
    >>> RR().of_labels([0, 0, 1, 1])
    Fraction(1, 3)
    """

    name: ClassVar[str] = "RR"
    aliases: ClassVar[tuple[str, ...]] = ("MRR",)
    summary: ClassVar[str] = "1 / rank of the first relevant item"
    definition: ClassVar[str] = r"\max_{k \le K,\ y_{(k)} \ge rel} \frac{1}{k}"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Kantor & Voorhees, Information Retrieval 2(2), 2000"

    cutoff: int | None = None
    rel: float = 1

    @property
    def claims(self) -> Claims:
        if self.cutoff == 1:
            positional = Claim("positional", value=True, reference="RR@1 is P@1: c = (1, 0, ...)")
        else:
            positional = Claim(
                "positional",
                value=False,
                reference="three items, y = 110: exchanging items 2 and 3 behind item 1 changes nothing, "
                "before item 1 it does",
            )
        return Claims(
            Claim("range", (0.0, 1.0), "1 / rank, or 0"),
            Claim("best", 1.0, "a relevant item at rank 1"),
            positional,
            Claim("monotone", value=True, reference="no relevant item moves down but behind another one"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        rank = first_rank(labels, self.rel)
        if rank is None:
            return None
        return Fraction(1, rank) if self.cutoff is None or rank <= self.cutoff else Fraction(0)

    def per_query(self, lists: RankedLists) -> Float64s:
        return first_relevant_values(lists, self.rel, self.cutoff, reciprocal=True)

    def explain(self, lists: RankedLists) -> Explanation:
        chances, relevant = first_row_chances(lists, self.rel, self.cutoff)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        rows: list[tuple[float, float, float, float]] = []
        total = 0.0
        for k, chance in enumerate(chances, start=1):
            total += chance / k
            rows.append((chance, 1 / k, chance / k, total))
        return Explanation(("first here", "1/rank", "adds", "sum"), rows, [f"{self} = {total:.6f}"], total)
