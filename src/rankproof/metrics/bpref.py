"""bpref: how often relevant items stand above judged items that are not relevant."""

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
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["Bpref"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(Metric):
    r"""Binary preference: made for incomplete judgments, it passes over items that were not judged.

    **Definition.** :math:`\mathrm{bpref} = \frac1R \sum_r \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)`,
    over the relevant items r that were retrieved. R and N count the relevant and the judged nonrelevant items
    of the query, :math:`n_r` the judged nonrelevant items above r; when N is 0, each r counts 1.
    **Domain**: any labels; NaN is an item without a judgment, and any number is a judgment (``unjudged`` has
    no other effect). **Empty**: no relevant item.

    Parameters
    ----------
    rel : float
        The lowest label of a relevant item.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no relevant item: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        Without effect: this metric itself looks at which items have a judgment.

    Examples
    --------
    >>> nan = float("nan")
    >>> Bpref().of_labels([1, 0, nan, 1, 0])  # (1 + (1 - 1/2)) / 2
    Fraction(3, 4)
    """

    name: ClassVar[str] = "bpref"
    summary: ClassVar[str] = "relevant items above judged nonrelevant ones, blind to unjudged items"
    definition: ClassVar[str] = r"\frac{1}{R} \sum_{r} \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)"
    domain: ClassVar[str] = "any labels; relevant means y >= rel; NaN is an item without a judgment"
    reference: ClassVar[str] = "Buckley & Voorhees, SIGIR 2004; the form of trec_eval"
    sees_unjudged: ClassVar[bool] = True

    rel: float = 1

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "R terms between 0 and 1, divided by R"),
            Claim("best", 1.0, "no nonrelevant item above a relevant one"),
            Claim(
                "positional",
                value=False,
                reference="three items: with y = 100 ranks 2 and 3 count alike, with y = 110 they do not",
            ),
            Claim("monotone", value=True, reference="a relevant item that moves up has fewer items above it"),
        )

    def _counts(self, labels: Sequence[Any]) -> tuple[int, int]:
        """How many labels are relevant, and how many judged and not; NaN is on neither side."""
        return sum(bool(y >= self.rel) for y in labels), sum(bool(y < self.rel) for y in labels)

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        relevant, others = self._counts(labels)
        if not relevant:
            return None
        above, total = 0, Fraction(0)
        for y in labels:
            if y >= self.rel:
                total += 1 - Fraction(min(above, relevant), min(others, relevant)) if above else 1
            elif y < self.rel:
                above += 1
        return total / relevant

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.bpref import bpref

        def kernel(low: int, high: int, out: Float64s) -> None:
            bpref(lists.labels, lists.ends, lists.offsets, lists.depth, float(self.rel), low, high, out)

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        labels = lists.labels.tolist()
        relevant, others = self._counts(labels)
        if not relevant:
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        most = max(1, min(relevant, others))
        rows: list[tuple[float, float, float, float]] = []
        above, total = 0, 0.0
        for start, end in tie_groups(lists):
            inside, tied = self._counts(labels[start:end])
            # Each number of tied nonrelevant items is as likely as any other to stand above a relevant one.
            capped = sum(min(above + x, relevant) for x in range(tied + 1)) / (tied + 1)
            for _ in range(end - start):
                adds = inside / (end - start) * (1 - capped / most)
                total += adds
                rows.append((inside / (end - start), capped, adds, total))
            above += tied
        value = total / relevant
        steps = [
            f"judged items: R = {relevant} relevant, N = {others} not relevant",
            f"a relevant item adds 1 - min(items above, {relevant}) / {most}",
            f"{self} = {total:.6f} / {relevant} = {value:.6f}",
        ]
        return Explanation(("relevant", "nonrelevant above", "adds", "sum"), rows, steps, value)
