"""Training an engine on the rows of a law: the scores of the items after every tree.

Each function takes the engine's parameters, the rows, and how many trees; the scores of the items are read
off the model with one row per item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.experiments.engines.rows import LawRows, law_rows
from rankproof.experiments.engines.settings import installed_engine, objective_settings, tree_settings
from rankproof.feedback import Law
from rankproof.metrics.base import Metric
from rankproof.theory.shipped.objective import EngineObjective

__all__ = ["train_objective", "train_ours"]


def train_objective(objective: EngineObjective, law: Law, rate: float, trees: int, seed: int) -> Float64s:
    """Scores (trees × items) of the installed engine with an objective of its own."""
    chosen = objective_settings(objective)
    if objective.engine == "lightgbm":
        # Where its target is drawn at random, a seed of its own says how.
        chosen.setdefault("objective_seed", seed)
    settings = {**tree_settings(objective.engine, law.items), **chosen}
    return _TRAINERS[objective.engine](settings, law_rows(law, seed), rate, trees, seed, None)


def train_ours(engine: str, metric: Metric, law: Law, rate: float, trees: int, seed: int) -> Float64s:
    """The same trees on the same rows, with the loss that rankproof chooses for the metric.

    CatBoost gets the target of the metric as its labels, and its own squared loss.
    """
    settings = tree_settings(engine, law.items)
    return _TRAINERS[engine](settings, law_rows(law, seed), rate, trees, seed, metric)


def _lightgbm(
    settings: Mapping[str, Any], rows: LawRows, rate: float, trees: int, seed: int, ours: Metric | None
) -> Float64s:
    lightgbm = installed_engine("lightgbm")
    settings = {**settings, "learning_rate": rate, "seed": seed, "num_threads": 1, "verbosity": -1}
    if ours is not None:
        from rankproof.adapters.lightgbm import parameters

        settings.update(parameters(ours, threads=1))
    data = lightgbm.Dataset(rows.X, rows.labels, group=[rows.items] * rows.queries, params=settings)
    model = lightgbm.train(settings, data, trees)
    every = [
        model.predict(np.eye(rows.items), start_iteration=t, num_iteration=1, raw_score=True)
        for t in range(trees)
    ]
    return np.cumsum(np.asarray(every, dtype=np.float64), axis=0)


def _xgboost(
    settings: Mapping[str, Any], rows: LawRows, rate: float, trees: int, seed: int, ours: Metric | None
) -> Float64s:
    xgboost = installed_engine("xgboost")
    settings = {**settings, "eta": rate, "seed": seed, "nthread": 1, "verbosity": 0}
    objective = None
    if ours is not None:
        from rankproof.adapters.xgboost import objective as objective_for

        objective = objective_for(ours, threads=1)
    data = xgboost.DMatrix(rows.X, rows.labels, nthread=1)
    data.set_group([rows.items] * rows.queries)
    model = xgboost.train(settings, data, trees, obj=objective)
    items = xgboost.DMatrix(np.eye(rows.items), nthread=1)
    every = [model.predict(items, iteration_range=(0, t), output_margin=True) for t in range(1, trees + 1)]
    return np.asarray(every, dtype=np.float64)


def _catboost(
    settings: Mapping[str, Any], rows: LawRows, rate: float, trees: int, seed: int, ours: Metric | None
) -> Float64s:
    catboost = installed_engine("catboost")
    labels, sizes = rows.labels, [rows.items] * rows.queries
    settings = {**settings, "learning_rate": rate, "iterations": trees, "random_seed": seed}
    if ours is not None:
        from rankproof.adapters.regression import regression_target

        settings["loss_function"] = "QueryRMSE"
        labels = regression_target(ours, labels, group=sizes, threads=1)
    pool = catboost.Pool(rows.X, labels, group_id=np.repeat(np.arange(rows.queries), rows.items))
    model = catboost.CatBoost({**settings, "thread_count": 1, "verbose": False, "allow_writing_files": False})
    model.fit(pool)
    every = list(model.staged_predict(np.eye(rows.items), thread_count=1))
    return np.asarray(every, dtype=np.float64)


_Trainer = Callable[[Mapping[str, Any], LawRows, float, int, int, Metric | None], Float64s]
_TRAINERS: dict[str, _Trainer] = {"lightgbm": _lightgbm, "xgboost": _xgboost, "catboost": _catboost}
