"""The mean field of LambdaRank and LambdaLoss once more: plain numpy by the definition, followed in time.

Nothing of `rankproof.theory` is used. Of equal scores the order of the items counts; a solver meets no ties.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from rankproof.arrays import Float64s

__all__ = ["MeanFieldByHand", "ends_of", "gains_over_ideal", "rests_best"]


def gains_over_ideal(labels: Any, cutoff: int | None = None) -> Float64s:
    """2^y - 1 over the ideal DCG@cutoff with 1 / log2(1 + k)."""
    gains = 2.0 ** np.asarray(labels, dtype=float) - 1.0
    discounts = 1.0 / np.log2(np.arange(2.0, gains.size + 2.0))
    if cutoff is not None:
        discounts[cutoff:] = 0.0
    ideal = float(np.sort(gains)[::-1] @ discounts)
    return gains / ideal if ideal > 0 else np.zeros(gains.size)


class MeanFieldByHand:
    """The mean of minus the gradient over a law, at many rows of scores at once."""

    def __init__(
        self, law: Any, kind: str = "lambdarank", cutoff: int | None = None, mu: float = 10.0
    ) -> None:
        terms = [(gains_over_ideal(list(y), cutoff), float(p)) for y, p in law.pairs()]
        n = terms[0][0].size
        self.leads = sum(p * np.maximum(u[:, None] - u[None, :], 0.0) for u, p in terms)
        discounts = 1.0 / np.log2(np.arange(2.0, n + 3.0))
        cut = discounts.copy()
        if cutoff is not None:
            cut[cutoff:] = 0.0
        self.weights = np.zeros((n, n))
        for k, m in permutations(range(n), 2):
            apart, step = abs(cut[k] - cut[m]), discounts[abs(k - m) - 1] - discounts[abs(k - m)]
            self.weights[k, m] = {"lambdarank": apart, "loss2": step, "loss2pp": apart + mu * step}[kind]

    def __call__(self, scores: Float64s) -> Float64s:
        ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
        weights = self.weights[ranks[:, :, None], ranks[:, None, :]] * self.leads
        push = weights / (1.0 + np.exp(scores[:, :, None] - scores[:, None, :]))
        return push.sum(axis=2) - push.sum(axis=1)  # type: ignore[no-any-return]


def ends_of(field: MeanFieldByHand, starts: Float64s, steps: int = 6000) -> tuple[Float64s, Float64s]:
    """Follow the field from every start by Euler's method; where it ends, and the speed there.

    The speed is 0 at a rest point inside of a ranking. Where two rankings push against each other it stays
    large, since Euler's method jumps to and fro across the tie.
    """
    scores = starts.copy()
    step = 1.0 / float(field.leads.sum() * field.weights.max())
    for _ in range(steps):
        scores += step * field(scores)
    return scores, np.abs(field(scores)).max(axis=1) / float(field.leads.max() * field.weights.max())


def rests_best(found: Any, plain: MeanFieldByHand, rng: np.random.Generator) -> bool:
    """Whether a plain solver, started in many places, comes to rest at scores that sort best."""
    starts = rng.normal(0.0, 2.0, (24, found.law.items))
    for k, ranking in enumerate(found.best_rankings[:8]):
        # Some in every best ranking.
        starts[k, list(ranking)] = np.sort(starts[k])[::-1]
    ends, speed = ends_of(plain, starts)
    at_rest = ends[speed < 1e-7]
    return any(tuple(int(i) for i in np.argsort(-s)) in found.best_rankings for s in at_rest)
