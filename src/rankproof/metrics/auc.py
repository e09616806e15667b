"""AUC: the share of pairs of a relevant and another item that stand in the right order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.pairwise import pair_rows
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["AUC"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class AUC(Metric):
    r"""Area under the ROC curve of one query.

    **Definition.** The share of pairs (i relevant, j not relevant) with i above j; a tied pair counts 1/2.
    It is 1 minus the normalised pairwise disagreement of the labels 1[y >= rel]. **Domain**: any labels;
    relevant means y >= rel. **Empty**: no relevant item, or no other item.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item or no other one: it is left out of the mean, counts 0 or
        1, or is an error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> AUC().of_labels([1, 0, 1, 0])  # 3 of 2 x 2 pairs
    Fraction(3, 4)
    """

    name: ClassVar[str] = "AUC"
    aliases: ClassVar[tuple[str, ...]] = ("ROC-AUC",)
    summary: ClassVar[str] = "share of (relevant, not relevant) pairs in the right order"
    definition: ClassVar[str] = r"\frac{1}{R (n - R)} \sum_{y_i \ge rel > y_j} 1[i \text{ above } j]"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Hanley & McNeil, Radiology 143(1), 1982"
    empty_when: ClassVar[str] = "it has no relevant item, or no other"

    rel: float = 1

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "a share of pairs"),
            Claim("best", 1.0, "sorted by label, every relevant item is above every other"),
            Claim(
                "positional",
                value=True,
                reference="the relevant items lose (sum of their ranks) - R(R+1)/2 pairs: "
                "c_k = -k, u_i = 1[y_i >= rel] / (R (n - R))",
            ),
            Claim("monotone", value=True, reference="an exchange of neighbours changes their own pair alone"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        flags = [y >= self.rel for y in labels]
        relevant = sum(flags)
        pairs = relevant * (len(flags) - relevant)
        if not pairs:
            return None
        right = sum(flags[k + 1 :].count(False) for k, flag in enumerate(flags) if flag)
        return Fraction(right, pairs)

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.rank_sums import area_under_curve

        def kernel(low: int, high: int, out: Float64s) -> None:
            area_under_curve(
                lists.labels, lists.ends, lists.offsets, lists.depth, float(self.rel), low, high, out
            )

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        flags = [float(y >= self.rel) for y in lists.labels.tolist()]
        rows, rest, pairs = pair_rows(lists, flags, lambda better, worse: better - worse, 0.5)
        if not pairs:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        lost = (rows[-1][-1] if rows else 0.0) + rest
        relevant = int(sum(flags))
        steps = [f"pairs: {relevant} relevant x {len(flags) - relevant} other = {pairs:g}"]
        if rest:
            steps.append(f"relevant items that were not retrieved lose {rest:g} pairs more")
        value = (pairs - lost) / pairs
        steps.append(f"{self} = ({pairs:g} - {lost:g}) / {pairs:g} = {value:.6f}")
        return Explanation(("relevant", "above", "tied", "adds", "sum"), rows, steps, value)
