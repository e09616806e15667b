"""The mean fields of a shipped formula in floats, for many laws at once: to search with, not to prove."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.feedback.spaces import Space
from rankproof.theory.shipped.lambdas import LambdaFormula, whole_labels

__all__ = ["FloatFields"]

# Scores that spread farther than this are on their way to infinity.
FARTHEST = 30.0
# The longest step of a score.
LONGEST = 0.5


class FloatFields:
    """What the label vectors of a space are to a formula."""

    def __init__(self, formula: LambdaFormula, space: Space) -> None:
        self.formula = formula
        n = space.items
        self.rankings = list(permutations(range(n)))
        self._index = np.zeros((n,) * n, dtype=np.int64)
        self._deltas = np.zeros((len(space), len(self.rankings), n, n))
        for k, ranking in enumerate(self.rankings):
            self._index[ranking] = k
            for at, y in enumerate(space.feedback):
                labels = whole_labels(y)
                for (i, j), delta in formula.deltas(labels, ranking).items():
                    self._deltas[at, k, i, j] = float(delta.middle)

    def ranking_index(self, scores: Float64s) -> Int64s:
        """Which ranking sorts each row of scores; of equal ones the first comes first, as in the engines."""
        order = np.argsort(-scores, axis=1, kind="stable")
        numbers: Int64s = self._index[tuple(order.T)]
        return numbers

    def at(
        self, support: Int64s, shares: Float64s, scores: Float64s, rankings: Int64s | None = None
    ) -> tuple[Float64s, Float64s]:
        """Mean field and curvature at rows of scores, each with its law: label vectors and their shares."""
        formula, sigma = self.formula, float(self.formula.sigma)
        which = self.ranking_index(scores) if rankings is None else rankings
        x = scores[:, :, None] - scores[:, None, :]
        weights = self._deltas[support, which[:, None]]
        if formula.by_gap is not None:
            apart = np.ptp(scores, axis=1) > 0
            near = np.where(apart[:, None, None], float(formula.by_gap) + np.abs(x), 1.0)
            weights = weights / near[:, None]
        h = 0.5 * (1.0 - np.tanh(0.5 * sigma * x))[:, None]
        lambdas = sigma * weights * h
        bends = sigma * lambdas * (1.0 - h)
        factor = shares
        if formula.by_sum:
            size = np.maximum(2.0 * lambdas.sum(axis=(2, 3)), 1e-300)
            factor = shares * np.log1p(size) / (size * np.log(2.0))
        mean, bend = (np.einsum("rd,rdij->rij", factor, part) for part in (lambdas, bends))
        return mean.sum(2) - mean.sum(1), bend.sum(2) + bend.sum(1)

    def ends(self, support: Int64s, shares: Float64s, starts: Float64s, steps: int = 150) -> Float64s:
        """Where the engines' steps, gradient over curvature, lead from rows of starts.

        A step never carries an item across another one in a single leap: it is shortened.
        """
        scores = starts.copy()
        for k in range(steps):
            field, bend = self.at(support, shares, scores)
            move = field / np.maximum(bend, 1e-12)
            pace = 0.3 if k < steps // 2 else 0.1
            scores += np.clip(pace * move, -LONGEST, LONGEST)
            scores -= scores.mean(axis=1, keepdims=True)
            scores = np.clip(scores, -FARTHEST, FARTHEST)
        return scores
