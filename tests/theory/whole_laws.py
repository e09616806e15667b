"""Laws with whole-number weights, many at once and exactly: best rankings, rankings that sort, ties.

A law is a row of weights, one per feedback of a space; it need not have sum 1, since factors do not change
which ranking is best. Values and targets become whole numbers by a common denominator, so that equal means
equal. Logarithms are the fractions of `rankproof.theory.arithmetic.metric_fractions`, the same in metric and
target.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

from rankproof.feedback import Law
from rankproof.feedback.spaces import Space
from rankproof.targets import Target
from rankproof.theory.arithmetic.metric_fractions import PRECISIONS, in_fractions
from rankproof.theory.base.values import value_table


def whole(rows: Any) -> np.ndarray:
    """The rows of fractions times their common denominator, as Python ints."""
    exact = [[Fraction(value) for value in row] for row in rows]
    steps = math.lcm(*(value.denominator for row in exact for value in row))
    return np.array([[int(value * steps) for value in row] for row in exact], dtype=object)


def values(metric: Any, space: Space) -> np.ndarray:
    """What every ranking is worth (columns) for every feedback (rows): more is better."""
    return whole(value_table(metric, space).values).T


def targets(target: Target, space: Space) -> np.ndarray:
    """u of every item (columns) for every feedback (rows)."""
    exact = in_fractions(target, space.items, PRECISIONS[0])
    return whole([exact.of_feedback(y) for y in space.feedback])


@cache
def rankings(items: int) -> np.ndarray:
    """All rankings, in the order of the columns of `values`."""
    return np.array(list(permutations(range(items))))


def best(worth: np.ndarray) -> np.ndarray:
    """Whether each ranking (column) is best under each law (row)."""
    return worth == worth.max(axis=1, keepdims=True)


def sorting(scores: np.ndarray) -> np.ndarray:
    """Whether each ranking (column) sorts each row of scores; equal scores may stand in any order."""
    placed = scores[:, rankings(scores.shape[1])]
    return np.all(placed[:, :, :-1] >= placed[:, :, 1:], axis=2)


def draw(rng: np.random.Generator, laws: int, feedbacks: int) -> np.ndarray:
    """Weights 0..5, mostly 0: few feedbacks a law, so that ties occur."""
    drawn = rng.integers(1, 6, (laws, feedbacks)) * (rng.random((laws, feedbacks)) < 4 / feedbacks)
    drawn[drawn.sum(axis=1) == 0, 0] = 1
    return drawn.astype(object)


def every(feedbacks: int, total: int) -> np.ndarray:
    """All weights of that sum: all laws whose probabilities are multiples of 1 / total."""
    if feedbacks == 1:
        return np.array([[total]], dtype=object)
    return np.vstack(
        [np.insert(every(feedbacks - 1, total - first), 0, first, axis=1) for first in range(total + 1)]
    )


def law(weights: Any, space: Space) -> Law:
    """One row of weights as a law."""
    mass = sum(int(w) for w in weights)
    return Law([(y, Fraction(int(w), mass)) for y, w in zip(space.feedback, weights, strict=True) if w])


@cache
def weak_orders(items: int) -> list[tuple[int, ...]]:
    """Scores of all ways to order the items with ties: levels 0, 1, ..., each of which occurs."""
    return [
        levels for levels in product(range(items), repeat=items) if set(levels) == set(range(max(levels) + 1))
    ]


def distance_when_sorted(mean: Any, ranking: Any) -> Fraction:
    """The least |s - mean|^2 over scores s that the ranking sorts: pool neighbours that stand wrong."""
    pools: list[list[Fraction]] = []
    for item in ranking:
        pools.append([Fraction(mean[item])])
        while len(pools) > 1 and _middle(pools[-2]) < _middle(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    return sum(((x - _middle(pool)) ** 2 for pool in pools for x in pool), Fraction(0))


def _middle(pool: list[Fraction]) -> Fraction:
    return sum(pool, Fraction(0)) / len(pool)
