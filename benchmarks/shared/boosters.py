"""The three engines behind one function, with one budget: scores after every few trees, on any data.

The budget is the same for every loss: learning rate .05, 16 leaves (CatBoost: depth 4), each tree from 80 %
of the rows and 80 % of the features; everything else is the engine's default. Nothing stops early here:
whoever calls picks the number of trees from the scores of the validation part, with the same exact metric
for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import rankproof as rp
from shared.made_data import dense

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
CATBOOST: dict[str, Any] = {
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
    weights: np.ndarray | None = None,
    **parameters: Any,
) -> Staged:
    """For each other data set an array (stages, items): scores after ``every``, 2 ``every``, ... trees.

    ``objective`` is the name of a loss of the engine, or a function of scores and the engine's data set.
    ``labels`` take the place of those of ``train``; ``weights`` are those of the items.
    """
    run = {"lightgbm": _lightgbm, "xgboost": _xgboost, "catboost": _catboost}[engine]
    known = train.labels if labels is None else labels
    return run(_Asked(objective, train, known, weights, others, seed, trees, every, parameters))


class _Asked(NamedTuple):
    """What is to be trained, and on what."""

    objective: Any
    train: rp.RankingData
    labels: np.ndarray
    weights: np.ndarray | None
    others: Sequence[rp.RankingData]
    seed: int
    trees: int
    every: int
    parameters: dict[str, Any]


def _lightgbm(asked: _Asked) -> Staged:
    import lightgbm as lgb

    data = lgb.Dataset(dense(asked.train), asked.labels, weight=asked.weights, group=asked.train.sizes)
    watched = [data.create_valid(dense(other), other.labels, group=other.sizes) for other in asked.others]
    kept = _Kept(len(asked.others), asked.every)

    def watch(scores: np.ndarray, _: lgb.Dataset) -> list[Any]:
        kept.add(scores)
        return []

    lgb.train(
        {**LIGHTGBM, **asked.parameters, "objective": asked.objective, "seed": asked.seed},
        data,
        asked.trees,
        valid_sets=watched,
        feval=watch,
    )
    return kept.arrays()


def _xgboost(asked: _Asked) -> Staged:
    import xgboost as xgb

    def matrix(data: rp.RankingData, y: np.ndarray, weights: np.ndarray | None = None) -> xgb.DMatrix:
        # With weights of items there can be no groups: XGBoost would take them for those of queries.
        group = data.sizes if weights is None else None
        return xgb.DMatrix(data.X, y, weight=weights, group=group, nthread=1)

    kept = _Kept(len(asked.others), asked.every)

    def watch(scores: np.ndarray, _: xgb.DMatrix) -> tuple[str, float]:
        kept.add(scores)
        return "kept", 0.0

    given = {**XGBOOST, **asked.parameters, "seed": asked.seed}
    own = isinstance(asked.objective, str)
    xgb.train(
        {**given, "objective": asked.objective} if own else given,
        matrix(asked.train, asked.labels, asked.weights),
        asked.trees,
        evals=[(matrix(other, other.labels), str(i)) for i, other in enumerate(asked.others)],
        obj=None if own else asked.objective,
        custom_metric=watch,
        verbose_eval=False,
    )
    return kept.arrays()


def _catboost(asked: _Asked) -> Staged:
    import catboost

    if not isinstance(asked.objective, str):
        return _catboost_by_trees(asked)
    pool = catboost.Pool(
        asked.train.X,
        asked.labels,
        weight=asked.weights,
        group_id=np.repeat(np.arange(asked.train.queries), asked.train.sizes),
    )
    given = {**CATBOOST, **asked.parameters, "random_seed": asked.seed, "iterations": asked.trees}
    model = catboost.CatBoost({**given, "loss_function": asked.objective}).fit(pool)
    return [
        np.array(
            list(
                model.staged_predict(
                    other.X, ntree_start=0, ntree_end=asked.trees, eval_period=1, thread_count=1
                )
            )
        )[asked.every - 1 :: asked.every].astype(np.float32)
        for other in asked.others
    ]


def _catboost_by_trees(asked: _Asked) -> Staged:
    """CatBoost's trees with derivatives from outside: each is its RMSE on what a Newton step asks for.

    CatBoost hands no groups to an objective. But its labels can stay as they are when what is to be learnt
    goes into the baseline, and then the quantised features serve all trees.
    """
    import catboost

    rows = asked.train.items
    held = np.arange(rows) % 2.0  # any labels that are not all equal
    pool = catboost.Pool(asked.train.X, held)
    pool.quantize()
    given = {**CATBOOST, "boost_from_average": False, "iterations": 1, "loss_function": "RMSE"}
    given |= asked.parameters
    scores, along = np.zeros(rows), [np.zeros(other.items) for other in asked.others]
    staged: list[list[np.ndarray]] = [[] for _ in asked.others]
    for tree in range(asked.trees):
        gradient, hessian = asked.objective(scores, None)
        pool.set_baseline((held + gradient / hessian)[:, None])
        pool.set_weight(hessian)
        # CatBoost adds less and less noise to the scores of splits; here every model is a first tree.
        left = rows * np.exp(-tree * given["learning_rate"])
        noise = given.get("random_strength", 1.0) * (left / (1 + left)) * (1 + rows) / rows
        model = catboost.CatBoost(
            {**given, "random_seed": asked.seed * asked.trees + tree, "random_strength": noise}
        ).fit(pool)
        pool.set_baseline(np.zeros((rows, 1)))
        scores += model.predict(pool, thread_count=1)
        for i, other in enumerate(asked.others):
            along[i] = along[i] + model.predict(other.X, thread_count=1)
            if (tree + 1) % asked.every == 0:
                staged[i].append(along[i].astype(np.float32))
    return [np.array(kept) for kept in staged]


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
