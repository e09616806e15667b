"""The minimiser of an expected loss: finite laws of targets, and a solver that is given the law alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np
from scipy.optimize import minimize

from properties.loss_cases import draw_targets
from rankproof.losses import Loss

PRECISE = {"gtol": 1e-10, "maxiter": 3000}


@dataclass(frozen=True)
class TargetLaw:
    """Targets of one query that occur with these probabilities; its items may have weights."""

    outcomes: np.ndarray
    probabilities: np.ndarray
    item_weights: np.ndarray | None = None

    @property
    def mean(self) -> np.ndarray:
        """E[targets]."""
        return self.probabilities @ self.outcomes

    def risk(self, loss: Loss, scores: np.ndarray) -> tuple[float, np.ndarray]:
        """The expected loss and its gradient: one query per outcome, weighted by its probability."""
        many, n = self.outcomes.shape
        found = loss.evaluate(
            np.tile(scores, many),
            self.outcomes.reshape(-1),
            np.arange(many + 1) * n,
            weights=self.probabilities,
            item_weights=None if self.item_weights is None else np.tile(self.item_weights, many),
            threads=1,
        )
        return found.value, found.gradient.reshape(many, n).sum(axis=0)


def draw_law(loss: Loss, rng: np.random.Generator, n: int, outcomes: int) -> TargetLaw:
    """A law whose means are told apart by far more than the solver's error."""
    while True:
        law = TargetLaw(
            np.array([draw_targets(loss, rng, n) for _ in range(outcomes)]),
            rng.dirichlet(np.ones(outcomes)),
        )
        gaps = [abs(a - b) for a, b in combinations(law.mean, 2)]
        # A mean of 0 sends scores to minus infinity for some losses; and 0 alone has no direction.
        positive = loss.needs == "target" or law.mean.min() > 0.05
        if min(gaps) > 0.05 and positive:
            return law


def minimiser(loss: Loss, law: TargetLaw) -> np.ndarray:
    """Scores of the least expected loss; from a start in every order when the loss is not convex."""
    n = law.mean.size
    if loss.claims.value("convex") and not loss.claims.value("smooth"):
        return whole_minimiser(loss, law)
    if loss.claims.value("convex"):
        starts = [np.zeros(n)]
    else:
        # Spread by the widths at which the losses bend, from nearly flat to nearly hard ranks.
        starts = [width * np.array(p) for p in permutations(range(n)) for width in (0.1, 1.0)]
    best, where = np.inf, starts[0]
    for start in starts:
        found = minimize(lambda s: law.risk(loss, s), start, jac=True, method="BFGS", options=PRECISE)
        if found.fun < best:
            best, where = found.fun, found.x
    # In units of the scores: a loss of their direction alone has slopes as steep as the scores are small.
    slope = np.abs(law.risk(loss, where)[1]).max() * min(1.0, float(np.linalg.norm(where)))
    assert slope < 1e-6, f"{loss} was not minimised: slope {slope} at {where}"
    return where


def whole_minimiser(loss: Loss, law: TargetLaw) -> np.ndarray:
    """For hinges, whose corners lie at whole differences: some minimiser has whole scores."""
    n = law.mean.size
    grid = [np.array(point, dtype=float) for point in product(range(n + 1), repeat=n)]
    best = min(grid, key=lambda s: law.risk(loss, s)[0])
    least = law.risk(loss, best)[0]
    # Convex: were it not a minimum, some small step would go down.
    rng = np.random.default_rng(0)
    steps = 10.0 ** rng.uniform(-3, 0, (200, 1)) * rng.normal(size=(200, n))
    assert all(law.risk(loss, best + step)[0] >= least - 1e-12 for step in steps)
    return best


def disagreements(scores: np.ndarray, mean: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (i, j) with mean_i above mean_j whose scores do not say so."""
    pairs = permutations(range(mean.size), 2)
    return [(i, j) for i, j in pairs if mean[i] > mean[j] and not scores[i] > scores[j]]
