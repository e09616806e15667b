"""Thousands of random laws of labels at once: values of all rankings, mean targets, regrets of losses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from rankproof.losses import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.targets.base import Target


@cache
def all_rankings(n: int) -> np.ndarray:
    """Every ranking of n items, best first."""
    return np.array(list(permutations(range(n))))


@dataclass(frozen=True)
class DrawnLaws:
    """Labels (laws x outcomes x items) and their probabilities (laws x outcomes)."""

    labels: np.ndarray
    probabilities: np.ndarray

    @classmethod
    def draw(cls, rng: np.random.Generator, laws: int, outcomes: int, items: int, grades: int) -> DrawnLaws:
        """Random label vectors with random probabilities, in which every item is relevant at times."""
        labels = rng.integers(0, grades, (4 * laws, outcomes, items)).astype(float)
        labels = labels[(labels > 0).any(axis=1).all(axis=1)][:laws]
        return cls(labels, rng.dirichlet(np.ones(outcomes), labels.shape[0]))

    @property
    def items(self) -> int:
        return self.labels.shape[2]

    @property
    def offsets(self) -> np.ndarray:
        """One query for every outcome of every law."""
        return np.arange(self.probabilities.size + 1) * self.items

    def targets(self, target: Target) -> np.ndarray:
        """u of every outcome."""
        return target.values(self.labels.reshape(-1), self.offsets, threads=1).reshape(self.labels.shape)

    def means(self, target: Target) -> np.ndarray:
        """E[u] of every law."""
        return self.over_outcomes(self.targets(target))

    def over_outcomes(self, numbers: np.ndarray) -> np.ndarray:
        """The mean over the outcomes of every law."""
        return np.einsum("lo,lo...->l...", self.probabilities, numbers)

    def values(self, metric: Metric) -> np.ndarray:
        """The mean value in gain form of every ranking (laws x rankings), by the metric itself."""
        rankings = all_rankings(self.items)
        ranked = np.moveaxis(self.labels[:, :, rankings], 2, 1)
        queries = ranked.size // self.items
        lists = RankedLists(
            ranked.reshape(-1),
            np.tile(np.arange(1, self.items + 1, dtype=np.int32), queries),
            np.arange(queries + 1, dtype=np.int64) * self.items,
            np.full(queries, self.items, dtype=np.int64),
        )
        sign = 1.0 if metric.direction == "higher" else -1.0
        values = np.nan_to_num(metric.per_query(lists), nan=0.0) * sign
        return np.einsum("lo,lro->lr", self.probabilities, values.reshape(ranked.shape[:3]))

    def metric_regret(self, metric: Metric, scores: np.ndarray) -> np.ndarray:
        """What the ranking by the scores (without ties) of every law loses against the best ranking."""
        values = self.values(metric)
        order = np.argsort(-scores, axis=1)
        powers = self.items ** np.arange(self.items)
        place = {int(code): k for k, code in enumerate(all_rankings(self.items) @ powers)}
        taken = np.array([place[int(code)] for code in order @ powers])
        return values.max(axis=1) - values[np.arange(taken.size), taken]

    def loss_regret(self, loss: Loss, scores: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The expected loss of the scores less that of the best scores, which must have no slope left."""
        assert loss.target is not None
        u = self.targets(loss.target).reshape(-1)

        def risk(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            spread = np.repeat(s, self.labels.shape[1], axis=0).reshape(-1)
            found = loss.evaluate(spread, u, self.offsets, threads=1)
            values = found.per_query.reshape(self.probabilities.shape)
            return self.over_outcomes(values), self.over_outcomes(found.gradient.reshape(self.labels.shape))

        least, slope = risk(best)
        assert np.abs(slope).max() < 1e-9 * (1 + np.abs(u).max()), f"{loss} is not least at the scores given"
        return risk(scores)[0] - least


def best_scores(loss: Loss, mean: np.ndarray) -> np.ndarray:
    """The minimiser of the expected loss by its closed form, for laws of the given E[u] > 0."""
    if loss.name in ("kl", "softmax"):
        return np.log(mean)
    if loss.name == "bregman":
        p = loss.p  # type: ignore[attr-defined]
        return (mean**p).sum(axis=1, keepdims=True) ** ((2 - p) / p) * mean ** (p - 1)
    assert loss.name in ("squared", "centred-squared", "cosine")
    return mean


def near_misses(rng: np.random.Generator, mean: np.ndarray) -> np.ndarray:
    """Positive vectors to sort by in place of the mean: noisy, one pair just exchanged, or just reversed."""
    laws, n = mean.shape
    noisy = mean * np.exp(rng.choice([0.03, 0.3, 1.0], (laws, 1)) * rng.normal(size=mean.shape))
    rows = np.arange(laws)
    i, j = rng.permuted(np.tile(np.arange(n), (laws, 1)), axis=1)[:, :2].T
    exchanged = mean.copy()
    middle = (mean[rows, i] + mean[rows, j]) / 2
    higher = np.where(mean[rows, i] > mean[rows, j], i, j)
    exchanged[rows, i] = exchanged[rows, j] = middle
    exchanged[rows, i + j - higher] *= 1 + 1e-6
    reverse = mean.mean(axis=1, keepdims=True) * (1 - 1e-6 * np.argsort(np.argsort(mean, axis=1), axis=1))
    return np.choose(rng.integers(0, 3, (laws, 1)), [noisy, exchanged, reverse])
