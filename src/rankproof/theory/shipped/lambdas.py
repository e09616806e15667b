r"""The lambdas of LightGBM and XGBoost: the formula that the engines run, for one query.

Of every pair of items with different labels, i the better one, let :math:`x = s_i - s_j` and

.. math:: \lambda_{ij} = \sigma \Delta_{ij} \, h(\sigma x) / (c + |x|), \qquad h(z) = 1 / (1 + e^z),

where :math:`\Delta_{ij}` is what exchanging the two in the present ranking changes of the metric (1 for
``rank:pairwise``). Item i is pushed up by :math:`\lambda_{ij}` and item j down. The division by :math:`c +
|x|` and the factor :math:`\log_2(1 + S) / S`, S being twice the sum of the query's lambdas, are the two
normalisations, which parameters switch off. The division is left out while all scores are equal. Pairs whose
upper item is below the truncation rank are left out, and the ideal DCG is taken down to that rank.

Left out is what rounds: the engines store gradients in single precision. LightGBM's table of h, which has
2^20 steps from -25 to 25, is not left out (`LambdaFormula.table`): bounds hold for the table too.

Read in the engines' source (`ENGINE_OBJECTIVES` names the files) and compared with one boosting step of the
installed engines by the tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any, TypeAlias, cast

from rankproof.feedback import Law
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.shipped.objective import EngineObjective

__all__ = ["Deltas", "LambdaFormula", "formula_of", "whole_labels", "why_no_formula"]

Deltas: TypeAlias = dict[tuple[int, int], Enclosure]

# The constant beside the difference of scores; LightGBM writes it in single precision.
_C = {"lightgbm": Fraction(5368709, 1 << 29), "xgboost": Fraction(0.01)}


@dataclass(frozen=True)
class LambdaFormula:
    """Which of the lambdas an objective is.

    Attributes
    ----------
    weight : "ndcg", "pairwise" or "map", what the exchange of a pair is weighed by
    sigma : the factor of differences of scores
    truncation : how many ranks the upper item of a pair may have
    exponential : whether the gain of a label y is 2^y - 1, or y
    by_gap : the constant c of the division by c + \\|x\\|; None without it
    by_sum : whether the lambdas of a query are multiplied by log2(1 + S) / S
    table : whether h is looked up in a table
    most_label : the largest label that the engine takes
    """

    weight: str
    sigma: Fraction
    truncation: int
    exponential: bool
    by_gap: Fraction | None
    by_sum: bool
    table: bool
    most_label: int

    def takes(self, law: Law) -> bool:
        """Whether all labels of a law are ones that the engine trains on."""
        labels: list[Any] = [label for y in law.support for label in cast("Iterable[Any]", y)]
        return all(int(label) == label and 0 <= label <= self.most_label for label in labels)

    def deltas(self, labels: Sequence[int], ranking: Sequence[int]) -> Deltas:
        """The change of the metric for every pair (better item, other item) that counts in a ranking."""
        place = {item: rank for rank, item in enumerate(ranking)}
        deltas: Deltas = {}
        for i, j in permutations(range(len(labels)), 2):
            if labels[i] > labels[j] and min(place[i], place[j]) < self.truncation:
                deltas[i, j] = self._delta(labels, ranking, i, j)
        return deltas

    def _delta(self, labels: Sequence[int], ranking: Sequence[int], i: int, j: int) -> Enclosure:
        if self.weight == "pairwise":
            return Enclosure.from_number(1)
        first, last = sorted((ranking.index(i), ranking.index(j)))
        if self.weight == "map":
            swapped = list(ranking)
            swapped[first], swapped[last] = ranking[last], ranking[first]
            change = _average_precision(labels, ranking) - _average_precision(labels, swapped)
            return Enclosure.from_number(abs(change))
        gain = _gain(labels[i], self.exponential) - _gain(labels[j], self.exponential)
        gains = sorted((_gain(y, self.exponential) for y in labels), reverse=True)[: self.truncation]
        ideal = sum((_discount(rank) * g for rank, g in enumerate(gains)), Enclosure.from_number(0))
        return (_discount(first) - _discount(last)) * gain / ideal


def formula_of(objective: EngineObjective) -> LambdaFormula | None:
    """The formula of an objective; None where there is none, see `why_no_formula`.

    >>> from rankproof.theory.shipped.objective import engine_objective
    >>> formula_of(engine_objective("xgboost:rank:pairwise")).weight
    'pairwise'
    """
    if why_no_formula(objective) is not None:
        return None
    if objective.name == "lambdarank":
        norm = bool(objective.value("lambdarank_norm"))
        return LambdaFormula(
            weight="ndcg",
            sigma=Fraction(objective.value("sigmoid")),
            truncation=int(objective.value("lambdarank_truncation_level")),
            exponential=True,
            by_gap=_C["lightgbm"] if norm else None,
            by_sum=norm,
            table=True,
            most_label=30,
        )
    if objective.engine != "xgboost":
        return None
    return LambdaFormula(
        weight=objective.name.removeprefix("rank:"),
        sigma=Fraction(1),
        truncation=int(objective.value("lambdarank_num_pair_per_sample")),
        exponential=bool(objective.value("ndcg_exp_gain")) if objective.name == "rank:ndcg" else True,
        by_gap=_C["xgboost"] if objective.value("lambdarank_score_normalization") else None,
        by_sum=bool(objective.value("lambdarank_normalization")),
        table=False,
        most_label=1 if objective.name == "rank:map" else 31,
    )


def why_no_formula(objective: EngineObjective) -> str | None:
    """Why nothing can be proven of the mean field of an objective; None when its formula is known.

    >>> from rankproof.theory.shipped.objective import engine_objective
    >>> why_no_formula(engine_objective("catboost:YetiRank"))
    'it trains on rankings that are perturbed at random, so its gradient is no formula of the scores'
    """
    if objective.name == "rank_xendcg":
        return "its target is drawn at random in every iteration, so its gradient is no formula of the scores"
    if objective.name == "YetiRank":
        return (
            "it trains on rankings that are perturbed at random, so its gradient is no formula of the scores"
        )
    if objective.engine == "xgboost" and objective.value("lambdarank_pair_method") == "mean":
        return "lambdarank_pair_method=mean draws the pairs at random"
    if objective.engine == "xgboost" and objective.value("lambdarank_unbiased"):
        return "lambdarank_unbiased=true changes the weights from one iteration to the next"
    return None


def whole_labels(feedback: Any) -> list[int]:
    """The labels of a graded feedback; fractions of a label are cut off."""
    return [int(label) for label in feedback]


@cache
def _discount(rank: int) -> Enclosure:
    """1 / log2(2 + rank), ranks counted from 0."""
    two = Enclosure.from_number(2).log()
    return two / Enclosure.from_number(rank + 2).log()


def _gain(label: int, exponential: bool) -> int:
    return 2**label - 1 if exponential else label


def _average_precision(labels: Sequence[int], ranking: Sequence[int]) -> Fraction:
    hits, total = 0, Fraction(0)
    for rank, item in enumerate(ranking, start=1):
        if labels[item]:
            hits += 1
            total += Fraction(hits, rank)
    return total / hits
