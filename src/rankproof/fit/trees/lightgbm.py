"""LightGBM for `BoostedRanker`.

The losses squared and relative are LightGBM's own ``regression`` on a target: it starts from the mean, and
its models are ordinary regression models to every exporter. Any other loss is an objective of ours.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rankproof.adapters.gradients import Gradients
from rankproof.adapters.newton import check_hessian
from rankproof.adapters.regression import as_regression, is_regression
from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.fit.boosters.lightgbm import FILE, dump, load, scores
from rankproof.fit.matrix import as_dense, sparse_as_matrix
from rankproof.fit.trees.booster import (
    BoostingResult,
    Job,
    ValidationCurve,
    refuse_dart,
    translated,
)
from rankproof.fit.trees.parameters import TreeParameters, canonical_name, combined
from rankproof.fit.trees.unsupported import refuse_idle, refuse_unsupported
from rankproof.forks import fork_safe
from rankproof.losses.base import LOSSES, Loss
from rankproof.optional import engine
from rankproof.threads import thread_count

__all__ = ["FILE", "check", "contributions", "dump", "importances", "load", "scores", "train"]

ALIASES = {
    "num_iterations": (
        *("num_iteration", "n_iter", "num_tree", "num_trees", "num_round", "num_rounds", "nrounds"),
        *("num_boost_round", "n_estimators", "max_iter"),
    ),
    "learning_rate": ("shrinkage_rate", "eta"),
    "num_leaves": ("num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"),
    "lambda_l2": ("reg_lambda", "lambda", "l2_regularization"),
    "min_data_in_leaf": ("min_data_per_leaf", "min_data", "min_child_samples", "min_samples_leaf"),
    "seed": ("random_seed", "random_state"),
    "num_threads": ("num_thread", "nthread", "nthreads", "n_jobs"),
    "objective": ("objective_type", "app", "application", "loss"),
    "metric": ("metrics", "metric_types"),
    "early_stopping_round": ("early_stopping_rounds", "early_stopping", "n_iter_no_change"),
    "categorical_feature": ("cat_feature", "categorical_column", "cat_column", "categorical_features"),
    "verbosity": ("verbose",),
    "boosting": ("boosting_type", "boost"),
}
_INSTEAD = {
    "num_iterations": "n_estimators=",
    "learning_rate": "learning_rate=",
    "num_leaves": "num_leaves=",
    "lambda_l2": "l2=",
    "min_data_in_leaf": "min_data_in_leaf=",
    "seed": "random_state=",
    "num_threads": "threads=",
    "objective": "loss=",
    "metric": "metric=",
    "early_stopping_round": "early_stopping_rounds=",
    "categorical_feature": "categorical_features=",
    "verbosity": "verbose=",
}
_ELSEWHERE = ("num_iterations", "early_stopping_round", "categorical_feature", "objective")
# What only LightGBM's own regression can do -> what happens with any other loss.
_REGRESSION_ONLY = {
    "bagging_by_query": "grows wrong trees with it, or none, for a custom objective",
    "boost_from_average": "starts a custom objective from 0",
}
# The same model from the same data and seed, with any number of threads; and no feature is dropped because it
# cannot be split now, since without features LightGBM ends in an error.
_USUAL = {"deterministic": True, "force_col_wise": True, "feature_pre_filter": False}


def check(loss: Loss, parameters: TreeParameters, categorical: bool, held_out: bool) -> None:  # noqa: ARG001
    """Raise `ArgumentError` for what LightGBM cannot do."""
    engine("lightgbm")
    check_hessian(loss)
    engine_parameters(parameters)
    kinds = [
        str(value) for name, value in parameters.extra.items() if canonical_name(name, ALIASES) == "boosting"
    ]
    if kinds and kinds[0] in ("rf", "random_forest"):
        raise ArgumentError(
            "parameters={'boosting': 'rf'} is a random forest, which minimises no loss of ours. Leave it out."
        )
    if kinds and kinds[0] == "dart" and held_out:
        refuse_dart("boosting")
    if is_regression(loss):
        return
    regressions = [repr(name) for name, kind in LOSSES.items() if is_regression(kind())]
    for name, reason in _REGRESSION_ONLY.items():
        if parameters.extra.get(name):
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {name!r}, but LightGBM {reason}. Leave it out, or "
                f"say loss={' or '.join(regressions)}, which are LightGBM's own regression."
            )


def engine_parameters(parameters: TreeParameters) -> dict[str, Any]:
    """Our parameters as LightGBM's; the objective is added when there are data."""
    ours = {
        "learning_rate": parameters.learning_rate,
        "num_leaves": parameters.leaves,
        "lambda_l2": parameters.l2,
        "min_data_in_leaf": parameters.min_data_in_leaf,
        "seed": parameters.seed,
        "num_threads": thread_count(),
        "metric": "None",
        "verbosity": -1,
    }
    # LightGBM takes only one of the two ways to build histograms.
    usual = {
        name: value
        for name, value in _USUAL.items()
        if name != "force_col_wise" or "force_row_wise" not in parameters.extra
    }
    combination = combined(
        "lightgbm", parameters, ours, usual, elsewhere=_ELSEWHERE, aliases=ALIASES, instead=_INSTEAD
    )
    _refuse_unknown(parameters)
    return combination


