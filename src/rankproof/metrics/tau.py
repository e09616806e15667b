"""tau: Kendall's rank correlation of a ranking with the labels."""

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
from rankproof.metrics.pairwise import COLUMNS, NO_PAIR, lost_and_all, pair_counts, pair_rows
from rankproof.metrics.pd import NOT_ADDITIVE
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["Tau"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Tau(Metric):
    r"""Kendall's tau-b.

    **Definition.** :math:`(C - D) / \sqrt{n_0 (n_0 - n_y)}`: of the :math:`n_0 = n(n-1)/2` pairs, C are
    concordant, D discordant, and :math:`n_y` have equal labels. Tied scores are averaged over the rankings
    that sort them, which leaves the denominator alone; ``ties=b`` takes their pairs out of it, too
    (:math:`n_0 - n_s` in place of :math:`n_0`), which is the classic tau-b of scores and labels. Then a list
    whose scores are all equal counts 0. **Domain**: any labels; permutations. **Empty**: all labels equal.

    Parameters
    ----------
    ties : "average" or "b"
        What pairs with equal scores do: their mean over the rankings that sort the scores, or the classic
        tau-b, which takes them out of the denominator.
    empty : "skip", 0, 1 or "error"
        What a query counts whose items all have the same label: it is left out of the mean, counts 0 or 1, or
        is an error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> Tau().of_labels([2, 0, 1])  # (2 - 1) / 3
    Fraction(1, 3)
    >>> Tau().of_labels([1, 0, 0])  # no ranking of tied labels reaches 1: 2 / sqrt(3 * 2)
    0.81649658...
    """

    name: ClassVar[str] = "tau"
    aliases: ClassVar[tuple[str, ...]] = ("Kendall", "KendallTau")
    summary: ClassVar[str] = "Kendall's rank correlation of the ranking with the labels"
    definition: ClassVar[str] = r"(C - D) \,/\, \sqrt{n_0 (n_0 - n_y)}"
    domain: ClassVar[str] = "any labels; permutations"
    reference: ClassVar[str] = "Kendall, Biometrika 33(3), 1945"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"ties": ("average", "b")}
    empty_when: ClassVar[str] = NO_PAIR
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded", "permutation")

    ties: str = "average"

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim(
                "range",
                (-1.0, 1.0),
                "|C - D| <= n_0 - n_y <= n_0",
                note="the best strict ranking reaches sqrt((n_0 - n_y) / n_0): 1 only when all labels differ",
            ),
            Claim("positional", value=False, reference=NOT_ADDITIVE),
            Claim("monotone", value=True, reference="an exchange of neighbours changes their own pair alone"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        lost, pairs = lost_and_all(labels, lambda better, worse: 1)  # noqa: ARG005 - the weight of any pair
        if not pairs:
            return None
        square = int(len(labels) * (len(labels) - 1) // 2 * pairs)
        root = math.isqrt(square)
        difference = int(pairs - 2 * lost)
        return Fraction(difference, root) if root * root == square else difference / math.sqrt(square)

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.pairs import LOST, PAIRS, SCORE_TIES

        counts = pair_counts(lists)
        items = np.diff(lists.offsets)
        pairs, every = counts[:, PAIRS], items * (items - 1) // 2
        if self.ties == "b":
            every = every - counts[:, SCORE_TIES]
        # As floats: the product of two numbers of pairs may leave int64.
        root = np.sqrt(every.astype(np.float64) * pairs)
        # Equal scores throughout leave no pair to divide by, and none to count.
        value = (pairs - counts[:, LOST]) / np.where(every == 0, 1.0, np.where(pairs == 0, 1.0, root))
        return np.where(pairs == 0, np.nan, value)

    def explain(self, lists: RankedLists) -> Explanation:
        labels = lists.labels.tolist()
        rows, rest, pairs = pair_rows(lists, labels, lambda better, worse: 1, 0.5)  # noqa: ARG005
        if not pairs:
            return Explanation((), [], [f"the query is empty: {NO_PAIR}"], math.nan)
        lost = (rows[-1][-1] if rows else 0.0) + rest
        items, depth = len(labels), int(lists.depth[0])
        every = items * (items - 1) // 2
        steps = [f"pairs with different labels: {pairs:g} of {every}"]
        if rest:
            steps.append(f"items that were not retrieved, tied below all others, lose {rest:g} pairs more")
        if self.ties == "b":
            sizes = [*(end - start for start, end in tie_groups(lists)), items - depth]
            every -= sum(size * (size - 1) // 2 for size in sizes)
            steps.append(f"pairs with different scores: {every}")
        difference = pairs - 2 * lost
        value = difference / math.sqrt(every * pairs) if every else 0.0
        steps.append(f"concordant - discordant = {pairs:g} - 2 x {lost:g} = {difference:g}")
        steps.append(f"{self} = {difference:g} / sqrt({every} x {pairs:g}) = {value:.6f}")
        return Explanation(COLUMNS, rows, steps, value)
