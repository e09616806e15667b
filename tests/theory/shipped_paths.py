"""Paths along the mean fields of LightGBM's and XGBoost's objectives, under thousands of laws at once.

Laws are of three items. Nothing of `rankproof.theory` is used: the weights of pairs are those of
`theory.shipped_by_hand`, whose field for one law and one vector of scores is what the tests compare with. Of
equal scores the order of the items counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from theory.shipped_by_hand import PATIENCE, Weigh

__all__ = ["RANKINGS", "PathsByHand"]

RANKINGS = tuple(permutations(range(3)))
# Gaps, upper and lower, that paths start with inside of a ranking.
GAPS = ((0.3, 0.3), (2.0, 0.2), (0.2, 2.0), (0.03, 0.03), (2.5, 2.5))
# The items of the three pairs.
FIRST, SECOND = (0, 0, 1), (1, 2, 2)
# The ranking in which 0 is above 1, 0 above 2, 1 above 2, coded as 4, 2, 1; codes 2 and 5 are circles.
_BY_CODE = np.zeros(8, dtype=np.int64)
for _k, _ranking in enumerate(RANKINGS):
    _above = [_ranking.index(i) < _ranking.index(j) for i, j in zip(FIRST, SECOND, strict=True)]
    _BY_CODE[4 * _above[0] + 2 * _above[1] + _above[2]] = _k


class PathsByHand:
    """One formula under many laws of three items."""

    def __init__(self, laws: Sequence[Any], weigh: Weigh, *, c: float | None, by_sum: bool) -> None:
        self.c, self.by_sum = c, by_sum
        pairs = [list(law.pairs()) for law in laws]
        outcomes = max(map(len, pairs))
        self.shares = np.zeros((len(laws), outcomes))
        # The weight of a pair in an outcome and a ranking: above 0 where its first item is the better one.
        self.weights = np.zeros((len(laws), outcomes, len(RANKINGS), 3))
        cache: dict[tuple[int, ...], Float64s] = {}
        for at, terms in enumerate(pairs):
            for k, (y, p) in enumerate(terms):
                labels = tuple(int(label) for label in y)
                if labels not in cache:
                    cache[labels] = _weights(labels, weigh)
                self.shares[at, k] = float(p)
                self.weights[at, k] = cache[labels]

    def fields(self, at: Int64s, scores: Float64s) -> Float64s:
        """The mean fields at rows of scores, each under the law with the number in ``at``."""
        x = scores[:, FIRST] - scores[:, SECOND]
        weights = self.weights[at, :, self.rankings(scores)]
        # As tanh does not overflow.
        h = (0.5 - 0.5 * np.tanh(x / 2.0))[:, None]
        pushes = np.where(weights > 0, weights * h, weights * (1.0 - h))
        if self.c is not None:
            apart = np.ptp(scores, axis=1) > 0
            pushes = pushes / np.where(apart[:, None], self.c + np.abs(x), 1.0)[:, None]
        factor = self.shares[at]
        if self.by_sum:
            size = np.maximum(2.0 * np.abs(pushes).sum(axis=2), 1e-300)
            factor = factor * np.log2(1.0 + size) / size
            factor = np.where(size > 1e-290, factor, self.shares[at])
        mean = np.einsum("ro,rop->rp", factor, pushes)
        force = np.zeros_like(scores)
        for k in range(3):
            force[:, FIRST[k]] += mean[:, k]
            force[:, SECOND[k]] -= mean[:, k]
        return force

    def rankings(self, scores: Float64s) -> Int64s:
        """Which ranking sorts each row of scores."""
        above = scores[:, FIRST] >= scores[:, SECOND]
        numbers: Int64s = _BY_CODE[above @ np.array([4, 2, 1])]
        return numbers

    def rests_in(
        self, rankings: Sequence[Sequence[tuple[int, ...]]], *, steps: int = 800, patience: int = PATIENCE
    ) -> np.ndarray:
        """For every law, whether a path that starts in one of its rankings ends in one of them.

        Euler's method with steps as in `theory.shipped_by_hand.rests_in`. What stays for ``patience`` times
        the steps counts as an end.
        """
        allowed = np.zeros((len(rankings), len(RANKINGS)), dtype=bool)
        for at, some in enumerate(rankings):
            allowed[at, [RANKINGS.index(tuple(ranking)) for ranking in some]] = True
        law, which = (np.repeat(part, len(GAPS)) for part in np.nonzero(allowed))
        gaps = np.array(GAPS)[np.arange(law.size) % len(GAPS)]
        scores = np.zeros((law.size, 3))
        order = np.array(RANKINGS)[which]
        rows = np.arange(law.size)
        scores[rows, order[:, 0]], scores[rows, order[:, 1]] = gaps.sum(axis=1), gaps[:, 1]
        for k in range(patience * steps):
            if not law.size:
                break
            force = self.fields(law, scores)
            size = np.maximum(np.abs(force).max(axis=1, keepdims=True), 1e-300)
            scores += 0.05 / (1.0 + 10.0 * min(k / steps, 1.0)) * force / size
            if k >= steps:
                here = allowed[law, self.rankings(scores)]
                law, scores = law[here], scores[here]
        rests = np.zeros(len(rankings), dtype=bool)
        rests[law] = True
        return rests


def _weights(labels: Sequence[int], weigh: Weigh) -> Float64s:
    """By ranking and pair, with the sign of the first label less the second."""
    weights = np.zeros((len(RANKINGS), 3))
    for k, ranking in enumerate(RANKINGS):
        for pair, (i, j) in enumerate(zip(FIRST, SECOND, strict=True)):
            if labels[i] != labels[j]:
                sign = 1.0 if labels[i] > labels[j] else -1.0
                weights[k, pair] = sign * weigh(labels, ranking, *((i, j) if sign > 0 else (j, i)))
    return weights
