"""Small ranking data for the engines, and the exact metric of a model after each of its trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankproof as rp
from fit.made_data import make

# One thread and a seed everywhere: the same bits from run to run.
LIGHTGBM = {
    "num_threads": 1,
    "verbose": -1,
    "seed": 3,
    "deterministic": True,
    "force_row_wise": True,
    "num_leaves": 7,
    "min_data_in_leaf": 3,
}
XGBOOST = {"nthread": 1, "seed": 3, "max_depth": 3, "verbosity": 1}
CATBOOST = {
    "thread_count": 1,
    "random_seed": 3,
    "depth": 3,
    "iterations": 20,
    "verbose": False,
    "allow_writing_files": False,
}


class Ranked(NamedTuple):
    """Features, labels, query sizes."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    sizes: NDArray[np.int64]

    @property
    def offsets(self) -> NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum(self.sizes)))

    @property
    def qid(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    def value(self, scores: NDArray[np.float64], metric: str, **more: object) -> float:
        """The exact mean, by the evaluator that users call."""
        return rp.evaluate(scores, self.y, metric, offsets=self.offsets, warn=False, **more).mean[metric]


def ranked(queries: int = 40, *, seed: int = 0, longest: int = 12) -> Ranked:
    """Graded data with a linear law behind them, one-item queries among them."""
    made = make(queries, 4, longest=longest, seed=seed)
    return Ranked(made.X, made.y, np.diff(made.offsets))


def train_and_valid(seed: int = 0) -> tuple[Ranked, Ranked]:
    """Two parts of one law."""
    both = ranked(80, seed=seed)
    cut = int(both.offsets[50])
    return (
        Ranked(both.X[:cut], both.y[:cut], both.sizes[:50]),
        Ranked(both.X[cut:], both.y[cut:], both.sizes[50:]),
    )


def best_of(stages: Iterable[NDArray[np.float64]], value: Callable[[NDArray[np.float64]], float]) -> int:
    """The first stage, counted from 0, with the best value."""
    return int(np.argmax([value(scores) for scores in stages]))
