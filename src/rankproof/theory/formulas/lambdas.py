"""The formulas of LambdaRank and LambdaLoss: pairs whose weights follow the ranking of the scores.

The weights are held fixed when the formula is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from rankproof.losses.lambdas import LambdaLoss, LambdaRank
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.arithmetic.functions import as_number_like, softplus
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.formulas.target_numbers import ExactOrInterval, discount_weight, gain_worth, quotient

__all__ = ["lambdaloss", "lambdarank"]


def lambdarank(loss: LambdaRank, scores: Sequence[Any], labels: Sequence[ExactOrInterval]) -> Any:
    """The sum with w_ij = d(pi_i) - d(pi_j), the discounts cut off."""
    return _ranked_pairs(loss, scores, labels, loss.cutoff, lambda apart, step: apart)  # noqa: ARG005


def lambdaloss(loss: LambdaLoss, scores: Sequence[Any], labels: Sequence[ExactOrInterval]) -> Any:
    """The sum with the weights of NDCG-Loss2, or those and mu times the weights of LambdaRank."""
    if loss.scheme == "loss2":
        return _ranked_pairs(loss, scores, labels, None, lambda apart, step: step)  # noqa: ARG005
    mu = Fraction(loss.mu)
    return _ranked_pairs(loss, scores, labels, None, lambda apart, step: apart + mu * step)


def _ranked_pairs(
    loss: LambdaRank | LambdaLoss,
    scores: Sequence[Any],
    labels: Sequence[ExactOrInterval],
    cutoff: int | None,
    position_weight: Callable[[ExactOrInterval, ExactOrInterval], ExactOrInterval],
) -> Any:
    """The sum over y_i > y_j of |G_i - G_j| w_ij log(1 + e^(-sigma (s_i - s_j))), w as the scores rank."""
    n = len(scores)
    discounts = [discount_weight(loss.discount, k) for k in range(1, n + 2)]
    cut = [d if cutoff is None or k < cutoff else 0 for k, d in enumerate(discounts)]
    steps = [discounts[k] - discounts[k + 1] for k in range(n)]
    if any(isinstance(y, Enclosure) for y in labels):
        raise UnprovenError(f"Loss {loss} reads grades, got labels that are known as intervals.")
    gains = [gain_worth(loss.gain, y) for y in labels]
    best: ExactOrInterval = 0
    # Gains rise with the label, and exact labels can be sorted.
    for k, i in enumerate(sorted(range(n), key=lambda i: labels[i], reverse=True)):
        best = best + cut[k] * gains[i]
    if not best > 0:
        return scores[0] * 0
    rankings = _sorting_ranks(scores)
    total = scores[0] * 0
    for i, j in permutations(range(n), 2):
        if labels[i] > labels[j]:
            weight: ExactOrInterval = 0
            for ranks in rankings:
                first, last = sorted((ranks[i], ranks[j]))
                weight = weight + position_weight(cut[first] - cut[last], steps[last - first - 1])
            weight = quotient(weight * (gains[i] - gains[j]), best * len(rankings))
            cost = softplus((scores[j] - scores[i]) * Fraction(loss.sigma))
            total = total + as_number_like(scores, weight) * cost
    return total


def _sorting_ranks(scores: Sequence[Any]) -> list[tuple[int, ...]]:
    """The ranks (from 0) of the items in every ranking that sorts the scores.

    Of two items, both orders give the pair the same weight, so that their scores need not be compared.
    """
    n = len(scores)
    if n == 2:
        return [(0, 1)]
    return [tuple(ranking.index(i) for i in range(n)) for ranking in sorting_rankings(scores)]
