"""Expected losses by the kernels, their minimisers in floats, and laws under which these are finite."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rankproof.feedback import Law
from rankproof.losses import Loss
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.minimum import Minimum, sure_pairs

PRECISE = {"gtol": 1e-9, "maxiter": 500}


def risk(loss: Loss, law: Law, scores: Any) -> tuple[float, np.ndarray]:
    """The expected loss and its gradient by the kernels: one query per feedback."""
    labels, p = law.arrays()
    many, n = labels.shape
    offsets = np.arange(many + 1) * n
    targets = loss.targets(labels.reshape(-1), offsets)
    found = loss.evaluate(np.tile(scores, many), targets, offsets, weights=p, threads=1)
    return found.value, found.gradient.reshape(many, n).sum(axis=0)


def solve(loss: Loss, law: Law) -> np.ndarray:
    """Scores of the least expected loss, in floats."""
    n = law.items
    if getattr(loss, "margin", None) == "hinge":
        # Corners of the hinges lie at whole differences.
        grid = [np.array(s, dtype=float) for s in product(range(n), repeat=n)]
        return min(grid, key=lambda s: risk(loss, law, s)[0])
    start = np.linspace(0.1, 0.2, n)
    return np.asarray(
        minimize(lambda s: risk(loss, law, s), start, jac=True, method="BFGS", options=PRECISE).x
    )


def draw_law(rng: np.random.Generator, n: int, top: int) -> Law:
    """Every label vector with a random probability, so that no score runs to infinity."""
    weights = {y: int(rng.integers(1, 30)) for y in product(range(top + 1), repeat=n)}
    mass = sum(weights.values())
    return Law({y: Fraction(w, mass) for y, w in weights.items()})


def rankings_of_minimum(minimum: Minimum) -> set[tuple[int, ...]]:
    """Rankings (best item first) that are proven to sort a minimiser, or scores towards the infimum.

    With radius 0 these are all rankings that sort the center, whose ties are exact; otherwise the one ranking
    of all items when every pair is sure, else none.
    """
    n = len(minimum.center)
    if minimum.radius and len(sure_pairs(minimum)) < n * (n - 1) // 2:
        return set()
    return set(sorting_rankings(minimum.center))
