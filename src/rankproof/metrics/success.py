"""Success: whether the top has a relevant item at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.first_relevant import first_rank, first_relevant_values, first_row_chances
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["Success"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Success(Metric):
    r"""Success, also known as hit rate.

    **Definition.** :math:`\mathrm{Success@K} = 1` when :math:`y_{(k)} \ge rel` for some :math:`k \le K`, else
    0; without a cutoff, when any relevant item was retrieved. **Domain**: any labels. **Empty**: no relevant
    item.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; all retrieved items without it.
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> Success(cutoff=2).of_labels([0, 0, 1])
    0
    """

    name: ClassVar[str] = "Success"
    aliases: ClassVar[tuple[str, ...]] = ("HitRate",)
    summary: ClassVar[str] = "1 when a relevant item is in the top K"
    definition: ClassVar[str] = r"1[\exists k \le K: y_{(k)} \ge rel]"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Craswell & Hawking, TREC-13 Web Track, 2004"

    cutoff: int | None = None
    rel: float = 1

    @property
    def claims(self) -> Claims:
        if self.cutoff is None:
            positional = Claim("positional", value=True, reference="1 for every ranking of all items: c = 0")
        elif self.cutoff == 1:
            positional = Claim("positional", value=True, reference="Success@1 is P@1: c = (1, 0, ...)")
        else:
            positional = Claim(
                "positional",
                value=False,
                reference="K + 2 items, two relevant: a relevant item moved into the top adds 1 or 0, "
                "depending on where the other one is",
            )
        return Claims(
            Claim("range", (0.0, 1.0), "0 or 1, or a mean of these under ties"),
            Claim("best", 1.0, "a relevant item at rank 1"),
            positional,
            Claim("monotone", value=True, reference="no relevant item leaves the top but for another one"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        rank = first_rank(labels, self.rel)
        return None if rank is None else int(self.cutoff is None or rank <= self.cutoff)

    def per_query(self, lists: RankedLists) -> Float64s:
        return first_relevant_values(lists, self.rel, self.cutoff, reciprocal=False)

    def explain(self, lists: RankedLists) -> Explanation:
        chances, relevant = first_row_chances(lists, self.rel, self.cutoff)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        rows: list[tuple[float, float]] = []
        total = 0.0
        for chance in chances:
            total += chance
            rows.append((chance, total))
        return Explanation(("first here", "sum"), rows, [f"{self} = {total:.6f}"], total)
