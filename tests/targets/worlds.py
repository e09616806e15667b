"""Laws of labels to try targets on, and the brute force that says whether sorting by E[u] is optimal.

A law is a list of (feedback, weight) with whole-number weights; it need not be normalised, since the order of
expectations does not change. Everything here is written from the definitions, apart from the library.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

from rankproof.feedback import Permutation, PreferenceGraph, as_feedback
from rankproof.metrics import Metric
from rankproof.targets import Target

Law = list[tuple[Any, int]]
TIED = 1e-13
SLACK = 1e-12


def items_of(law: Law) -> int:
    return as_feedback(law[0][0]).items if not isinstance(law[0][0], tuple) else len(law[0][0])


def worth(metric: Metric, ranking: tuple[int, ...], feedback: Any) -> Any:
    """The value on graphs and permutations, turned so that more is better."""
    return turned(metric, metric.of_ranking(ranking, feedback))


def turned(metric: Metric, value: Any) -> Any:
    """More is better; an empty query counts 0 for every ranking."""
    return 0 if value is None else value if metric.direction == "higher" else -value


@cache
def worth_of_labels(metric: Metric, ranked: tuple[Any, ...]) -> float:
    return float(turned(metric, metric.of_labels(ranked)))


@cache
def worths(metric: Metric, labels: tuple[Any, ...]) -> np.ndarray:
    """The value of every ranking, in the order of `permutations`."""
    return np.array([worth_of_labels(metric, ranked) for ranked in permutations(labels)])


@cache
def target_of(target: Target, labels: tuple[Any, ...]) -> np.ndarray:
    return np.array([float(value) for value in target.of_labels(labels)])


@cache
def rankings(n: int) -> np.ndarray:
    return np.array(list(permutations(range(n))))


def regret(metric: Metric, target: Target, law: Law) -> float:
    """By how much the worst ranking that sorts E[u] is worse than the best ranking."""
    mass = sum(weight for _, weight in law)
    every = rankings(items_of(law))
    if isinstance(law[0][0], tuple):
        values = sum(weight / mass * worths(metric, y) for y, weight in law)
        scores = sum(weight / mass * target_of(target, y) for y, weight in law)
    else:
        rows = [[float(worth(metric, tuple(r), y)) for r in every.tolist()] for y, _ in law]
        values = sum(weight / mass * np.array(row) for row, (_, weight) in zip(rows, law, strict=True))
        scores = sum(weight / mass * np.array(target.of_feedback(y), float) for y, weight in law)
    placed = scores[every]
    # Scores nearer than rounding are tied, and then every order of them counts.
    sorts = (placed[:, 1:] - placed[:, :-1] <= TIED).all(axis=1)
    return float(values.max() - values[sorts].min())


def expected_worths(metric: Metric, law: Law) -> dict[tuple[int, ...], float]:
    """The expected value of every ranking, turned so that more is better."""
    mass = sum(weight for _, weight in law)
    values = sum(weight / mass * worths(metric, y) for y, weight in law)
    return dict(zip(permutations(range(items_of(law))), values.tolist(), strict=True))


# Laws ----------------------------------------------------------------------------------------------


def random_law(rng: random.Random, n: int, grades: tuple[Any, ...], support: int = 4) -> Law:
    """Any joint law: a few label vectors with small weights, so that ties and near ties occur."""
    every = list(product(grades, repeat=n))
    chosen = rng.sample(every, min(len(every), rng.randint(1, support)))
    return [(y, rng.randint(1, 5)) for y in chosen]


def independent_law(rng: random.Random, n: int, grades: tuple[Any, ...]) -> Law:
    """Independent labels: the product of marginal laws, each on at least two grades."""
    marginals = [{y: rng.randint(0, 4) for y in grades} for _ in range(n)]
    law = [
        (y, math.prod(marginal[label] for marginal, label in zip(marginals, y, strict=True)))
        for y in product(grades, repeat=n)
    ]
    return [(y, weight) for y, weight in law if weight] or independent_law(rng, n, grades)


def one_relevant_law(rng: random.Random, n: int, relevant: list[Any], others: list[Any]) -> Law:
    """One item of a relevant grade, all others of grades that are not."""
    law = []
    for i in range(n):
        for _ in range(rng.randint(0, 2)):
            y = [rng.choice(others) for _ in range(n)]
            y[i] = rng.choice(relevant)
            law.append((tuple(y), rng.randint(1, 5)))
    return law or one_relevant_law(rng, n, relevant, others)


def rank_differentiable_law(rng: random.Random, n: int, grades: tuple[int, ...]) -> Law:
    """P(y) = h(grades of y, sorted) prod_i a_i^y_i: exchanging i, j multiplies by (a_i / a_j)^(y_j - y_i)."""
    pull = [rng.randint(1, 3) for _ in range(n)]
    free = {tuple(sorted(y)): rng.randint(0, 3) for y in product(grades, repeat=n)}
    least = min(grades)
    law = [
        (
            y,
            free[tuple(sorted(y))]
            * math.prod(a ** (label - least) for a, label in zip(pull, y, strict=True)),
        )
        for y in product(grades, repeat=n)
    ]
    return [(y, weight) for y, weight in law if weight] or rank_differentiable_law(rng, n, grades)


def is_rank_differentiable(law: Law) -> bool:
    """Of any two items one has P(y) >= P(y exchanged) for all y that grade it higher."""
    p = dict(law)
    n = items_of(law)

    def never_less(i: int, j: int) -> bool:
        for y in [*p, *(exchanged(y, i, j) for y in p)]:
            if y[i] > y[j] and p.get(y, 0) < p.get(exchanged(y, i, j), 0):
                return False
        return True

    return all(never_less(i, j) or never_less(j, i) for i in range(n) for j in range(i))


def exchanged(y: tuple[Any, ...], i: int, j: int) -> tuple[Any, ...]:
    new = list(y)
    new[i], new[j] = y[j], y[i]
    return tuple(new)


def has_low_noise(difference: list[list[Any]]) -> bool:
    """Duchi et al. Def. 8 on the mean of a_ij - a_ji: along i -> k -> j the differences at least add up."""
    n = len(difference)
    return all(
        difference[i][j] >= difference[i][k] + difference[k][j] - TIED
        for i, k, j in permutations(range(n), 3)
        if difference[i][k] > 0 and difference[k][j] > 0
    )


def preferences(y: Any) -> PreferenceGraph:
    feedback = as_feedback(y)
    return feedback if isinstance(feedback, PreferenceGraph) else feedback.preferences()


def mean_difference(law: Law, scale: Callable[[PreferenceGraph], float]) -> list[list[Any]]:
    n = items_of(law)
    total: list[list[Any]] = [[0] * n for _ in range(n)]
    for y, weight in law:
        graph = preferences(y)
        for i, j, a in graph.edges:
            part = weight * a / scale(graph) if scale(graph) != 1 else weight * a
            total[i][j] += part
            total[j][i] -= part
    return total


def random_graph(rng: random.Random, n: int) -> PreferenceGraph:
    order = rng.sample(range(n), n)
    edges = {
        (order[i], order[j]): Fraction(rng.randint(0, 4), 4)
        for i in range(n)
        for j in range(i + 1, n)
        if rng.random() < 0.7
    }
    return PreferenceGraph(edges, n)


def order_preserving_law(rng: random.Random, n: int) -> Law:
    """Mallows' law around a random ranking: P falls by a factor with every pair in another order."""
    base, centre = rng.randint(2, 4), rng.sample(range(n), n)

    def agreeing(order: tuple[int, ...]) -> int:
        place = {item: k for k, item in enumerate(order)}
        return sum(place[centre[a]] < place[centre[b]] for a in range(n) for b in range(a + 1, n))

    return [(Permutation.from_order(order), base ** agreeing(order)) for order in permutations(range(n))]
