"""The three engines behind one function, with one budget: scores after every few trees, on any data.

The budget is the same for every loss: learning rate .05, 16 leaves (CatBoost: depth 4), each tree from 80 %
of the rows and 80 % of the features; everything else is the engine's default. Nothing stops early here:
whoever calls picks the number of trees from the scores of the validation part, with the same exact metric
for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rankproof as rp

__all__ = ["staged_scores"]

RATE, LEAVES, SHARE = 0.05, 16, 0.8
LIGHTGBM = {
    "learning_rate": RATE,
    "num_leaves": LEAVES,
    "feature_fraction": SHARE,
    "bagging_fraction": SHARE,
    "bagging_freq": 1,
    "verbose": -1,
    "metric": "None",
    "num_threads": 1,
}
XGBOOST = {
    "learning_rate": RATE,
    "max_leaves": LEAVES,
    "max_depth": 0,
    "grow_policy": "lossguide",
    "tree_method": "hist",
    "subsample": SHARE,
    "colsample_bytree": SHARE,
    "base_score": 0.0,
    "disable_default_eval_metric": True,
    "nthread": 1,
}
CATBOOST = {
    "learning_rate": RATE,
    "depth": 4,
    "bootstrap_type": "Bernoulli",
    "subsample": SHARE,
    "rsm": SHARE,
    "thread_count": 1,
    "logging_level": "Silent",
    "allow_writing_files": False,
}
Staged = list[np.ndarray]


def staged_scores(
    engine: str,
    objective: Any,
    train: rp.RankingData,
    others: Sequence[rp.RankingData],
    *,
    seed: int,
    trees: int,
    every: int = 1,
    labels: np.ndarray | None = None,
    **parameters: Any,
) -> Staged:
    """For each other data set an array (stages, items): scores after ``every``, 2 ``every``, ... trees.

    ``objective`` is the name of a loss of the engine, or a function of scores and the engine's data set.
    ``labels`` take the place of those of ``train``.
    """
    run = {"lightgbm": _lightgbm, "xgboost": _xgboost, "catboost": _catboost}[engine]
    known = train.labels if labels is None else labels
    return run(objective, train, known, others, seed, trees, every, parameters)


def _lightgbm(
    objective: Any,
    train: rp.RankingData,
    labels: np.ndarray,
    others: Sequence[rp.RankingData],
    seed: int,
    trees: int,
    every: int,
    parameters: dict[str, Any],
) -> Staged:
    import lightgbm as lgb

    data = lgb.Dataset(train.X, labels, group=train.sizes)
    watched = [data.create_valid(other.X, other.labels, group=other.sizes) for other in others]
    kept = _Kept(len(others), every)

    def watch(scores: np.ndarray, _: lgb.Dataset) -> list[Any]:
        kept.add(scores)
        return []

    lgb.train(
        {**LIGHTGBM, **parameters, "objective": objective, "seed": seed},
        data,
        trees,
        valid_sets=watched,
        feval=watch,
    )
    return kept.arrays()


def _xgboost(
    objective: Any,
    train: rp.RankingData,
    labels: np.ndarray,
    others: Sequence[rp.RankingData],
    seed: int,
    trees: int,
    every: int,
    parameters: dict[str, Any],
) -> Staged:
    import xgboost as xgb

    def matrix(data: rp.RankingData, y: np.ndarray) -> xgb.DMatrix:
        return xgb.DMatrix(data.X, y, group=data.sizes, nthread=1)

    kept = _Kept(len(others), every)

    def watch(scores: np.ndarray, _: xgb.DMatrix) -> tuple[str, float]:
        kept.add(scores)
        return "kept", 0.0

    given = {**XGBOOST, **parameters, "seed": seed}
    own = isinstance(objective, str)
    xgb.train(
        {**given, "objective": objective} if own else given,
        matrix(train, labels),
        trees,
        evals=[(matrix(other, other.labels), str(i)) for i, other in enumerate(others)],
        obj=None if own else objective,
        custom_metric=watch,
        verbose_eval=False,
    )
    return kept.arrays()


def _catboost(
    objective: str,
    train: rp.RankingData,
    labels: np.ndarray,
    others: Sequence[rp.RankingData],
    seed: int,
    trees: int,
    every: int,
    parameters: dict[str, Any],
) -> Staged:
    import catboost

    pool = catboost.Pool(train.X, labels, group_id=np.repeat(np.arange(train.queries), train.sizes))
    given = {**CATBOOST, **parameters, "random_seed": seed, "iterations": trees}
    model = catboost.CatBoost({**given, "loss_function": objective}).fit(pool)
    return [
        np.array(
            list(model.staged_predict(other.X, ntree_start=0, ntree_end=trees, eval_period=1, thread_count=1))
        )[every - 1 :: every].astype(np.float32)
        for other in others
    ]


class _Kept:
    """Scores as they are handed over, one data set after the other, tree after tree."""

    def __init__(self, sets: int, every: int) -> None:
        self.sets, self.every, self.calls = sets, every, 0
        self.scores: list[list[np.ndarray]] = [[] for _ in range(sets)]

    def add(self, scores: np.ndarray) -> None:
        tree, which = divmod(self.calls, self.sets)
        self.calls += 1
        if (tree + 1) % self.every == 0:
            self.scores[which].append(np.array(scores, np.float32))

    def arrays(self) -> Staged:
        return [np.array(kept) for kept in self.scores]
