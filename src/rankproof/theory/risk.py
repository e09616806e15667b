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
from rankproof.theory.spaces import MOST_ITEMS, space_of
from rankproof.theory.values import Ranking, ValueTable, as_any_metric, value_table

__all__ = [
    "best_rankings",
    "expected_values",
    "optimal_rankings",
    "regret",
    "risk_of_scores",
    "risks",
    "sorts_of",
]

# A difference below this share of the largest value is rounding, above it is not; see `sign_of`.
ROUNDED, TOLD_APART = 10, 10_000


def risks(metric: Any, law: Law) -> dict[Ranking, Fraction]:
    """E[value] of every ranking in gain form: for a metric of which less is better, minus its mean.

    A feedback that is empty for the metric adds 0 for every ranking. Logarithms are fractions of
    `rankproof.theory.arithmetic.exact.PRECISIONS` digits.
    """
    table = table_of(metric, law)
    return dict(zip(table.rankings, expected_values(table, law.probabilities), strict=True))


def optimal_rankings(metric: Any, law: Law) -> tuple[Ranking, ...]:
    """A_r(p): the rankings of the best mean value, in lexicographic order.

    Raises
    ------
    PrecisionError
        When the answer depends on digits of logarithms (or of a user's floats) that are not computed.
    """
    return best_rankings(table_of(metric, law), law.probabilities)


def risk_of_scores(metric: Any, law: Law, scores: Sequence[Any]) -> Fraction:
    """E[value] of a score vector: the mean over the rankings that sort it."""
    every = risks(metric, law)
    sorting = sorts_of(scores, law.items)
    return sum((every[ranking] for ranking in sorting), Fraction(0)) / len(sorting)


def regret(
    metric: Any, law: Law, ranking: Sequence[int] | None = None, *, scores: Sequence[Any] | None = None
) -> Fraction:
    """How much less a ranking (or a score vector) is worth on average than the best ranking."""
    if (ranking is None) == (scores is None):
        raise ArgumentError("regret needs a ranking or scores, and not both.")
    every = risks(metric, law)
    best = max(every.values())
    if scores is not None:
        sorting = sorts_of(scores, law.items)
        return best - sum((every[r] for r in sorting), Fraction(0)) / len(sorting)
    asked = tuple(ranking or ())
    if asked not in every:
        raise ArgumentError(
            f"A ranking lists each of the {law.items} items once, best first, got {tuple(asked)}."
        )
    return best - every[asked]


def sorts_of(scores: Sequence[Any], items: int | None = None) -> list[Ranking]:
    """All rankings that sort the scores; numbers that are equal are tied, however near others may be."""
    from itertools import chain, groupby, permutations, product

    listed = list(scores)
    if items is not None and len(listed) != items:
        raise ArgumentError(f"Argument scores must have one number per item ({items}), got {len(listed)}.")
    if any(score != score for score in listed):
        raise ArgumentError(f"Argument scores must be numbers, got {listed}.")
    order = sorted(range(len(listed)), key=lambda i: -listed[i])
    groups = [tuple(group) for _, group in groupby(order, key=lambda i: listed[i])]
    return sorted(tuple(chain(*parts)) for parts in product(*map(permutations, groups)))


def table_of(metric: Any, law: Law) -> ValueTable:
    """The values of the metric on the support of the law."""
    if not isinstance(law, Law):
        known = Law(law) if isinstance(law, Mapping) else None
        raise ArgumentError(
            f"Argument law must be a Law, got {type(law).__name__}."
            + ("" if known is None else f" Write rankproof.{known!r}.")
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


def best_rankings(table: ValueTable, probabilities: Sequence[Fraction]) -> tuple[Ranking, ...]:
    """The rankings of the best mean value; refused when that depends on the precision of the values."""
    means = expected_values(table, probabilities)
    most = max(means)
    best = tuple(r for r, mean in zip(table.rankings, means, strict=True) if sign_of(table, mean - most) == 0)
    if table.shadow is not None and best_rankings(table.shadow, probabilities) != best:
        raise PrecisionError(
            f"Which rankings are best for {table.metric} depends on digits beyond those computed: two "
            "precisions of its logarithms give different answers. Move the probabilities a little."
        )
    return best


def sign_of(table: ValueTable, difference: Fraction) -> int:
    """-1, 0 or 1 for a difference of (means of) values, with the rounding of a user's floats in mind."""
    if difference and table.slack:
        if abs(difference) <= ROUNDED * table.slack:
            return 0
        if abs(difference) < TOLD_APART * table.slack:
            raise PrecisionError(
                f"Values of {table.metric} differ by {float(difference):.3g}, which may be the rounding of "
                "its floats. Let it compute with fractions.Fraction, or move the probabilities a little."
            )
    return (difference > 0) - (difference < 0)
