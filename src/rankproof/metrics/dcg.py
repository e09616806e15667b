"""DCG: discounted cumulative gain."""

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
    gain_of,
)
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["DCG"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class DCG(Metric):
    r"""Discounted cumulative gain.

    **Definition.** :math:`\mathrm{DCG@K} = \sum_{k=1}^{K} d(k)\, g(y_{(k)})`, with :math:`g(y) = 2^y - 1`
    and :math:`d(k) = 1/\log_2(1 + k)` unless said otherwise. **Domain**: any labels; a negative grade is
    worth 0. **Empty**: no item with a positive gain.

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
    >>> DCG(cutoff=2).of_labels([1, 2, 5])  # 1 + 3 / log2(3)
    2.89278926...
    """

    name: ClassVar[str] = "DCG"
    summary: ClassVar[str] = "discounted cumulative gain"
    definition: ClassVar[str] = r"\sum_{k=1}^{K} d(k)\, g(y_{(k)})"
    domain: ClassVar[str] = "any labels; a negative grade is worth 0"
    reference: ClassVar[str] = "Järvelin & Kekäläinen, ACM TOIS 20(4), 2002; Burges et al., ICML 2005"

    cutoff: int | None = None
    gain: Gain = "exp"
    discount: Discount = "log2"

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, None), "gains and discounts are not negative"),
            Claim("positional", value=True, reference="the definition: c_k = d(k), u_i = g(y_i)"),
            Claim("monotone", value=True, reference="exchange of neighbours: (d(k)-d(k+1))(g(a)-g(b)) >= 0"),
        )

    def check(self, labels: Float64s) -> None:
        check_gain(str(self), self.gain, labels)

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        if not any(gain_of(self.gain, y) > 0 for y in labels):
            return None
        return discounted_sum(labels, self.gain, self.discount, self.cutoff)

    def per_query(self, lists: RankedLists) -> Float64s:
        return discounted_values(lists, self.gain, self.discount, self.cutoff, normalised=False)

    def explain(self, lists: RankedLists) -> Explanation:
        if not any(gain_of(self.gain, y) > 0 for y in lists.labels.tolist()):
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], float("nan"))
        rows, total = discounted_rows(lists, self.gain, self.discount, self.cutoff)
        return Explanation(("gain", "discount", "adds", "sum"), rows, [f"{self} = {total:.6f}"], total)
