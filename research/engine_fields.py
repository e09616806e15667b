"""The mean fields of the engines' ranking objectives, in floats, under many laws at once.

Laws are of two or three items. A mean field is minus the mean gradient over the labels. Beside it is the
curvature that the engines divide it by.

- ``lambdarank``, ``rank:ndcg``, ``rank:pairwise``, ``rank:map``: the shipped formula
  (`rankproof.theory.shipped.lambdas`), where scores are equal in the mean over the orders of the rows;
- ``PairLogit``, ``QuerySoftMax``: the losses that they are;
- ``rank_xendcg``: its gradient is linear in its target (2^y - g) / sum(2^y - g), g drawn from (0, 1) for
  every item, so the mean field has the mean target, by Gauss's quadrature;
- ``YetiRank``: pairs that are neighbours in a ranking of scores plus noise, as in CatBoost's
  yetirank_helpers.cpp: weighed by what their labels differ times 0.85^rank; with ``mode=NDCG`` (Lyzhin,
  Ustimenko, Gulin and Prokhorenkova, "Which Tricks Are Important for Learning to Rank?", ICML 2023) by what
  their exchange changes of nDCG, with labels as gains, times 0.99^rank. The noise is log(u / (1 - u)), u
  drawn from (0, 1), so the probabilities of the rankings are one-dimensional integrals.

The draws of an iteration are replaced by their mean. That is a model of training, not training: the tests
compare its scores with those of the installed engines, and what is found with it is confirmed by training.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.feedback.spaces import Space
from rankproof.theory.shipped.floats import FloatFields
from rankproof.theory.shipped.lambdas import formula_of, whole_labels
from rankproof.theory.shipped.objective import EngineObjective

__all__ = ["EngineField", "field_of"]

# CatBoost's own default with mode=NDCG; without a mode it is 0.85.
DECAY_OF_NDCG = 0.99
# Of the integrals over the noise.
NODES = 48
# What a score can be at most away from another: no score then overflows.
FARTHEST = 30.0
# How far scores are moved apart at the start, so that items that are alike do not stay tied for ever.
APART = 1e-4


class EngineField(ABC):
    """What the label vectors of a space are to an objective."""

    def __init__(self, space: Space) -> None:
        self.items = space.items
        self.labels = np.array([whole_labels(y) for y in space.feedback], dtype=np.float64)

    @abstractmethod
    def of_laws(self, support: Int64s, shares: Float64s) -> Any:
        """What laws, given by their label vectors and shares, are to the objective whatever the scores."""

    @abstractmethod
    def at(self, laws: Any, scores: Float64s) -> tuple[Float64s, Float64s]:
        """Mean field and curvature at rows of scores, each under its law of `of_laws`."""

    def train(self, support: Int64s, shares: Float64s, rate: float, trees: int) -> Float64s:
        """Where training leads: from equal scores, in steps of the rate times field over curvature."""
        scores, laws = np.zeros((len(support), self.items)), self.of_laws(support, shares)
        for tree in range(trees):
            field, bend = self.at(laws, scores)
            scores += rate * np.clip(field / np.maximum(bend, 1e-12), -FARTHEST, FARTHEST)
            if tree == 0:
                scores += APART * np.arange(self.items) * np.ptp(scores, axis=1, keepdims=True)
            scores -= scores.mean(axis=1, keepdims=True)
            np.clip(scores, -FARTHEST, FARTHEST, out=scores)
        return scores


class _Lambdas(EngineField):
    def __init__(self, space: Space, objective: EngineObjective) -> None:
        super().__init__(space)
        formula = formula_of(objective)
        assert formula is not None
        self.floats = FloatFields(formula, space)

    def of_laws(self, support: Int64s, shares: Float64s) -> Any:
        return support, shares

    def at(self, laws: Any, scores: Float64s) -> tuple[Float64s, Float64s]:
        support, shares = laws
        if np.ptp(scores):
            return self.floats.at(support, shares, scores)
        parts = [
            self.floats.at(support, shares, scores, np.full(len(scores), k))
            for k in range(len(self.floats.rankings))
        ]
        field, bend = (np.mean([part[which] for part in parts], axis=0) for which in range(2))
        return field, bend


class _Softmax(EngineField):
    """Of cross entropy, field and curvature have the same factor: the sum of the targets of a query."""

    def __init__(self, space: Space, targets: Float64s) -> None:
        super().__init__(space)
        self.targets = targets

    def of_laws(self, support: Int64s, shares: Float64s) -> Any:
        return np.einsum("rd,rdi->ri", shares, self.targets[support])

    def at(self, laws: Any, scores: Float64s) -> tuple[Float64s, Float64s]:
        target = laws
        total = target.sum(axis=1, keepdims=True)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        rho = e / e.sum(axis=1, keepdims=True)
        return target - total * rho, total * rho * (1.0 - rho)


class _Pairs(EngineField):
    """Weighted pairs: ``weights`` of the label vectors by ranking, and how likely rankings are at scores."""

    def __init__(self, space: Space, decay: float | None = None, *, by_ndcg: bool = False) -> None:
        super().__init__(space)
        n = self.items
        self.noisy, self.rankings = decay is not None, list(permutations(range(n)))
        self.weights = np.zeros((len(space), len(self.rankings), n, n))
        for at, y in enumerate(self.labels):
            ideal = float(np.sort(y)[::-1] @ (1.0 / np.log2(np.arange(2.0, n + 2.0))))
            for r, ranking in enumerate(self.rankings):
                for k, m in product(range(n), repeat=2):
                    i, j = ranking[k], ranking[m]
                    if y[i] <= y[j] or (decay is not None and abs(k - m) != 1):
                        continue
                    weight = 1.0 if decay is None else decay ** min(k, m) * (y[i] - y[j])
                    if by_ndcg:
                        weight *= abs(1.0 / np.log2(k + 2.0) - 1.0 / np.log2(m + 2.0)) / ideal
                    self.weights[at, r, i, j] = weight

    def of_laws(self, support: Int64s, shares: Float64s) -> Any:
        return np.einsum("rd,rdkij->rkij", shares, self.weights[support])

    def at(self, laws: Any, scores: Float64s) -> tuple[Float64s, Float64s]:
        likely = np.stack([self._likely(scores[:, list(ranking)]) for ranking in self.rankings], axis=1)
        mean = np.einsum("rk,rkij->rij", likely, laws)
        h = 0.5 * (1.0 - np.tanh(0.5 * (scores[:, :, None] - scores[:, None, :])))
        force = mean * h
        bend = force * (1.0 - h)
        return force.sum(2) - force.sum(1), bend.sum(2) + bend.sum(1)

    def _likely(self, best_first: Float64s) -> Float64s:
        """How likely the noise puts the items in this order."""
        if not self.noisy:
            return np.full(len(best_first), 1.0 / len(self.rankings))
        # At the noise log(u / (1 - u)) of the second item.
        u, du = _unit_nodes(NODES)
        odds = u / (1.0 - u)
        upper = np.exp(np.clip(best_first[:, 0] - best_first[:, 1], -FARTHEST, FARTHEST))[:, None]
        chance = upper / (upper + odds)
        if self.items == 3:
            lower = np.exp(np.clip(best_first[:, 1] - best_first[:, 2], -FARTHEST, FARTHEST))[:, None]
            chance = chance * (lower * odds) / (1.0 + lower * odds)
        return np.asarray(chance @ du)


@cache
def _unit_nodes(count: int) -> tuple[Float64s, Float64s]:
    """Gauss's nodes and weights on (0, 1)."""
    x, w = np.polynomial.legendre.leggauss(count)
    return (x + 1.0) / 2.0, w / 2.0