@fork_safe
def train(job: Job) -> BoostingResult:
    """Boost with LightGBM."""
    lgb = engine("lightgbm")
    params = engine_parameters(job.parameters)
    plain = as_regression(job.loss, job.supervision)
    if plain is not None:
        params["objective"], (labels, weights) = "regression", plain
    else:
        gradients = Gradients(job.loss, job.supervision)
        params["objective"] = lambda predicted, _data: gradients.float32_at(predicted)
        labels, weights = job.train.labels, None
    watched = None if job.valid is None else ValidationCurve(job, job.valid)
    with translated("LightGBM", lgb.basic.LightGBMError):
        data = lgb.Dataset(
            sparse_as_matrix(job.train.X),
            labels,
            group=job.train.sizes,
            weight=weights,
            feature_name=list(job.names) if job.names else "auto",
            categorical_feature=list(job.categorical) or "auto",
            params={name: value for name, value in params.items() if name != "objective"},
        )
        booster = _boosted(lgb, job, params, data, watched)
    text = booster.model_to_string(num_iteration=-1 if watched is None else watched.best + 1)
    # How many threads there were is no part of the model.
    model = load(re.sub(r"^\[num_threads: \d+\]$", "[num_threads: 0]", text, flags=re.MULTILINE).encode())
    trees = model.num_trees()
    return BoostingResult(model, trees) if watched is None else watched.result(model, trees)


def _boosted(lgb: Any, job: Job, params: dict[str, Any], data: Any, watched: ValidationCurve | None) -> Any:
    if watched is None or job.valid is None:

        def count(environment: Any) -> None:
            job.show(environment.iteration + 1, "")

        return lgb.train(params, data, job.parameters.trees, callbacks=[count])

    def value(predicted: Any, _data: Any) -> tuple[str, float, bool]:
        watched.add(watched.value(predicted))
        return str(job.metric), watched.values[-1], watched.higher

    stop = (
        []
        if job.parameters.patience is None
        else [lgb.early_stopping(job.parameters.patience, verbose=False)]
    )
    held_out = _unlabelled(lgb, job.valid, data)
    return lgb.train(params, data, job.parameters.trees, valid_sets=[held_out], feval=value, callbacks=stop)


def _unlabelled(lgb: Any, valid: RankingData, reference: Any) -> Any:
    """The features of validation data; their labels are read by the metric alone."""
    return lgb.Dataset(sparse_as_matrix(valid.X), np.zeros(valid.labels.size), reference=reference)


def _refuse_unknown(parameters: TreeParameters) -> None:
    """LightGBM itself passes over parameters that it does not know, and over those that it does not use."""
    table = getattr(engine("lightgbm").basic, "_ConfigAliases", None)
    every = getattr(table, "_get_all_param_aliases", None)
    if every is None:
        return
    canonical = {name: word for word, others in every().items() for name in (word, *others)}
    for name in parameters.extra:
        if name not in canonical:
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {name!r}, which LightGBM does not know."
            )
        refuse_unsupported("lightgbm", name, canonical[name])
    refuse_idle({canonical[name]: value for name, value in parameters.extra.items()})


@fork_safe
def contributions(model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:  # noqa: ARG001
    """SHAP values, and in the last column what scores are on average."""
    with translated("LightGBM", engine("lightgbm").basic.LightGBMError, doing="explain this model"):
        values = model.predict(sparse_as_matrix(X), pred_contrib=True, num_threads=thread_count())
    return np.asarray(as_dense(values), dtype=np.float64)


@fork_safe
def importances(model: Any) -> Float64s:
    """The gain of all splits on each feature."""
    return np.asarray(model.feature_importance("gain"), dtype=np.float64)
