"""The world of the demonstration: ambiguous queries, whose labels follow a law that is written down.

A kind of query has a few items and two or three readings: what the user meant. Each reading comes with a
probability and grades the items its own way, so the labels of a query depend on each other, as they do when
one user looks for the film and another for the book. The features tell kind and item apart, so that a linear
scorer can represent every function of them: what a loss misses, it misses by itself.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.feedback import Law
from rankproof.worlds.finite import FiniteWorld

__all__ = ["GRADES", "ITEMS", "KINDS", "ambiguous_laws", "ambiguous_world", "draw_counted"]

KINDS, ITEMS = 40, 4
# Most items are of no use to a reader; a few are fair, good or perfect.
GRADES = (0, 0, 1, 2, 3)
STEPS = 10


def ambiguous_laws(seed: int = 0, kinds: int = KINDS, items: int = ITEMS) -> list[Law]:
    """One law per kind of query: two or three readings with probabilities in tenths.

    >>> print(ambiguous_laws(seed=0)[0])
    probability  y(0)  y(1)  y(2)  y(3)
    ...
    """
    rng = random.Random(seed)  # noqa: S311 - a world, not a secret
    return [_ambiguous(rng, items) for _ in range(kinds)]


def _ambiguous(rng: random.Random, items: int) -> Law:
    meanings = rng.randint(2, 3)
    cuts = sorted(rng.sample(range(1, STEPS), meanings - 1))
    chances = [Fraction(b - a, STEPS) for a, b in pairwise((0, *cuts, STEPS))]
    labels: dict[tuple[int, ...], None] = {}
    while len(labels) < meanings:
        vector = tuple(rng.choice(GRADES) for _ in range(items))
        if any(vector):
            labels[vector] = None
    return Law(zip(labels, chances, strict=True))


def ambiguous_world(laws: list[Law]) -> FiniteWorld:
    """The world of these kinds of queries, all equally frequent."""
    return FiniteWorld([dict(law.pairs()) for law in laws])


def draw_counted(world: FiniteWorld, queries: int, rng: np.random.Generator) -> RankingData:
    """A sample of that many queries, with equal queries counted instead of repeated.

    Losses are sums over queries, so a query with weight 7 is the same as seven such queries.
    """
    kinds = rng.multinomial(queries, [float(p) for p in world.probabilities])
    labels: list[Float64s] = []
    blocks, weights = [], []
    for law, X, many in zip(world.laws, world.features, kinds, strict=True):
        for y, count in zip(law.support, rng.multinomial(many, law.probabilities), strict=True):
            if count:
                labels.append(np.asarray(y, dtype=np.float64))
                blocks.append(X)
                weights.append(float(count))
    sizes = [len(y) for y in labels]
    return RankingData(
        labels=np.concatenate(labels),
        offsets=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        X=np.concatenate(blocks),
        query_weights=np.array(weights),
    )