def _drawn_targets(labels: Float64s) -> Float64s:
    """The means of (2^y - g) / sum(2^y - g) over g from (0, 1) for every item."""
    g, dg = _unit_nodes(NODES // 2)
    n = labels.shape[1]
    nodes = np.stack(np.meshgrid(*[g] * n, indexing="ij"), axis=-1).reshape(-1, n)
    weights = np.stack(np.meshgrid(*[dg] * n, indexing="ij"), axis=-1).reshape(-1, n).prod(axis=1)
    means = np.empty(labels.shape)
    for at, y in enumerate(labels):
        phi = 2.0**y - nodes
        means[at] = weights @ (phi / phi.sum(axis=1, keepdims=True))
    return means


def field_of(objective: EngineObjective, space: Space) -> EngineField:
    """The mean field of an objective on the label vectors of a space."""
    if formula_of(objective) is not None:
        return _Lambdas(space, objective)
    labels = np.array([whole_labels(y) for y in space.feedback], dtype=np.float64)
    if objective.name == "rank_xendcg":
        return _Softmax(space, _drawn_targets(labels))
    if objective.name == "QuerySoftMax":
        return _Softmax(space, labels)
    if objective.name == "PairLogit":
        return _Pairs(space)
    if objective.name != "YetiRank" or objective.value("mode") not in ("Classic", "NDCG"):
        raise ValueError(f"The mean field of {objective} is not known here.")
    if objective.value("mode") == "NDCG":
        return _Pairs(space, DECAY_OF_NDCG, by_ndcg=True)
    return _Pairs(space, float(objective.value("decay")))
