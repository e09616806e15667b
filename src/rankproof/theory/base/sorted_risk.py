"""Regret and best rankings by sorting E[u], for metrics that are sums over ranks of c_k times their target.

No ranking is listed but the best ones, so that laws may have more items than `MOST_ITEMS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, islice, pairwise, permutations
from math import factorial
from typing import Any, NamedTuple

from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback import Law
from rankproof.feedback.spaces import MOST_ITEMS
from rankproof.metrics.base import Metric
from rankproof.metrics.discounted import discount_of
from rankproof.targets.choose import unconditional
from rankproof.targets.linear_form import linear_form
from rankproof.theory.arithmetic.metric_fractions import PRECISIONS, has_logarithms, in_fractions

__all__ = ["LinearRisk", "best_by_sorting", "linear_risk", "regret_by_sorting"]

# More best rankings than this are not listed.
MOST_LISTED = 5040


class LinearRisk(NamedTuple):
    """The weight of every rank, and E[u] of every item: a ranking is worth the sum of their products."""

    weights: tuple[Fraction, ...]
    means: tuple[Fraction, ...]


def linear_risk(metric: Metric, law: Law, digits: int = PRECISIONS[0]) -> LinearRisk:
    """The two, with logarithms of so many digits; raises `ArgumentError` for other metrics."""
    exact = in_fractions(metric, law.items, digits)
    aim = unconditional(exact) if isinstance(exact, Metric) and law.kind == "graded" else None
    form = None if aim is None else linear_form(exact, aim[0])
    if aim is None or form is None:
        raise ArgumentError(
            f"Exact risks look at all rankings, so a law may have at most {MOST_ITEMS} items, got "
            f"{law.items}. "
            "Only for DCG, nDCG, P, R, RBP and F with a cutoff, on graded laws, are they found by sorting "
            "the mean "
            f"of a target, and {metric} is not one of these. Take fewer items."
        )
    cutoff = form.cutoff if form.cutoff is not None else law.items  # type: ignore[attr-defined]
    weights = [
        Fraction(discount_of(form.discount, rank)) if rank <= cutoff else Fraction(0)  # type: ignore[attr-defined]
        for rank in range(1, law.items + 1)
    ]
    means = law.expect(aim[0].of_feedback)
    return LinearRisk(tuple(weights), tuple(map(Fraction, means)))


def regret_by_sorting(
    metric: Metric, law: Law, ranking: Sequence[int] | None, scores: Sequence[Any] | None
) -> Fraction:
    """What a ranking, or scores with their ties averaged over, lose against the best ranking."""
    weights, means = linear_risk(metric, law)
    best = sum((c * u for c, u in zip(weights, sorted(means, reverse=True), strict=True)), Fraction(0))
    if scores is not None:
        if len(scores) != law.items:
            raise ArgumentError(
                f"Argument scores must have one number per item ({law.items}), got {len(scores)}."
            )
        groups = [
            [i for i, s in enumerate(scores) if s == level] for level in sorted(set(scores), reverse=True)
        ]
    else:
        if sorted(ranking or ()) != list(range(law.items)):
            raise ArgumentError(
                f"A ranking lists each of the {law.items} items once, best first, got {tuple(ranking or ())}."
            )
        groups = [[i] for i in ranking or ()]
    value, above = Fraction(0), 0
    for group in groups:
        share = sum((means[i] for i in group), Fraction(0)) / len(group)
        value += share * sum(weights[above : above + len(group)], Fraction(0))
        above += len(group)
    return best - value


def best_by_sorting(metric: Metric, law: Law) -> tuple[tuple[int, ...], ...]:
    """All best rankings, in lexicographic order; refused when there are very many."""
    best = _best(metric, law, PRECISIONS[0])
    if has_logarithms(metric) and best != _best(metric, law, PRECISIONS[1]):
        raise PrecisionError(
            f"Which rankings are best for {metric} depends on digits beyond those computed: two precisions "
            "of "
            "its logarithms give different answers. Move the probabilities a little."
        )
    return best


def _best(metric: Metric, law: Law, digits: int) -> tuple[tuple[int, ...], ...]:
    """Ranks of equal weight are a block: which items are inside is settled by E[u], their order is free."""
    weights, means = linear_risk(metric, law, digits)
    order = sorted(range(law.items), key=lambda i: -means[i])
    partial: list[tuple[tuple[int, ...], frozenset[int]]] = [((), frozenset(order))]
    for a, b in _runs(weights):
        longer: list[tuple[tuple[int, ...], frozenset[int]]] = []
        for head, rest in partial:
            ranked = sorted(rest, key=lambda i: -means[i])
            least = means[ranked[b - a - 1]]
            sure = [i for i in ranked if means[i] > least]
            tied = [i for i in ranked if means[i] == least]
            for chosen in islice(combinations(tied, b - a - len(sure)), MOST_LISTED + 1):
                inside = [*sure, *chosen]
                if len(longer) + factorial(len(inside)) > MOST_LISTED:
                    raise _too_many(order)
                longer += [((*head, *one), rest - set(inside)) for one in permutations(inside)]
        partial = longer
    return tuple(sorted(head for head, _ in partial))


def _too_many(order: list[int]) -> ArgumentError:
    return ArgumentError(
        f"More than {MOST_LISTED} rankings are best, too many to list (below a cutoff every order is as "
        "good). One "
        f"of them is {tuple(order)}. Take rankproof.regret of the rankings in question."
    )


def _runs(values: Sequence[Fraction]) -> list[tuple[int, int]]:
    """Where equal values stand together."""
    edges = [0, *(k for k in range(1, len(values)) if values[k] != values[k - 1]), len(values)]
    return list(pairwise(edges))
