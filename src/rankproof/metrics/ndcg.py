"""nDCG: discounted cumulative gain, divided by that of the best ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.discounted import (
    Discount,
    Gain,
    check_gain,
    discounted_rows,
    discounted_sum,
    discounted_values,
)
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["NDCG"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class NDCG(Metric):
    r"""Normalised discounted cumulative gain.

    **Definition.** :math:`\mathrm{nDCG@K} = \mathrm{DCG@K} / \max_\pi \mathrm{DCG@K}(\pi)`: the maximum is
    over all rankings of the query's judged items, at the same cutoff. **Domain**: any labels; a negative
    grade is worth 0. **Empty**: no item with a positive gain.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; all of them without it.
    gain : "exp", "linear" or a table
        What a grade is worth: ``2**y - 1``, ``y`` itself, or a table (``gain=[0,1,5]``: the worth of the
        grades 0, 1, 2, ...) that never falls. A grade below 0 is worth 0.
    discount : "log2", "letor", "ln", "reciprocal" or a table
        What rank k counts: ``1 / log2(1 + k)``; 1 at ranks 1 and 2 and ``1 / log2(k)`` below, as in the
        scripts of LETOR and MSLR; ``1 / ln(1 + k)``; ``1 / k``; or a table (``discount=[1,0.5]``: ranks 1, 2,
        ...) that never rises, with 0 for all ranks beyond it.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no item of positive gain: it is left out of the mean, counts 0 or 1, or
        is an error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> NDCG(cutoff=1).of_labels([1, 2])  # (2^1 - 1) / (2^2 - 1)
    0.3333333...
    """

    name: ClassVar[str] = "nDCG"
    summary: ClassVar[str] = "DCG divided by the DCG of the best ranking"
    definition: ClassVar[str] = r"\mathrm{DCG@K} \,/\, \max_\pi \mathrm{DCG@K}(\pi)"
    domain: ClassVar[str] = "any labels; a negative grade is worth 0"
    reference: ClassVar[str] = "Järvelin & Kekäläinen, ACM TOIS 20(4), 2002; Burges et al., ICML 2005"

    cutoff: int | None = None
    gain: Gain = "exp"
    discount: Discount = "log2"

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "a part of its own maximum"),
            Claim("best", 1.0, "the maximum divided by itself"),
            Claim("positional", value=True, reference="R11 section 2: c_k = d(k), u_i = g(y_i) / max DCG"),
            Claim("monotone", value=True, reference="exchange of neighbours: (d(k)-d(k+1))(g(a)-g(b)) >= 0"),
        )

    def check(self, labels: Float64s) -> None:
        check_gain(str(self), self.gain, labels)

    def _best(self, labels: Sequence[Any]) -> Number:
        return discounted_sum(sorted(labels, reverse=True), self.gain, self.discount, self.cutoff)

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        best = self._best(labels)
        return discounted_sum(labels, self.gain, self.discount, self.cutoff) / best if best > 0 else None

    def per_query(self, lists: RankedLists) -> Float64s:
        return discounted_values(lists, self.gain, self.discount, self.cutoff, normalised=True)

    def explain(self, lists: RankedLists) -> Explanation:
        rows, total = discounted_rows(lists, self.gain, self.discount, self.cutoff)
        best = float(self._best(lists.labels.tolist()))
        value = total / best if best > 0 else float("nan")
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        steps = [
            f"DCG{at} = {total:.6f}",
            f"best DCG{at} = {best:.6f}",
            f"{self} = {total:.6f} / {best:.6f} = {value:.6f}",
        ]
        return Explanation(("gain", "discount", "adds", "sum"), rows, steps, value)
