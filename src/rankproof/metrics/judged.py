"""judged: the share of the top of a list that has a judgment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import NO_CUTOFF
from rankproof.metrics.ranked.ties import group_means

__all__ = ["Judged"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Metric):
    r"""Judged share: how far the other metrics rest on judgments rather than on assumptions.

    **Definition.** :math:`\mathrm{judged@K} = \#\{k \le K: y_{(k)} \text{ known}\} / \min(K, n)`, with n the
    number of retrieved items. With K or more retrieved items it is 1 - ``unj_K`` of trec_eval, which divides
    by K always. **Domain**: any labels; NaN is an item without a judgment (``unjudged`` has no other
    effect). **Empty**: nothing was retrieved.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks are looked at, K; all retrieved items without it.
    empty : "skip", 0, 1 or "error"
        What a query counts for which nothing was retrieved: it is left out of the mean, counts 0 or 1, or is
        an error.
    unjudged : "zero", "drop" or "error"
        Without effect: this metric itself looks at which items have a judgment.

    Examples
    --------
    >>> nan = float("nan")
    >>> Judged(cutoff=3).of_labels([1, nan, 0, nan])
    Fraction(2, 3)
    """

    name: ClassVar[str] = "judged"
    summary: ClassVar[str] = "share of the top K that has a judgment"
    definition: ClassVar[str] = r"\frac{\#\{k \le K: y_{(k)} \text{ known}\}}{\min(K, n)}"
    domain: ClassVar[str] = "any labels; NaN is an item without a judgment"
    reference: ClassVar[str] = "Soboroff, trec_eval 10 (unj), 2023; ir_measures (Judged)"
    empty_when: ClassVar[str] = "nothing was retrieved for it"
    sees_unjudged: ClassVar[bool] = True

    cutoff: int | None = None

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "a share"),
            Claim(
                "positional",
                value=True,
                reference="the definition: c_k = 1[k <= K] / min(K, n), u_i = 1[judged]",
            ),
            Claim("monotone", value=True, reference="exchanging two judged items changes nothing"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        top = labels if self.cutoff is None else labels[: self.cutoff]
        return Fraction(sum(y == y for y in top), len(top)) if top else None

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.judged import judged_share

        cutoff = NO_CUTOFF if self.cutoff is None else self.cutoff

        def kernel(low: int, high: int, out: Float64s) -> None:
            judged_share(lists.labels, lists.ends, lists.offsets, lists.depth, cutoff, low, high, out)

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        depth = int(lists.depth[0])
        places = depth if self.cutoff is None else min(depth, self.cutoff)
        if not places:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        rows: list[tuple[float, float]] = []
        total = 0.0
        for chance in group_means(lists, [float(y == y) for y in lists.labels.tolist()])[:places]:
            total += chance
            rows.append((chance, total))
        value = total / places
        return Explanation(("judged", "sum"), rows, [f"{self} = {total:g} / {places} = {value:.6f}"], value)
