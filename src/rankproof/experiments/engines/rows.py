"""A law as rows to train on: queries in exact proportion to the law, one column per item."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.feedback import Graded, Law

__all__ = ["LEAST_QUERIES", "MOST_QUERIES", "LawRows", "law_rows", "queries_for"]

LEAST_QUERIES, MOST_QUERIES = 100, 20_000


@dataclass(frozen=True)
class LawRows:
    """Queries of equal length: ``X`` has a 1 in the column of the row's item."""

    X: Float64s
    labels: Float64s
    items: int
    queries: int


def queries_for(law: Law) -> int:
    """How many queries: the smallest number from 100 on that has every label vector in exact proportion.

    >>> queries_for(Law({(1, 0): "1/3", (0, 1): "2/3"}))
    102
    """
    if law.kind != Graded.kind:
        raise ArgumentError(f"Engines are trained on labels, but the law is on {law.kind} feedback.")
    unit = math.lcm(*(p.denominator for p in law.probabilities))
    if unit > MOST_QUERIES:
        raise ArgumentError(
            f"A law is trained on with queries in exact proportion, which takes {unit} queries here; "
            f"{MOST_QUERIES} is the most. Take probabilities with smaller denominators."
        )
    return unit * math.ceil(LEAST_QUERIES / unit)


def law_rows(law: Law, seed: int) -> LawRows:
    """The queries of a law; the seed shuffles queries, and the items of each query."""
    queries = queries_for(law)
    rng = np.random.default_rng(seed)
    vectors, _ = law.arrays()
    counts = [int(p * queries) for p in law.probabilities]
    labels = np.repeat(vectors, counts, axis=0)[rng.permutation(queries)]
    places = rng.permuted(np.tile(np.arange(law.items), (queries, 1)), axis=1)
    return LawRows(
        X=np.eye(law.items)[places.ravel()],
        labels=np.take_along_axis(labels, places, axis=1).ravel(),
        items=law.items,
        queries=queries,
    )
