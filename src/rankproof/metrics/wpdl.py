"""WPDL: weighted pairwise disagreement loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.errors import DataError
from rankproof.feedback import PreferenceGraph
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.disagreement import disagreement, explain_disagreement, ranking_on_graph, weight_of
from rankproof.metrics.pairwise import NO_PAIR, lost_and_all, ratio
from rankproof.metrics.pd import NOT_ADDITIVE
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["WPDL"]

# Largest labels whose weights, summed over all pairs of a list, neither overflow nor vanish.
_LARGEST = {"difference": 1e280, "gain": 900.0}

_ADDITIVE = (
    "lost - kept = sum over pairs, j above i, of f(y_i) - f(y_j) = sum_i f(y_i) (2 rank_i - n - 1), and "
    "lost + kept depends on y alone: c_k = k, u_i = f(y_i) (over the weight of all pairs when normalised)"
)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class WPDL(Metric):
    r"""Weighted pairwise disagreement loss: what the pairs in the wrong order weigh. Lower is better.

    **Definition.** :math:`\sum_{y_i > y_j} D(y_i, y_j)\, 1[i \text{ not above } j]` with :math:`D = 1`
    (``weight=one``), :math:`y_i - y_j` (``difference``) or :math:`2^{y_i} - 2^{y_j}` (``gain``).
    ``normalize`` divides by the weight of all pairs. A tied pair counts half its weight, the mean over the
    rankings that sort the scores; with ``ties=full`` all of it, as printed in L12. On a preference graph the
    weights are those of the edges, and ``weight`` must be ``one``. **Domain**: any labels (within
    -900..900 with ``gain``). **Empty**: no pair with a preference.

    Parameters
    ----------
    weight : "one", "difference" or "gain"
        What a pair with labels a > b weighs: 1, ``a - b``, or ``2**a - 2**b``.
    ties : "half" or "full"
        What a pair with equal scores counts: half its weight, the mean over the rankings that sort the
        scores, or all of it.
    normalize : bool
        Whether to divide by the weight of all pairs with a preference.
    empty : "skip", 0, 1 or "error"
        What a query counts whose items all have the same label: it is left out of the mean, counts 0 or 1, or
        is an error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> WPDL(weight="gain").of_labels([0, 2, 1])  # (2^2 - 2^0) + (2^1 - 2^0)
    4
    >>> WPDL(weight="difference", normalize=True).of_labels([0, 2, 1])  # (2 + 1) / (2 + 1 + 1)
    Fraction(3, 4)
    """

    name: ClassVar[str] = "WPDL"
    aliases: ClassVar[tuple[str, ...]] = ("WPD",)
    summary: ClassVar[str] = "weight of the pairs in the wrong order"
    definition: ClassVar[str] = r"\sum_{y_i > y_j} D(y_i, y_j)\, 1[i \text{ not above } j]"
    domain: ClassVar[str] = "any labels (-900..900 with weight=gain); preference graphs with weight=one"
    reference: ClassVar[str] = "L12 eq. 1 and 2; Duchi, Mackey & Jordan, ICML 2010; B11 eq. 12"
    direction: ClassVar[Literal["higher", "lower"]] = "lower"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {
        "weight": ("one", "difference", "gain"),
        "ties": ("half", "full"),
        "normalize": (False, True),
    }
    empty_when: ClassVar[str] = NO_PAIR
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded", "preferences")

    weight: str = "one"
    ties: str = "half"
    normalize: bool = False

    @property
    def claims(self) -> Claims:
        additive = self.weight != "one"
        return Claims(
            Claim("range", (0.0, 1.0 if self.normalize else None), "a sum of weights (over all of them)"),
            Claim("best", 0.0, "sorted by label, no pair is in the wrong order"),
            Claim("positional", value=additive, reference=_ADDITIVE if additive else NOT_ADDITIVE),
            Claim("monotone", value=True, reference="an exchange of neighbours changes their own pair alone"),
        )

    def check(self, labels: Float64s) -> None:
        most = _LARGEST.get(self.weight)
        if most is None or not labels.size or np.nanmax(np.abs(labels), initial=0.0) <= most:
            return
        other = "difference" if self.weight == "gain" else "one"
        raise DataError(
            f"{self}: label {labels[np.nanargmax(np.abs(labels))]:g} is too large for weight={self.weight}, "
            f"whose labels lie within -{most:g}..{most:g}. Use smaller grades or weight={other}."
        )

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        lost, total = lost_and_all(labels, lambda better, worse: weight_of(self.weight, better, worse))
        if not total:
            return None
        return ratio(lost, total) if self.normalize else lost

    def _of_graph(self, ranking: tuple[int, ...], graph: PreferenceGraph) -> Number | None:
        return ranking_on_graph(ranking, graph, self.weight, normalize=self.normalize)

    def per_query(self, lists: RankedLists) -> Float64s:
        return disagreement(lists, self.weight, self.ties, normalize=self.normalize)

    def explain(self, lists: RankedLists) -> Explanation:
        return explain_disagreement(self, lists, self.weight, self.ties, normalize=self.normalize)
