"""AP: average precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import NO_CUTOFF, relevant_in
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["AP"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class AP(Metric):
    r"""Average precision.

    **Definition.** :math:`\mathrm{AP@K} = \frac1D \sum_{k \le K,\ y_{(k)} \ge rel} P@k`, with
    :math:`D = R`, the number of relevant items, or :math:`\min(R, K)` with ``denominator=min``.
    **Domain**: any labels. **Empty**: no relevant item.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; all of them without it.
    rel : float
        The lowest label of a relevant item.
    denominator : "relevant" or "min"
        What the sum of precisions is divided by: the number R of relevant items, or min(R, K), with which a
        list cut at K < R can reach 1.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> AP().of_labels([1, 0, 1])  # (1/1 + 2/3) / 2
    Fraction(5, 6)
    """

    name: ClassVar[str] = "AP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    summary: ClassVar[str] = "average of the precisions at the relevant items"
    definition: ClassVar[str] = r"\frac{1}{R} \sum_{k \le K,\ y_{(k)} \ge rel} P@k"
    domain: ClassVar[str] = "any labels; relevant means y >= rel"
    reference: ClassVar[str] = "Buckley & Voorhees, TREC: Experiment and Evaluation, 2005"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"denominator": ("relevant", "min")}

    cutoff: int | None = None
    rel: float = 1
    denominator: str = "relevant"

    @property
    def claims(self) -> Claims:
        # With D = R a list cut at K < R cannot reach 1, so nothing is claimed for it.
        reaches_one = self.cutoff is None or self.denominator == "min"
        best = (Claim("best", 1.0, "all precisions are 1 when the relevant items come first"),)
        return Claims(
            Claim("range", (0.0, 1.0), "a mean of precisions"),
            *(best if reaches_one else ()),
            self._positional(),
            Claim("monotone", value=True, reference="moving a relevant item up raises precisions only"),
        )

    def _positional(self) -> Claim:
        if self.cutoff == 1:
            why = "AP@1 is the relevance of the first item over the divisor: c = (1, 0, ...)"
            return Claim("positional", value=True, reference=why)
        return Claim("positional", value=False, reference="C12 Table 2: no target exists")

    def _divisor(self, relevant: int) -> int:
        return (
            relevant if self.denominator == "relevant" or self.cutoff is None else min(relevant, self.cutoff)
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        flags = [y >= self.rel for y in labels]
        if not any(flags):
            return None
        hits, total = 0, Fraction(0)
        for k, flag in enumerate(flags if self.cutoff is None else flags[: self.cutoff], start=1):
            hits += flag
            total += Fraction(hits, k) if flag else 0
        return total / self._divisor(sum(flags))

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.precision import average_precision

        ideal, cutoff = lists.ideal, NO_CUTOFF if self.cutoff is None else self.cutoff

        def kernel(low: int, high: int, out: Float64s) -> None:
            average_precision(
                *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
                *(float(self.rel), cutoff, self.denominator == "min", low, high, out),
            )

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        flags, relevant = relevant_in(lists, self.rel)
        if not relevant:
            return Explanation((), [], ["no relevant item: the query is empty"], float("nan"))
        rows: list[tuple[Any, ...]] = []
        above, total = 0, 0.0
        for start, end in tie_groups(lists):
            size, inside = end - start, sum(flags[start:end])
            for j in range(size):
                if self.cutoff is not None and start + j >= self.cutoff:
                    break
                inner = j * (inside - 1) / (size - 1) if size > 1 else 0.0
                precision = (above + 1 + inner) / (start + j + 1)
                total += inside / size * precision
                rows.append((inside / size, precision if inside else 0.0, inside / size * precision, total))
            above += inside
        divisor = self._divisor(relevant)
        value = total / divisor
        steps = [f"relevant items: {relevant}", f"{self} = {total:.6f} / {divisor} = {value:.6f}"]
        return Explanation(("relevant", "precision", "adds", "sum"), rows, steps, value)
