"""Losses and metrics written out plainly, apart from the package: what tests compare counterexamples with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from rankproof.feedback import Law
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.counterexample import Counterexample

Scores = Sequence[float]
Labels = tuple[float, ...]

# Margins --------------------------------------------------------------------------------------------

MARGINS: dict[str, Callable[[float], float]] = {
    "logistic": lambda t: float(np.logaddexp(0.0, -t)),
    "exponential": lambda t: math.exp(-t),
    "squared-hinge": lambda t: max(0.0, 1.0 - t) ** 2,
    "hinge": lambda t: max(0.0, 1.0 - t),
}


def pairs(margin: str) -> Callable[[Scores, Labels], float]:
    """The sum of phi(s_i - s_j) over the pairs with y_i > y_j."""
    phi = MARGINS[margin]
    return lambda s, y: sum(phi(s[i] - s[j]) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j])


# Losses ---------------------------------------------------------------------------------------------


def log_sum_exp(s: Scores) -> float:
    return float(np.logaddexp.reduce(np.asarray(s, dtype=float)))


def gain(y: float) -> float:
    return 2.0**y - 1.0


def cross_entropy(target: Callable[[Labels], list[float]]) -> Callable[[Scores, Labels], float]:
    return lambda s, y: sum(u * (log_sum_exp(s) - x) for u, x in zip(target(y), s, strict=True))


def shares(weights: Sequence[float]) -> list[float]:
    return [w / sum(weights) for w in weights]


def listmle(s: Scores, y: Labels) -> float:
    """Items of one label are picked from all of it and what is below."""
    return sum(log_sum_exp([s[j] for j in range(len(y)) if y[j] <= y[i]]) - s[i] for i in range(len(y)))


def cosine_of_gains(s: Scores, y: Labels) -> float:
    g = np.array([gain(grade) for grade in y])
    norm = np.linalg.norm(g)
    return 1.0 - float(np.asarray(s) @ g) / float(np.linalg.norm(s) * norm) if norm else 1.0


LOSSES: dict[str, Callable[[Scores, Labels], float]] = {
    "squared:gain": lambda s, y: sum((x - gain(grade)) ** 2 for x, grade in zip(s, y, strict=True)),
    "listnet": cross_entropy(lambda y: shares([math.exp(grade) for grade in y])),
    "xe-ndcg": cross_entropy(lambda y: shares([2.0**grade - 0.5 for grade in y])),
    "cosine(normalize=true):gain": cosine_of_gains,
    "listmle": listmle,
    "softmax:relevance": cross_entropy(lambda y: [float(grade >= 1) for grade in y]),
    "softmax:satisfaction": cross_entropy(lambda y: [gain(grade) / 16.0 for grade in y]),
    "pointwise-logistic": lambda s, y: sum(
        float(np.logaddexp(0.0, -x if grade >= 1 else x)) for x, grade in zip(s, y, strict=True)
    ),
    "RankNet": pairs("logistic"),
    "RankBoost": pairs("exponential"),
    "preorder": pairs("squared-hinge"),
    "RankSVM": pairs("hinge"),
}

# Metrics, more is better --------------------------------------------------------------------------------


def dcg(ranking: Sequence[int], y: Labels) -> float:
    return sum(gain(y[item]) / math.log2(1 + rank) for rank, item in enumerate(ranking, start=1))


def ndcg(ranking: Sequence[int], y: Labels) -> float:
    best = max(dcg(other, y) for other in permutations(range(len(y))))
    return dcg(ranking, y) / best if best else 0.0


def pairs_kept(ranking: Sequence[int], y: Labels) -> float:
    lost = sum(y[below] > y[above] for k, above in enumerate(ranking) for below in ranking[k + 1 :])
    return -float(lost)


def err(ranking: Sequence[int], y: Labels) -> float:
    value, chance = 0.0, 1.0
    for rank, item in enumerate(ranking, start=1):
        stop = gain(y[item]) / 16.0
        value += chance * stop / rank
        chance *= 1.0 - stop
    return value


METRICS: dict[str, Callable[[Sequence[int], Labels], float]] = {
    "DCG": dcg,
    "nDCG": ndcg,
    "PD": pairs_kept,
    "ERR": err,
}

# Under a law ----------------------------------------------------------------------------------------


def entries(law: Law) -> list[tuple[Labels, float]]:
    return [(tuple(float(grade) for grade in y), float(p)) for y, p in law.pairs()]  # type: ignore[union-attr]


def risk(loss: str, law: Law, scores: Scores) -> float:
    return sum(p * LOSSES[loss](scores, y) for y, p in entries(law))


def worth(metric: str, law: Law) -> dict[tuple[int, ...], float]:
    """The mean of the metric for every ranking."""
    return {
        ranking: sum(p * METRICS[metric](ranking, y) for y, p in entries(law))
        for ranking in permutations(range(law.items))
    }


def minimiser(loss: str, law: Law) -> np.ndarray:
    """By the simplex method of Nelder and Mead, which knows nothing of gradients, from a few starts."""
    rng = np.random.default_rng(7)
    tries = [
        minimize(
            lambda s: risk(loss, law, s),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000, "maxfev": 4000},
        )
        for start in rng.normal(size=(3, law.items))
    ]
    return min(tries, key=lambda found: found.fun).x


def least_hinge(law: Law) -> float:
    """The least expected hinge loss of all pairs, by a linear program: one slack per ordered pair."""
    n = law.items
    weights = {(i, j): sum(p for y, p in entries(law) if y[i] > y[j]) for i, j in permutations(range(n), 2)}
    rows = []
    for k, (i, j) in enumerate(weights):
        row = np.zeros(n + len(weights))
        # slack >= 1 - (s_i - s_j)
        row[i], row[j], row[n + k] = -1.0, 1.0, -1.0
        rows.append(row)
    found = linprog(
        np.concatenate([np.zeros(n), list(weights.values())]),
        A_ub=np.array(rows),
        b_ub=-np.ones(len(weights)),
        bounds=[(0, 2 * n)] * n + [(0, None)] * len(weights),
    )
    return float(found.fun)


def pairs_slope(s: np.ndarray, y: object) -> np.ndarray:
    """The gradient of the logistic pairs."""
    slope = np.zeros(len(s))
    for i, j in permutations(range(len(s)), 2):
        if y[i] > y[j]:  # type: ignore[index]
            share = 1.0 / (1.0 + np.exp(s[i] - s[j]))
            slope[i] -= share
            slope[j] += share
    return slope


def holds_up(found: Counterexample, loss: str, metric: str) -> None:
    """The law, by hand: minimise the formula, try all rankings."""
    law = found.law
    values = worth(metric, law)
    best = max(values.values())
    tops = {ranking for ranking, value in values.items() if value > best - 1e-12}
    assert tops == set(found.best_rankings)
    assert found.cost > 0
    if loss == "RankSVM":
        # Hinges have many minimisers: the one that is shown is one of them.
        assert risk(loss, law, found.scores) == pytest.approx(least_hinge(law), abs=1e-9)
        reached = set(sorting_rankings(found.scores))
        assert reached == set(found.minimiser_rankings)
        assert not reached <= tops
        mean = sum(values[ranking] for ranking in reached) / len(reached)
        assert float(found.cost) == pytest.approx(best - mean, abs=1e-12)
        return
    scores = minimiser(loss, law)
    if loss.startswith("cosine"):
        # Blind to the length of the scores: the solver stops at any.
        scores /= np.linalg.norm(scores)
    ranking = tuple(np.argsort(-scores).tolist())
    assert ranking in found.minimiser_rankings
    assert ranking not in tops
    # Told apart by far more than the solver's error wherever one ranking is named.
    if len(found.minimiser_rankings) == 1:
        assert np.diff(np.sort(scores)).min() > 1e-4
    assert not tops & set(found.minimiser_rankings)
    lost = best - max(values[r] for r in found.minimiser_rankings)
    assert found.cost_value == pytest.approx(lost, abs=1e-12)
    assert best - values[ranking] > 1e-6
