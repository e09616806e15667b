"""normalised-gain: the gain of an item over the best DCG of its query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.discounted import (
    Discount,
    Gain,
    check_gain,
    discount_table,
    discounted_sum,
    gain_of,
    gain_table,
)
from rankproof.metrics.mean_ndcg import MeanNDCG
from rankproof.metrics.ndcg import NDCG
from rankproof.targets.base import Target, always, fill, registered, sorted_labels, under
from rankproof.targets.count_form import CountForm, own_worths

__all__ = ["NormalisedGain", "weights_like"]


def weights_like(discount: Discount, cutoff: int | None) -> tuple[Any, ...]:
    """What two pairs of discount and cutoff share exactly when their weights differ by a factor alone.

    >>> weights_like("ln", 5) == weights_like("log2", 5)
    True
    >>> weights_like("log2", 1) == weights_like((3.0,), None)
    True
    """
    if isinstance(discount, str):
        if cutoff == 1:
            return (1.0,)
        return "log2" if discount == "ln" else discount, cutoff
    table = list(discount if cutoff is None else discount[:cutoff])
    while table and table[-1] == 0.0:
        table.pop()
    return tuple(weight / table[0] for weight in table)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class NormalisedGain(Target):
    r"""Gain of a grade, normalised by the best DCG of the query.

    **Definition.** :math:`u_i = g(y_i) / Z_K(y)`, with :math:`Z_K(y) = \max_\pi \mathrm{DCG@}K(\pi, y)`; 0
    when that is 0. It standardises nDCG of the same gain, discount and cutoff. (R11 trains with
    :math:`Z_1`, :math:`Z_{10}` and :math:`Z`: cutoffs 1, 10 and none.)

    Parameters
    ----------
    cutoff : int, optional
        The K of the nDCG that is aimed at: the best DCG is taken over this many ranks, all without it.
    gain : "exp", "linear" or a table
        What a grade is worth: ``2**y - 1``, ``y`` itself, or a table (``gain=[0,1,5]``: the worth of the
        grades 0, 1, 2, ...) that never falls. A grade below 0 is worth 0.
    discount : "log2", "letor", "ln", "reciprocal" or a table
        What rank k counts: ``1 / log2(1 + k)``; 1 at ranks 1 and 2 and ``1 / log2(k)`` below, as in the
        scripts of LETOR and MSLR; ``1 / ln(1 + k)``; ``1 / k``; or a table (``discount=[1,0.5]``: ranks 1, 2,
        ...) that never rises, with 0 for all ranks beyond it.

    Examples
    --------
    >>> NormalisedGain(cutoff=1).of_labels([1, 2])  # maximal DCG@1 is 3
    [0.3333333..., 1.0]
    """

    name: ClassVar[str] = "normalised-gain"
    summary: ClassVar[str] = "the gain of the item's grade over the best DCG of its query"
    definition: ClassVar[str] = r"u_i = g(y_i) \,/\, \max_\pi \mathrm{DCG@K}(\pi)"
    reference: ClassVar[str] = "R11 Lemma 4, Th. 8; B11 section 5.1"
    made_for: ClassVar[tuple[type[Metric], ...]] = (NDCG, MeanNDCG)

    cutoff: int | None = None
    gain: Gain = "exp"
    discount: Discount = "log2"

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if not isinstance(metric, (NDCG, MeanNDCG)) or metric.gain != self.gain:
            return ()
        own = weights_like(self.discount, self.cutoff)
        if isinstance(metric, NDCG):
            if own != weights_like(metric.discount, metric.cutoff):
                return ()
            why = "R11 Lemma 4; B11 section 5.1: c_k = d(k) never rises, u_i = g(y_i) / max DCG@K"
            return (always(why),)
        if own == weights_like(metric.discount, None) and len(own) <= 1:
            return (always("a discount that stops at rank 1 makes every nDCG@k nDCG@1"),)
        if not own:
            return ()
        return (
            under(
                "rank-differentiable",
                "every nDCG@k gains by having the better grade first, and an exchange of two labels leaves "
                "all normalisers alone: a sum of terms of one sign (as in L12 Th. 2)",
            ),
            under(
                "one relevant",
                "nDCG@k = d(rank) / d(1) down to rank k for the one item with a gain: c_rank, u_i = 1[gain]",
                note="relevant means a gain above 0",
            ),
        )

    @classmethod
    def for_metric(cls, metric: Metric) -> NormalisedGain | None:
        if isinstance(metric, NDCG):
            return cls(cutoff=metric.cutoff, gain=metric.gain, discount=metric.discount)
        return cls(gain=metric.gain, discount=metric.discount) if isinstance(metric, MeanNDCG) else None

    def check(self, labels: Float64s) -> None:
        check_gain(f"Target {self}", self.gain, labels)

    def count_form(self, grades: Float64s) -> CountForm | None:
        gains = np.array([float(gain_of(self.gain, grade)) for grade in grades.tolist()])
        worths, classes = np.unique(np.append(gains, 0.0), return_inverse=True)
        depth = self.cutoff
        if not isinstance(self.discount, str):
            kept = len(list(takewhile(lambda weight: weight > 0, self.discount)))
            depth = kept if depth is None else min(depth, kept)
        if depth == 0:
            return own_worths(np.zeros(grades.size))

        def factor(counts: NDArray[np.int64], items: int) -> Float64s:
            weights, _ = discount_table(self.discount, items, depth)
            sums = np.concatenate(([0.0], np.cumsum(weights)))
            # The best class comes first: class c is at the ranks after all better classes.
            ends = np.minimum(np.cumsum(counts[:, ::-1], axis=1), items)
            starts = ends - np.minimum(counts[:, ::-1], ends)
            best = ((sums[ends] - sums[starts]) * worths[:0:-1]).sum(axis=1)
            factors: Float64s = np.divide(1.0, best, out=np.zeros(best.size), where=best > 0)
            return factors

        return CountForm(worths, classes[:-1], depth, factor)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        best = discounted_sum(sorted(labels, reverse=True), self.gain, self.discount, self.cutoff)
        return [gain_of(self.gain, y) / best if best > 0 else 0 for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        from rankproof.kernels.targets.values import gains, normalised_gains

        table, formula = gain_table(self.gain)
        longest = int(np.diff(offsets).max(initial=0))
        weights, _ = discount_table(self.discount, longest, self.cutoff)
        ideal = sorted_labels(labels, offsets)

        def work(low: int, high: int, out: Float64s) -> None:
            gains(labels, offsets, table, formula, 1.0, low, high, out)
            normalised_gains(ideal, offsets, table, formula, weights, low, high, out)

        return fill(offsets, work)
