"""ZeroOne: is the ranking anything but right?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.feedback import Permutation
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.pairwise import NO_PAIR
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["ZeroOne"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class ZeroOne(Metric):
    r"""0/1 error: 1 unless the ranking sorts the labels. Lower is better.

    **Definition.** :math:`1[\exists\, i \text{ above } j: y_i < y_j]`; for a permutation y,
    :math:`1[\sigma \ne y]`. Under ties it is 1 minus the share of the rankings that sort both scores and
    labels: :math:`\prod c! / t!` over the tie groups, with t items of which c share a label. **Domain**: any
    labels; permutations. **Empty**: all labels equal; never for a permutation.

    Parameters
    ----------
    empty : "skip", 0, 1 or "error"
        What a query counts whose items all have the same label: it is left out of the mean, counts 0 or 1, or
        is an error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> ZeroOne().of_labels([2, 1, 1]), ZeroOne().of_labels([1, 2, 1])
    (0, 1)
    >>> ZeroOne().of_ranking((0, 2, 1), Permutation((1, 3, 2)))  # item 0 first, then item 2, then item 1
    0
    """

    name: ClassVar[str] = "ZeroOne"
    aliases: ClassVar[tuple[str, ...]] = ("zero_one",)
    summary: ClassVar[str] = "1 unless the ranking sorts the labels"
    definition: ClassVar[str] = r"1[\exists\, i \text{ above } j: y_i < y_j]"
    domain: ClassVar[str] = "any labels; permutations"
    reference: ClassVar[str] = "Xia et al., ICML 2008; B11 section 5.4 (eq. 13 read as 1[sigma != y])"
    direction: ClassVar[Literal["higher", "lower"]] = "lower"
    empty_when: ClassVar[str] = NO_PAIR
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded", "permutation")

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0), "an indicator, or its mean"),
            Claim("best", 0.0, "the definition"),
            Claim(
                "positional",
                value=False,
                reference="labels (2, 1, 0): exchanging items 0 and 1 at ranks 2 and 3 below item 2 changes "
                "nothing, so c_2 = c_3; exchanging items 1 and 2 there below item 0 changes 0 to 1",
            ),
            Claim("monotone", value=True, reference="a ranking with a better item below is already wrong"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        if len(set(labels)) < 2:
            return None
        return int(any(above < below for above, below in pairwise(labels)))

    def _of_permutation(self, ranking: tuple[int, ...], permutation: Permutation) -> Number | None:
        return int(ranking != permutation.order)

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.zero_one import sorted_chance

        ideal = lists.ideal

        def kernel(low: int, high: int, out: Float64s) -> None:
            sorted_chance(lists.labels, lists.ends, lists.offsets, lists.depth, ideal, low, high, out)

        return 1.0 - lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        labels, depth = lists.labels.tolist(), int(lists.depth[0])
        ideal = sorted(labels, reverse=True)
        if not labels or ideal[0] == ideal[-1]:
            return Explanation((), [], [f"the query is empty: {NO_PAIR}"], math.nan)
        rows: list[tuple[Any, ...]] = []
        chance = 1.0
        tail = [(depth, len(labels))] if depth < len(labels) else []
        for start, end in [*tie_groups(lists), *tail]:
            # A group that does not hold the very labels of its places has no sorted order.
            fits = sorted(labels[start:end], reverse=True) == ideal[start:end]
            alike = 0
            for k in range(start, end):
                alike = alike + 1 if k > start and ideal[k] == ideal[k - 1] else 1
                share = alike / (k - start + 1) if fits else 0.0
                chance *= share
                if k < depth:
                    rows.append((labels[k], ideal[k], share, chance))
        steps = [f"share of the rankings that sort scores and labels: {chance:.6f}"]
        if tail:
            steps.insert(0, f"items that were not retrieved, tied below all others: {len(labels) - depth}")
        steps.append(f"{self} = 1 - {chance:.6f} = {1.0 - chance:.6f}")
        return Explanation(("label", "best label", "share", "product"), rows, steps, 1.0 - chance)
