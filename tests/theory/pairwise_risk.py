"""Expected pairwise losses and where they are least, for the tests of L12; laws on the six rankings of three.

The library's losses are evaluated as they are; the search for the minimum is independent of the library's.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rankproof.feedback import Law, Permutation
from rankproof.losses import Preorder
from rankproof.metrics.disagreement import weight_of

# r1, ..., r6 of section 4.1 of L12, as items, best first.
RANKINGS = ("012", "102", "021", "120", "201", "210")


def on_permutations(*weights: int) -> Law:
    """The law with P1, ..., P6 in these proportions."""
    pairs = zip(RANKINGS, weights, strict=True)
    return Law([(Permutation.from_order(map(int, name)), Fraction(w, sum(weights))) for name, w in pairs])


def on_ratings(law: Law) -> Law:
    """The same law with rankings written as ratings, on which WPDL is defined."""
    return Law([(y.grades() if isinstance(y, Permutation) else y, p) for y, p in law.pairs()])


def favour(law: Law, i: int, j: int, weight: str) -> Fraction:
    """The sum over r with r_i > r_j of D(r_i, r_j) (P(r) - P(r with i, j exchanged))."""
    total = Fraction(0)
    for y, p in law.pairs():
        if y[i] != y[j]:
            sign = 1 if y[i] > y[j] else -1
            total += sign * p * weight_of(weight, max(y[i], y[j]), min(y[i], y[j]))  # type: ignore[assignment]
    return total


class Risk:
    """The conditional surrogate risk of eq. 4 for a loss of the library, with its gradient."""

    def __init__(self, law: Law, margin: str, weight: str = "one") -> None:
        labels, self.p = on_ratings(law).arrays()
        self.n, self.labels = law.items, labels.reshape(-1)
        self.offsets = np.arange(0, self.labels.size + 1, self.n)
        self.loss = Preorder(margin=margin, weight=weight)

    def __call__(self, scores: Any) -> tuple[float, np.ndarray]:
        tiled = np.tile(np.asarray(scores, float), self.p.size)
        found = self.loss.evaluate(tiled, self.labels, self.offsets, weights=self.p, threads=1)
        return found.value, found.gradient.reshape(-1, self.n).sum(axis=0)

    def least(self, tied: tuple[int, int] | None = None) -> tuple[float, np.ndarray]:
        """The least risk (with two scores held equal) and its scores."""
        return least(self, self.n, tied)


def least(
    risk: Callable[[np.ndarray], tuple[float, np.ndarray]], n: int, tied: tuple[int, int] | None = None
) -> tuple[float, np.ndarray]:
    """The minimum of a convex function of n scores; where it is at infinity, that within -30..30."""
    keep = np.eye(n)
    if tied is not None:
        keep[:, tied[0]] += keep[:, tied[1]]
        keep = np.delete(keep, tied[1], axis=1)

    def reduced(free: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = risk(keep @ free)
        return value, keep.T @ gradient

    found = minimize(
        reduced,
        np.zeros(keep.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-30, 30)] * keep.shape[1],
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
    )
    return float(found.fun), keep @ found.x


def hinge_minimisers(law: Law) -> list[tuple[int, ...]]:
    """All whole-number scores of least hinge risk with lowest score 0.

    The constraints of the linear program are on differences of scores, so its corners are whole numbers.
    """
    n = law.items
    pull = {(i, j): law.expect(lambda y, i=i, j=j: int(y[i] > y[j])) for i, j in permutations(range(n), 2)}
    grid = [s for s in product(range(n + 1), repeat=n) if min(s) == 0]
    cost = {s: sum(a * max(0, 1 - (s[i] - s[j])) for (i, j), a in pull.items()) for s in grid}
    return [s for s in grid if cost[s] == min(cost.values())]
