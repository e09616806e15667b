"""PD: pairwise disagreement, the number of pairs in the wrong order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.feedback import PreferenceGraph
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.disagreement import disagreement, explain_disagreement, ranking_on_graph
from rankproof.metrics.pairwise import NO_PAIR, lost_and_all, ratio
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["NOT_ADDITIVE", "PD"]

# Why no target u exists for a count of pairs with three grades; read by WPDL and tau, too.
NOT_ADDITIVE = (
    "labels (2, 1, 0): exchanging the items of ranks 1 and 2 changes the count by 1 for each pair, so "
    "(c_1 - c_2)(u_i - u_j) would be the same for (2,1), (1,0) and (2,0); C12 section 4 for graphs"
)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class PD(Metric):
    r"""Pairwise disagreement: how many pairs stand in the wrong order. Lower is better.

    **Definition.** On labels :math:`\sum_{y_i > y_j} 1[i \text{ below } j]`; on a preference graph
    :math:`\sum_{i \to j} a_{ij} 1[i \text{ below } j]`; a permutation is the graph of all its pairs, so PD is
    Kendall's distance. ``normalize`` divides by the number (weight) of all pairs. A tied pair counts 1/2, the
    mean over the rankings that sort the scores; with ``ties=full`` it counts 1. **Domain**: any labels.
    **Empty**: no pair with a preference.

    Parameters
    ----------
    ties : "half" or "full"
        What a pair with equal scores counts: half its weight, the mean over the rankings that sort the
        scores, or all of it.
    normalize : bool
        Whether to divide by the number (or weight) of all pairs with a preference.
    empty : "skip", 0, 1 or "error"
        What a query counts whose items all have the same label: it is left out of the mean, counts 0 or 1, or
        is an error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> PD().of_labels([0, 2, 1])  # 2 and 1 stand below 0
    2
    >>> PD(normalize=True).of_labels([0, 2, 1])
    Fraction(2, 3)
    >>> PD().of_ranking((1, 0, 2), {(0, 1): 5, (1, 2): 1})  # 0 should stand above 1
    5
    """

    name: ClassVar[str] = "PD"
    aliases: ClassVar[tuple[str, ...]] = ("PairwiseDisagreement",)
    summary: ClassVar[str] = "number of pairs in the wrong order"
    definition: ClassVar[str] = r"\sum_{y_i > y_j} 1[i \text{ below } j]"
    domain: ClassVar[str] = "any labels; preference graphs; permutations"
    reference: ClassVar[str] = "Duchi, Mackey & Jordan, ICML 2010; B11 eq. 12; C12 Table 1"
    direction: ClassVar[Literal["higher", "lower"]] = "lower"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"ties": ("half", "full"), "normalize": (False, True)}
    empty_when: ClassVar[str] = NO_PAIR
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded", "preferences", "permutation")

    ties: str = "half"
    normalize: bool = False

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("range", (0.0, 1.0 if self.normalize else None), "a number of pairs (over all pairs)"),
            Claim("best", 0.0, "sorted by label, no pair is in the wrong order"),
            Claim("positional", value=False, reference=NOT_ADDITIVE),
            Claim("monotone", value=True, reference="an exchange of neighbours changes their own pair alone"),
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        lost, total = lost_and_all(labels, lambda better, worse: 1)  # noqa: ARG005 - the weight of any pair
        if not total:
            return None
        return ratio(lost, total) if self.normalize else lost

    def _of_graph(self, ranking: tuple[int, ...], graph: PreferenceGraph) -> Number | None:
        return ranking_on_graph(ranking, graph, "one", normalize=self.normalize)

    def per_query(self, lists: RankedLists) -> Float64s:
        return disagreement(lists, "one", self.ties, normalize=self.normalize)

    def explain(self, lists: RankedLists) -> Explanation:
        return explain_disagreement(self, lists, "one", self.ties, normalize=self.normalize)
