"""RBP: rank-biased precision, for a reader who goes on to the next item with probability p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import relevant_in
from rankproof.metrics.ranked.ties import group_means

__all__ = ["PERSISTENCE", "RBP"]

# The middle one of the values that Moffat & Zobel study (0.5, 0.8, 0.95).
PERSISTENCE = 0.8


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Metric):
    r"""Rank-biased precision with binary relevance.

    **Definition.** :math:`\mathrm{RBP@K} = (1 - p) \sum_{k \le K} p^{k-1}\, 1[y_{(k)} \ge rel]`: what a
    reader finds per item read, who goes on to the next item with probability ``p``. **Domain**: any labels.
    **Empty**: no relevant item.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; all of them without it.
    p : float, optional
        The chance that a reader goes on to the next item; between 0 and 1. Without it 0.8, and under a
        convention what the tool has: 0.9 in trec_eval.
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> RBP(p=0.5).of_labels([1, 0, 1])  # 1/2 (1 + 1/4)
    Fraction(5, 8)
    """

    name: ClassVar[str] = "RBP"
    summary: ClassVar[str] = "relevant items met per item read, by a reader who goes on with probability p"
    definition: ClassVar[str] = r"(1 - p) \sum_{k \le K} p^{k-1}\, 1[y_{(k)} \ge rel]"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Moffat & Zobel, ACM TOIS 27(1), 2008"

    cutoff: int | None = None
    p: float | None = None
    rel: float = 1

    @property
    def persistence(self) -> float:
        """``p``, or what it is when it is not given."""
        return PERSISTENCE if self.p is None else self.p

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "(1 - p) times a part of the geometric series"),
            Claim(
                "positional",
                value=True,
                reference="the definition: c_k = (1 - p) p^(k-1), u_i = 1[y_i >= rel]",
            ),
            Claim(
                "monotone", value=True, reference="exchange of neighbours: (c_k - c_(k+1)) (u_a - u_b) >= 0"
            ),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        if not any(y >= self.rel for y in labels):
            return None
        p, weight, total = Fraction(self.persistence), Fraction(1), Fraction(0)
        for y in labels if self.cutoff is None else labels[: self.cutoff]:
            total += weight if y >= self.rel else 0
            weight *= p
        return (1 - p) * total

    def _weights(self, ranks: int) -> Float64s:
        count = ranks if self.cutoff is None else min(ranks, self.cutoff)
        # Far down the weights fall below the smallest number there is: 0 then, as it should be.
        with np.errstate(under="ignore"):
            return (1.0 - self.persistence) * float(self.persistence) ** np.arange(float(count))

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.rbp import rank_biased_precision

        ideal, weights = lists.ideal, self._weights(lists.longest)

        def kernel(low: int, high: int, out: Float64s) -> None:
            rank_biased_precision(
                *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
                *(float(self.rel), weights, low, high, out),
            )

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        flags, relevant = relevant_in(lists, self.rel)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        chances = group_means(lists, [float(flag) for flag in flags])
        rows: list[tuple[float, float, float, float]] = []
        total = 0.0
        for chance, weight in zip(chances, self._weights(len(flags)).tolist(), strict=False):
            total += chance * weight
            rows.append((chance, weight, chance * weight, total))
        return Explanation(("relevant", "weight", "adds", "sum"), rows, [f"{self} = {total:.6f}"], total)
