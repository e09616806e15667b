"""XGBoost for `BoostedRanker`.

Trees grow leaf by leaf up to a number of leaves. The losses squared and relative are XGBoost's own
``reg:squarederror`` on a target, which starts from the mean; any other loss is an objective of ours, which
starts from 0. What a sparse matrix does not store XGBoost takes for missing, so a sparse matrix is made dense
first.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

from rankproof.adapters.gradients import Gradients
from rankproof.adapters.newton import check_hessian
from rankproof.adapters.regression import as_regression
from rankproof.arrays import Float32s, Float64s
from rankproof.errors import ArgumentError
from rankproof.fit.boosters.xgboost import FILE, as_dmatrix, dump, load, on_threads, scores
from rankproof.fit.trees.booster import (
    BoostingResult,
    Job,
    ValidationCurve,
    refuse_dart,
    translated,
)
from rankproof.fit.trees.parameters import TreeParameters, combined
from rankproof.fit.trees.unsupported import refuse_unsupported
from rankproof.forks import fork_safe
from rankproof.losses.base import Loss
from rankproof.optional import engine
from rankproof.threads import thread_count

__all__ = ["FILE", "check", "contributions", "dump", "importances", "load", "scores", "train"]

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
_ELSEWHERE = ("num_boost_round", "early_stopping_rounds", "eval_metric")


def check(loss: Loss, parameters: TreeParameters, categorical: bool, held_out: bool) -> None:  # noqa: ARG001
    """Raise `ArgumentError` for what XGBoost cannot do."""
    engine("xgboost")
    check_hessian(loss)
    combination = engine_parameters(parameters)
    for name in parameters.extra:
        refuse_unsupported("xgboost", name)
    kind = combination.get("booster", "gbtree")
    if kind == "gblinear":
        raise ArgumentError(
            "parameters={'booster': 'gblinear'} has no trees. Use LinearRanker for a linear scoring function."
        )
    if kind == "dart" and held_out:
        refuse_dart("booster")
    if combination.get("tree_method") == "exact" and parameters.leaves is not None:
        raise ArgumentError(
            "XGBoost's tree_method 'exact' grows trees by depth and has no number of leaves. "
            "Say num_leaves=None and parameters={'tree_method': 'exact', 'grow_policy': 'depthwise', "
            "'max_depth': ...}, or use 'hist'."
        )


def engine_parameters(parameters: TreeParameters) -> dict[str, Any]:
    """Our parameters as XGBoost's."""
    ours = {
        "learning_rate": parameters.learning_rate,
        "max_leaves": parameters.leaves,
        "lambda": parameters.l2,
        # A sum of second derivatives, which are 1 for squares; for other losses see `train`.
        "min_child_weight": parameters.min_data_in_leaf,
        "seed": parameters.seed,
        "nthread": thread_count(),
        "objective": "reg:squarederror",
        "disable_default_eval_metric": True,
    }
    usual = {"tree_method": "hist", "verbosity": 1}
    if parameters.leaves is not None:
        usual |= {"grow_policy": "lossguide", "max_depth": 0}
    return combined(
        "xgboost", parameters, ours, usual, elsewhere=_ELSEWHERE, aliases=ALIASES, instead=_INSTEAD
    )


@fork_safe
def train(job: Job) -> BoostingResult:
    """Boost with XGBoost."""
    xgb = engine("xgboost")
    params = engine_parameters(job.parameters)
    plain = as_regression(job.loss, job.supervision)
    more: dict[str, Any] = {} if plain is None else dict(zip(("label", "weight"), plain, strict=True))
    data = as_dmatrix(job.train.X, job.categorical, job.names, **more)
    objective = None
    if plain is None:
        gradients = Gradients(job.loss, job.supervision)
        # XGBoost wants labels even where none are read.
        data.set_label(job.train.labels)
        params.setdefault("base_score", 0.0)
        if job.parameters.min_data_in_leaf is not None:
            per_row = job.loss.declared("boosting").aim * job.loss.declared("boosting").bound
            params["min_child_weight"] = job.parameters.min_data_in_leaf * per_row

        def objective(predicted: Any, _data: Any) -> tuple[Float32s, Float32s]:
            return gradients.float32_at(predicted)

    watched = None if job.valid is None else ValidationCurve(job, job.valid)
    held_out = None if job.valid is None else as_dmatrix(job.valid.X, job.categorical, job.names)
    with translated("XGBoost", xgb.core.XGBoostError), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        booster = xgb.train(
            params,
            data,
            job.parameters.trees,
            obj=objective,
            callbacks=[_callback(xgb, job, watched, held_out, caught)],
            verbose_eval=False,
        )
    for one in caught:
        warnings.warn(one.message, stacklevel=2)
    if watched is not None:
        booster = booster[: watched.best + 1]
    model = load(bytes(booster.save_raw("ubj")))
    trees = model.num_boosted_rounds()
    return BoostingResult(model, trees) if watched is None else watched.result(model, trees)


def _callback(xgb: Any, job: Job, watched: ValidationCurve | None, held_out: Any, caught: list[Any]) -> Any:
    base: Any = xgb.callback.TrainingCallback

    class AfterEveryTree(base):  # type: ignore[misc]  # known when XGBoost is loaded
        """Tells how it stands, and stops when the metric on validation data no longer gets better."""

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
            if epoch == 0:
                _refuse_unused(caught)
            if watched is None:
                job.show(epoch + 1, "")
                return False
            watched.add(watched.value(model.predict(held_out, output_margin=True)))
            return job.parameters.patience is not None and epoch - watched.best >= job.parameters.patience

    return AfterEveryTree()


def _refuse_unused(caught: list[warnings.WarningMessage]) -> None:
    """XGBoost warns of parameters that it does not use, before its first tree is grown."""
    for one in caught:
        unused = re.search(r"Parameters: \{ (.*) \} are not used", str(one.message))
        if unused is not None:
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {unused[1]}, which XGBoost does not use."
            )


@fork_safe
def contributions(model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:
    """SHAP values, and in the last column what scores are on average."""
    on_threads(model)
    data = as_dmatrix(X, categorical)
    return np.asarray(model.predict(data, pred_contribs=True, validate_features=False), dtype=np.float64)


@fork_safe
def importances(model: Any) -> Float64s:
    """The gain of all splits on each feature."""
    gains = model.get_score(importance_type="total_gain")
    names = model.feature_names or [f"f{column}" for column in range(model.num_features())]
    return np.array([float(gains.get(name, 0.0)) for name in names])
