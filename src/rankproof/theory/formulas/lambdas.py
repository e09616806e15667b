"""LambdaRank and LambdaLoss: pairs whose weights follow the ranking of the scores.

One query adds w_ij lead_ij log(1 + e^(-sigma (s_i - s_j))) for every pair of items whose labels differ, where
``lead`` is the difference of their gains over the ideal DCG (`leads`), and w depends on their ranks alone
(`rank_weights`). The weights are held fixed when the formula is differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankproof.losses.lambdas import LambdaLoss, LambdaRank
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.arithmetic.functions import as_number_like, softplus
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.formulas.pairwise import Pairs
from rankproof.theory.formulas.target_numbers import ExactOrInterval, discount_weight, gain_worth, quotient

__all__ = ["lambdas", "leads", "rank_weights"]

Lambdas = LambdaRank | LambdaLoss


def leads(loss: Lambdas, labels: Sequence[ExactOrInterval]) -> Pairs:
    """(G_i - G_j) over the ideal DCG for the pairs with y_i > y_j; none where that is 0."""
    if any(isinstance(y, Enclosure) for y in labels):
        raise UnprovenError(f"Loss {loss} reads grades, got labels that are known as intervals.")
    cut = _discounts(loss, len(labels), _cutoff(loss))
    gains = [gain_worth(loss.gain, y) for y in labels]
    ideal: ExactOrInterval = 0
    # Gains rise with the label, and exact labels can be sorted.
    for k, i in enumerate(sorted(range(len(labels)), key=lambda i: labels[i], reverse=True)):
        ideal = ideal + cut[k] * gains[i]
    if not ideal > 0:
        return {}
    return {
        (i, j): quotient(gains[i] - gains[j], ideal)
        for i, y in enumerate(labels)
        for j, x in enumerate(labels)
        if y > x
    }


def rank_weights(loss: Lambdas, n: int) -> list[list[ExactOrInterval]]:
    """The weight of a pair at ranks k < m (from 0) as ``[k][m]``.

    LambdaRank: d(k) - d(m), the discounts cut off. NDCG-Loss2: delta_(m - k), the difference of neighbouring
    discounts. NDCG-Loss2++: the first, and mu times the second.
    """
    cut, discounts = _discounts(loss, n, _cutoff(loss)), _discounts(loss, n + 1, None)
    apart, step = _shares(loss)
    return [
        [
            0 if m <= k else apart * (cut[k] - cut[m]) + step * (discounts[m - k - 1] - discounts[m - k])
            for m in range(n)
        ]
        for k in range(n)
    ]


def _shares(loss: Lambdas) -> tuple[int, Fraction]:
    """How much of the difference of discounts, and of that of neighbouring ones, is in the weight."""
    scheme = getattr(loss, "scheme", None)
    if scheme is None:
        return 1, Fraction(0)
    return (0, Fraction(1)) if scheme == "loss2" else (1, Fraction(loss.mu))  # type: ignore[union-attr]


def _cutoff(loss: Lambdas) -> int | None:
    """LambdaLoss has none."""
    return getattr(loss, "cutoff", None)


def _discounts(loss: Lambdas, n: int, cutoff: int | None) -> list[ExactOrInterval]:
    return [
        discount_weight(loss.discount, k) if cutoff is None or k <= cutoff else 0 for k in range(1, n + 1)
    ]


def lambdas(loss: Lambdas, scores: Sequence[Any], labels: Sequence[ExactOrInterval]) -> Any:
    """The sum of one query at the ranking of the scores; of equal scores the mean over all that sort them."""
    weights, rankings = rank_weights(loss, len(scores)), _sorting_ranks(scores)
    total = scores[0] * 0
    for (i, j), lead in leads(loss, labels).items():
        weight: ExactOrInterval = 0
        for ranks in rankings:
            first, last = sorted((ranks[i], ranks[j]))
            weight = weight + weights[first][last]
        cost = softplus((scores[j] - scores[i]) * Fraction(loss.sigma))
        total = total + as_number_like(scores, weight * lead * Fraction(1, len(rankings))) * cost
    return total


def _sorting_ranks(scores: Sequence[Any]) -> list[tuple[int, ...]]:
    """The ranks (from 0) of the items in every ranking that sorts the scores.

    Of two items, both orders give the pair the same weight, so that their scores need not be compared.
    """
    n = len(scores)
    if n == 2:
        return [(0, 1)]
    return [tuple(ranking.index(i) for i in range(n)) for ranking in sorting_rankings(scores)]
