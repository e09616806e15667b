"""Small ranking data with a linear law behind them, for the tests of the solvers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import offsets_from_qid

# What scikit-learn's checks make rankers warn of: they know no query ids, and weigh single rows.
UNASKED = (
    "ignore::rankproof.errors.QueryWarning",
    "ignore:.* differs between items of one query:rankproof.errors.ConsistencyWarning",
)


class Made(NamedTuple):
    """Features, grades 0..4, query ids."""

    X: NDArray[Any]
    y: NDArray[np.float64]
    qid: NDArray[np.int64]

    @property
    def offsets(self) -> NDArray[np.int64]:
        return offsets_from_qid(self.qid)


def make(queries: int = 40, features: int = 6, *, longest: int = 12, seed: int = 0) -> Made:
    """Queries of 1..longest items; a grade is the rounded linear score plus noise, cut to 0..4."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest + 1, queries)
    X = rng.normal(size=(int(sizes.sum()), features)) * rng.uniform(0.5, 3, features) + rng.normal(
        size=features
    )
    hidden = rng.normal(size=features)
    noisy = (X - X.mean(axis=0)) @ hidden / np.sqrt(features) + rng.normal(size=sizes.sum())
    y = np.clip(np.round(noisy + 1), 0, 4)
    return Made(X, y, np.repeat(np.arange(queries) * 3 + 5, sizes))
