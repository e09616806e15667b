"""MeanNDCG: the mean of nDCG@1, nDCG@2, ... down to the end of the query's own list."""

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
    discount_of,
    discount_table,
    gain_of,
    gain_table,
)
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import group_means

__all__ = ["MeanNDCG"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class MeanNDCG(Metric):
    r"""Mean of nDCG over all cutoffs.

    **Definition.** :math:`\mathrm{MeanNDCG} = \frac1n \sum_{k=1}^{n} \mathrm{nDCG@}k`, where n is the number
    of the query's items: those retrieved, and those judged but not retrieved. **Domain**: any labels; a
    negative grade is worth 0. **Empty**: no item with a positive gain.

    It is linear in the ranking, so tied items share their mean gain, as in nDCG; but the weight of a rank,
    :math:`\frac{d(j)}{n} \sum_{k \ge j} 1/\max_\pi \mathrm{DCG@}k(\pi)`, depends on the labels, so it is not
    a positional metric.

    Parameters
    ----------
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
    >>> MeanNDCG(discount="reciprocal").of_labels([0, 1])  # (0 + (1/2) / 1) / 2
    0.25
    """

    name: ClassVar[str] = "MeanNDCG"
    summary: ClassVar[str] = "mean of nDCG@1..nDCG@n over the query's own length"
    definition: ClassVar[str] = r"\frac{1}{n} \sum_{k=1}^{n} \mathrm{nDCG@}k"
    domain: ClassVar[str] = "any labels; a negative grade is worth 0"
    reference: ClassVar[str] = "Qin & Liu, Introducing LETOR 4.0 Datasets, arXiv:1306.2597"

    gain: Gain = "exp"
    discount: Discount = "log2"

    @property
    def claims(self) -> Claims:
        # n = 3, binary labels, R relevant: exchanging ranks 1, 2 and ranks 2, 3 moves the value in the ratio
        # (3 d1 - 2 d2) : (2 d2 - d3) for R = 1 and (3 d1 - d2) : (2 d2 - d3) for R = 2; a positional metric
        # has one ratio for all labels. A table may stop after rank 1, and then nothing is claimed.
        ratios = "n = 3: the weights of ranks 1, 2, 3 differ in ratio between one and two relevant items"
        positional = Claim("positional", value=False, reference=ratios)
        return Claims(
            Claim("range", (0.0, 1.0), "a mean of parts of maxima"),
            Claim("best", 1.0, "the ideal ranking has nDCG@k = 1 for every k"),
            *(() if isinstance(self.discount, tuple) else (positional,)),
            Claim("monotone", value=True, reference="every nDCG@k is, and so is their mean"),
        )

    def check(self, labels: Float64s) -> None:
        check_gain(str(self), self.gain, labels)

    def _running(self, gains: Sequence[Any]) -> list[Number]:
        sums: list[Number] = []
        for k, worth in enumerate(gains, start=1):
            sums.append((sums[-1] if sums else 0) + discount_of(self.discount, k) * worth)
        return sums

    def _best(self, labels: Sequence[Any]) -> list[Number]:
        return self._running([gain_of(self.gain, y) for y in sorted(labels, reverse=True)])

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        best = self._best(labels)
        if not best or best[0] <= 0:
            return None
        reached = self._running([gain_of(self.gain, y) for y in labels])
        return sum(a / b for a, b in zip(reached, best, strict=True)) / len(best)

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.mean_ndcg import mean_ndcg

        table, formula = gain_table(self.gain)
        weights, _ = discount_table(self.discount, lists.longest, None)
        ideal = lists.ideal

        def kernel(low: int, high: int, out: Float64s) -> None:
            mean_ndcg(
                *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
                *(table, formula, weights, low, high, out),
            )

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        labels = lists.labels.tolist()
        best = self._best(labels)
        if not best or best[0] <= 0:
            return Explanation((), [], ["no item with a gain: the query is empty"], float("nan"))
        gains = group_means(lists, [float(gain_of(self.gain, y)) for y in labels])
        reached = self._running(gains + [0.0] * (len(best) - len(gains)))
        parts = [float(a / b) for a, b in zip(reached, best, strict=True)]
        rows: list[tuple[Any, ...]] = []
        total = 0.0
        for k in range(len(gains)):
            total += parts[k]
            rows.append((float(reached[k]), float(best[k]), parts[k], total))
        steps = []
        if len(parts) > len(rows):
            # These ranks add no gain, but their cutoffs count in the mean.
            rest = sum(parts[len(rows) :])
            steps = [
                f"ranks {len(rows) + 1}..{len(parts)} hold no retrieved item: their nDCG@k add {rest:.6f}"
            ]
            total += rest
        value = total / len(parts)
        steps.append(f"{self} = {total:.6f} / {len(parts)} = {value:.6f}")
        return Explanation(("DCG@k", "best DCG@k", "nDCG@k", "sum"), rows, steps, value)
