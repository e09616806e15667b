"""The mean fields of LightGBM's and XGBoost's objectives once more: plain Python by the definition.

Nothing of `rankproof.theory` is used. Of equal scores the order of the items counts, as in the engines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from rankproof.arrays import Float64s

__all__ = ["Weigh", "field_by_hand", "rests_in", "weigh_ap", "weigh_ndcg", "weigh_one"]

# How much longer a path may take that has not left.
PATIENCE = 10
Weigh = Callable[[Sequence[int], Sequence[int], int, int], float]


def weigh_one(labels: Sequence[int], ranking: Sequence[int], i: int, j: int) -> float:
    """Every pair counts alike."""
    return 1.0


def weigh_ndcg(labels: Sequence[int], ranking: Sequence[int], i: int, j: int) -> float:
    """By how much nDCG changes when two items change places."""
    swapped = [j if item == i else i if item == j else item for item in ranking]
    return abs(_ndcg(labels, ranking) - _ndcg(labels, swapped))


def weigh_ap(labels: Sequence[int], ranking: Sequence[int], i: int, j: int) -> float:
    """By how much AP changes when two items change places."""
    swapped = [j if item == i else i if item == j else item for item in ranking]
    return abs(_ap(labels, ranking) - _ap(labels, swapped))


def _ndcg(labels: Sequence[int], ranking: Sequence[int]) -> float:
    def dcg(order: Sequence[int]) -> float:
        return sum((2.0 ** labels[item] - 1.0) / math.log2(k + 2.0) for k, item in enumerate(order))

    return dcg(ranking) / dcg(sorted(ranking, key=lambda item: -labels[item]))


def _ap(labels: Sequence[int], ranking: Sequence[int]) -> float:
    places = [k for k, item in enumerate(ranking, start=1) if labels[item] > 0]
    return sum(hits / k for hits, k in enumerate(places, start=1)) / len(places)


def field_by_hand(
    law: Any,
    scores: Float64s,
    weigh: Weigh,
    *,
    c: float | None,
    by_sum: bool,
    sigma: float = 1.0,
    truncation: int = 30,
    table: bool = False,
) -> Float64s:
    """Minus the mean gradient at one vector of scores; ``table`` with LightGBM's table of the logistic."""
    ranking = [int(i) for i in np.argsort(-scores, kind="stable")]
    total = np.zeros(len(scores))
    for y, p in law.pairs():
        labels = [int(label) for label in y]
        force, size = np.zeros(len(scores)), 0.0
        for i, j in permutations(range(len(scores)), 2):
            if labels[i] > labels[j] and min(ranking.index(i), ranking.index(j)) < truncation:
                x = float(scores[i] - scores[j])
                push = sigma * weigh(labels, ranking, i, j) * _logistic(sigma * x, table)
                if c is not None and scores.max() != scores.min():
                    push /= c + abs(x)
                force[i] += push
                force[j] -= push
                size += 2.0 * push
        total += float(p) * force * (math.log2(1.0 + size) / size if by_sum and size > 0 else 1.0)
    return total


def _logistic(z: float, table: bool) -> float:
    """1 / (1 + e^z); LightGBM takes the left end of one of 2^20 steps from -25 to 25."""
    if table:
        z = -25.0 + math.floor(min(max((z + 25.0) / 50.0, 0.0), 1.0 - 2.0**-20) * 2**20) * 50.0 / 2**20
    return 0.5 - 0.5 * math.tanh(z / 2.0)


def rests_in(
    law: Any, rankings: Any, weigh: Weigh, *, c: float | None, by_sum: bool, steps: int = 800
) -> bool:
    """Whether a path that starts in one of the rankings ends in one of them.

    Euler's method with steps of a length that is given, and falls to a tenth: slow fields take no longer, and
    together the steps lead farther than any start is from a tie. Where two items hold each other at a tie,
    most of a step goes back and forth between them and the path drifts slowly, so it has more steps to leave.
    """
    for ranking in rankings:
        for upper, lower in ((0.3, 0.3), (2.0, 0.2), (0.2, 2.0), (0.03, 0.03), (2.5, 2.5)):
            scores = np.zeros(len(ranking))
            scores[list(ranking)] = (upper + lower, lower, 0.0) if len(ranking) == 3 else (upper, 0.0)
            for k in range(PATIENCE * steps):
                force = field_by_hand(law, scores, weigh, c=c, by_sum=by_sum)
                size = float(np.abs(force).max())
                scores = scores + 0.05 / (1.0 + 10.0 * min(k / steps, 1.0)) * force / max(size, 1e-300)
                if k >= steps and tuple(np.argsort(-scores, kind="stable").tolist()) not in rankings:
                    break
            else:
                return True
    return False
