"""Conditional risk: what every ranking and every score vector is worth on average under a law, exactly.

>>> from rankproof.feedback import Law
>>> p = Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
>>> optimal_rankings("AP", p)  # C12 Table 2
((0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0))
>>> regret("AP", p, (0, 2, 1)), regret("AP", p, scores=[1, 1, 0])
(Fraction(1, 26), Fraction(0, 1))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback import Law
from rankproof.feedback.spaces import MOST_ITEMS, space_of
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.rounding import sign_of, sure_of
from rankproof.theory.base.sorted_risk import best_by_sorting, regret_by_sorting
from rankproof.theory.base.values import Ranking, ValueTable, as_any_metric, value_table

__all__ = [
    "best_rankings",
    "expected_values",
    "optimal_rankings",
    "regret",
    "risk_of_scores",
    "risks",
    "table_of",
]


def risks(metric: Any, law: Law) -> dict[Ranking, Fraction]:
    """E[value] of every ranking in gain form: for a metric of which less is better, minus its mean.

    A feedback that is empty for the metric adds 0 for every ranking. Logarithms are fractions of
    `rankproof.theory.arithmetic.metric_fractions.PRECISIONS` digits.
    """
    table = table_of(metric, law)
    return dict(zip(table.rankings, expected_values(table, law.probabilities), strict=True))


def optimal_rankings(metric: Any, law: Law) -> tuple[Ranking, ...]:
    """A_r(p): the rankings of the best mean value, in lexicographic order.

    Parameters
    ----------
    metric : metric, its string, or a function ``(ranking, feedback) -> number``
        A function gets the items in ranked order, best first, and the feedback of the query. Its larger
        values are the better ones.
    law : Law
        The distribution of the feedback of a query.

    Notes
    -----
    A law of more than 6 items is taken for DCG, nDCG, P, R, RBP and F, whose best rankings sort E[u].

    Raises
    ------
    PrecisionError
        When the answer depends on digits of logarithms (or of a user's floats) that are not computed.

    Examples
    --------
    >>> p = Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})
    >>> optimal_rankings("ERR(max_grade=1)", p)  # C12 Table 2
    ((0, 2, 1), (1, 2, 0))
    """
    if _is_long(metric, law):
        return best_by_sorting(metric_of(metric), law)
    return best_rankings(table_of(metric, law), law.probabilities)


def risk_of_scores(metric: Any, law: Law, scores: Sequence[Any]) -> Fraction:
    """E[value] of a score vector: the mean over the rankings that sort it."""
    return _mean_of_sorting(risks(metric, law), law, scores)


def regret(
    metric: Any, law: Law, ranking: Sequence[int] | None = None, *, scores: Sequence[Any] | None = None
) -> Fraction:
    """How much less a ranking (or a score vector) is worth on average than the best ranking.

    Parameters
    ----------
    metric : metric, its string, or a function ``(ranking, feedback) -> number``
        A function gets the items in ranked order, best first, and the feedback of the query. Its larger
        values are the better ones.
    law : Law
        The distribution of the feedback of a query.
    ranking : items, best first, optional
        Each item, counted from 0, once. Give either a ranking or ``scores``.
    scores : one number per item, optional
        Instead of a ranking: the mean over the rankings that sort them.

    Raises
    ------
    PrecisionError
        When a difference may be the rounding of the floats of a user's function.

    Examples
    --------
    >>> p = Law({(1, 0): "3/4", (0, 1): "1/4"})
    >>> regret("P@1", p, (1, 0)), regret("P@1", p, scores=[2, 2])
    (Fraction(1, 2), Fraction(1, 4))
    """
    if (ranking is None) == (scores is None):
        raise ArgumentError("regret needs a ranking or scores, and not both.")
    if _is_long(metric, law):
        return regret_by_sorting(metric_of(metric), law, ranking, scores)
    table = table_of(metric, law)
    every = dict(zip(table.rankings, expected_values(table, law.probabilities), strict=True))
    best = max(every.values())
    if table.slack:
        # What is a tie for `optimal_rankings` is one here.
        every = {r: mean if sign_of(table, mean - best) else best for r, mean in every.items()}
    if scores is not None:
        return best - _mean_of_sorting(every, law, scores)
    placed = tuple(ranking or ())
    if placed not in every:
        raise ArgumentError(
            f"A ranking lists each of the {law.items} items once, best first, got {tuple(placed)}."
        )
    return best - every[placed]


def _is_long(metric: Any, law: Any) -> bool:
    """Whether all rankings are too many to look at, for a metric of the library that may not need them."""
    own = isinstance(metric, Metric) and metric.by_users
    return isinstance(law, Law) and law.items > MOST_ITEMS and isinstance(metric, (str, Metric)) and not own


def _mean_of_sorting(every: Mapping[Ranking, Fraction], law: Law, scores: Sequence[Any]) -> Fraction:
    """The mean over the rankings that sort the scores."""
    if len(scores) != law.items:
        raise ArgumentError(
            f"Argument scores must have one number per item ({law.items}), got {len(scores)}."
        )
    sorting = list(sorting_rankings(scores))
    return sum((every[ranking] for ranking in sorting), Fraction(0)) / len(sorting)


def table_of(metric: Any, law: Law) -> ValueTable:
    """The values of the metric on the support of the law."""
    if not isinstance(law, Law):
        read = Law(law) if isinstance(law, Mapping) else None
        raise ArgumentError(
            f"Argument law must be a Law, got {type(law).__name__}."
            + ("" if read is None else f" Write rankproof.{read!r}.")
        )
    if law.items > MOST_ITEMS:
        raise ArgumentError(
            f"Exact risks look at all rankings, so a law may have at most {MOST_ITEMS} items, "
            f"got {law.items}."
        )
    return value_table(as_any_metric(metric), space_of(law))


def expected_values(table: ValueTable, probabilities: Sequence[Fraction]) -> list[Fraction]:
    """The mean value of every ranking of the table."""
    return [
        sum((p * value for p, value in zip(probabilities, row, strict=True) if p), Fraction(0))
        for row in table.values
    ]


def best_rankings(
    table: ValueTable, probabilities: Sequence[Fraction], *, surely: bool = False
) -> tuple[Ranking, ...]:
    """The rankings of the best mean value; refused when that depends on the precision of the values.

    ``surely`` asks for the margin that a proof on a user's floats needs.
    """
    means = expected_values(table, probabilities)
    most = max(means)
    if surely:
        for mean in means:
            sure_of(table, mean - most)
    best = tuple(r for r, mean in zip(table.rankings, means, strict=True) if sign_of(table, mean - most) == 0)
    if table.shadow is not None and best_rankings(table.shadow, probabilities) != best:
        raise PrecisionError(
            f"Which rankings are best for {table.metric} depends on digits beyond those computed: two "
            "precisions of its logarithms give different answers. Move the probabilities a little."
        )
    return best
