"""XGBoost for `BoostedRanker`.

Trees grow leaf by leaf up to a number of leaves. A squared loss is XGBoost's own ``reg:squarederror`` on the
target, which starts from the mean; any other loss is an objective of ours, which starts from 0. What a sparse
matrix does not store XGBoost takes for missing, so a sparse matrix is made dense first.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.fit.boosters.base import Job, Outcome, Part, Watched, translated
from rankproof.fit.boosters.words import Words, combined
from rankproof.fit.engines.gradients import Gradients
from rankproof.fit.engines.missing import engine
from rankproof.fit.engines.steps import check_curvature
from rankproof.losses.base import Loss
from rankproof.losses.squared import Squared

__all__ = ["FILE", "check", "contributions", "dump", "importances", "load", "scores", "train"]

FILE = "booster.ubj"
ALIASES = {
    "learning_rate": ("eta",),
    "lambda": ("reg_lambda",),
    "seed": ("random_state",),
    "nthread": ("n_jobs",),
    "num_boost_round": ("n_estimators",),
}
_INSTEAD = {
    "num_boost_round": "n_estimators=",
    "learning_rate": "learning_rate=",
    "max_leaves": "num_leaves=",
    "lambda": "l2=",
    "min_child_weight": "min_data_in_leaf=",
    "seed": "random_state=",
    "nthread": "threads=",
    "objective": "loss=",
    "eval_metric": "metric=",
    "disable_default_eval_metric": "metric=",
    "early_stopping_rounds": "early_stopping_rounds=",
}


def check(loss: Loss, words: Words, categorical: bool, held_out: bool) -> None:  # noqa: ARG001
    """Raise `ArgumentError` for what XGBoost cannot do."""
    engine("xgboost")
    check_curvature(loss)
    given = parameters(words)
    kind = given.get("booster", "gbtree")
    if kind == "gblinear":
        raise ArgumentError(
            "parameters={'booster': 'gblinear'} has no trees. Use LinearRanker for a linear scoring function."
        )
    if kind == "dart" and held_out:
        raise ArgumentError(
            "parameters={'booster': 'dart'} changes earlier trees with every new one, so no tree can be told "
            "to be the last. Leave out validation, or dart."
        )
    if given.get("tree_method") == "exact" and words.leaves is not None:
        raise ArgumentError(
            "XGBoost's tree_method 'exact' grows trees by depth and has no number of leaves. "
            "Say num_leaves=None and parameters={'tree_method': 'exact', 'grow_policy': 'depthwise', "
            "'max_depth': ...}, or use 'hist'."
        )


def parameters(words: Words) -> dict[str, Any]:
    """The parameters of XGBoost that the words are."""
    ours = {
        "num_boost_round": words.trees,
        "learning_rate": words.learning_rate,
        "max_leaves": words.leaves,
        "lambda": words.l2,
        # The sum of second derivatives, which are 1 for squares and about 1 on average for any other loss.
        "min_child_weight": words.min_data_in_leaf,
        "seed": words.seed,
        "nthread": words.threads,
        "objective": "reg:squarederror",
        "eval_metric": (),
        "disable_default_eval_metric": True,
        "early_stopping_rounds": 0,
    }
    usual = {"tree_method": "hist", "verbosity": 1}
    if words.leaves is not None:
        usual |= {"grow_policy": "lossguide", "max_depth": 0}
    found = combined("xgboost", words, ours, usual, ALIASES, _INSTEAD)
    away = ("num_boost_round", "early_stopping_rounds", "eval_metric")
    return {name: value for name, value in found.items() if name not in away}


def train(job: Job) -> Outcome:
    """Boost with XGBoost."""
    xgb = engine("xgboost")
    params, known = parameters(job.words), job.supervision
    plain = isinstance(job.loss, Squared)
    more: dict[str, Any] = {"label": known.targets, "weight": known.row_weights} if plain else {}
    data = _matrix(job.train.X, job.categorical, job.words.threads, names=job.names, **more)
    objective = None
    if not plain:
        gradients = Gradients(job.loss, known, threads=job.words.threads)
        # XGBoost wants labels even where none are read.
        data.set_label(job.train.labels)
        params.setdefault("base_score", 0.0)

        def objective(predicted: Any, _data: Any) -> tuple[Float64s, Float64s]:
            return gradients.at(predicted)

    watched = None if job.valid is None else Watched(job, job.valid)
    held_out = None if job.valid is None else _held_out(job, job.valid)
    with translated("XGBoost", xgb.core.XGBoostError), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        booster = xgb.train(
            params,
            data,
            job.words.trees,
            obj=objective,
            callbacks=[_callback(xgb, job, watched, held_out)],
            verbose_eval=False,
        )
    _refuse_unknown(caught)
    if watched is not None:
        booster = booster[: watched.best + 1]
    model = load(bytes(booster.save_raw("ubj")))
    trees = model.num_boosted_rounds()
    return Outcome(model, trees) if watched is None else watched.outcome(model, trees)


def _callback(xgb: Any, job: Job, watched: Watched | None, held_out: Any) -> Any:
    base: Any = xgb.callback.TrainingCallback

    class AfterEveryTree(base):  # type: ignore[misc]  # known when XGBoost is loaded
        """Tells how it stands, and stops when the metric on validation data no longer gets better."""

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
            if watched is None:
                job.say(epoch + 1, "")
                return False
            watched.add(watched.of(model.predict(held_out, output_margin=True)))
            return job.words.patience is not None and epoch - watched.best >= job.words.patience

    return AfterEveryTree()


def _held_out(job: Job, valid: Part) -> Any:
    return _matrix(valid.X, job.categorical, job.words.threads, names=job.names)


def _matrix(X: Any, categorical: tuple[int, ...], threads: int, **more: Any) -> Any:
    names = more.pop("names", None)
    dense = X.toarray() if hasattr(X, "toarray") else X
    kinds = (
        ["c" if column in categorical else "q" for column in range(dense.shape[1])] if categorical else None
    )
    return engine("xgboost").DMatrix(
        dense,
        nthread=threads,
        feature_types=kinds,
        enable_categorical=bool(categorical),
        feature_names=None if names is None else list(names),
        **more,
    )


def _refuse_unknown(caught: list[warnings.WarningMessage]) -> None:
    """XGBoost warns of parameters that it does not use; all other warnings are passed on."""
    for one in caught:
        unused = re.search(r"Parameters: \{ (.*) \} are not used", str(one.message))
        if unused is not None:
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {unused[1]}, which XGBoost does not use."
            )
        warnings.warn(one.message, stacklevel=2)


def scores(model: Any, X: Any, categorical: tuple[int, ...], threads: int) -> Float64s:
    """The score of every row."""
    model.set_param({"nthread": threads})
    data = _matrix(X, categorical, threads)
    return np.asarray(model.predict(data, output_margin=True, validate_features=False), dtype=np.float64)


def contributions(model: Any, X: Any, categorical: tuple[int, ...], threads: int) -> Float64s:
    """SHAP values, and in the last column what scores are on average."""
    model.set_param({"nthread": threads})
    data = _matrix(X, categorical, threads)
    return np.asarray(model.predict(data, pred_contribs=True, validate_features=False), dtype=np.float64)


def importances(model: Any) -> Float64s:
    """The gain of all splits on each feature."""
    gains = model.get_score(importance_type="total_gain")
    names = model.feature_names or [f"f{column}" for column in range(model.num_features())]
    return np.array([float(gains.get(name, 0.0)) for name in names])


def dump(model: Any) -> bytes:
    """XGBoost's model in its binary form of JSON."""
    return bytes(model.save_raw("ubj"))


def load(raw: bytes) -> Any:
    """A booster from its bytes."""
    model = engine("xgboost").Booster()
    model.load_model(bytearray(raw))
    return model
