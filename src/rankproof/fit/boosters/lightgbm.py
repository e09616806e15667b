"""LightGBM for `BoostedRanker`.

The losses squared and relative are LightGBM's own ``regression`` on a target: it starts from the mean, and
its models are ordinary regression models to every exporter. Any other loss is an objective of ours.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.fit.boosters.base import Job, Outcome, Watched, refuse_dart, sparse_as_matrix, translated
from rankproof.fit.boosters.lost import refuse_idle, refuse_lost
from rankproof.fit.boosters.words import Words, combined, given_as
from rankproof.fit.engines.gradients import Gradients
from rankproof.fit.engines.missing import engine
from rankproof.fit.engines.regression import as_regression, is_regression
from rankproof.fit.engines.steps import check_curvature
from rankproof.fit.matrix import as_dense
from rankproof.fit.part import Part
from rankproof.losses.base import Loss

__all__ = ["FILE", "check", "contributions", "dump", "importances", "load", "scores", "train"]

FILE = "booster.txt"
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
    "bagging_by_query": "grows wrong trees with it, or none, for an objective of one's own",
    "boost_from_average": "starts an objective of one's own from 0",
}
# The same model from the same data and seed, with any number of threads; and no feature is dropped because it
# cannot be split now, since without features LightGBM ends in an error.
_USUAL = {"deterministic": True, "force_col_wise": True, "feature_pre_filter": False}


def check(loss: Loss, words: Words, categorical: bool, held_out: bool) -> None:  # noqa: ARG001
    """Raise `ArgumentError` for what LightGBM cannot do."""
    engine("lightgbm")
    check_curvature(loss)
    parameters(words)
    kinds = [str(value) for name, value in words.more.items() if given_as(name, ALIASES) == "boosting"]
    if kinds and kinds[0] in ("rf", "random_forest"):
        raise ArgumentError(
            "parameters={'boosting': 'rf'} is a random forest, which minimises no loss of ours. Leave it out."
        )
    if kinds and kinds[0] == "dart" and held_out:
        refuse_dart("boosting")
    if is_regression(loss):
        return
    for name, reason in _REGRESSION_ONLY.items():
        if words.more.get(name):
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {name!r}, but LightGBM {reason}. Leave it out, or "
                "say loss='relative' or 'squared', which are LightGBM's own regression."
            )


def parameters(words: Words) -> dict[str, Any]:
    """The parameters of LightGBM that the words are; the objective is added when there are data."""
    ours = {
        "learning_rate": words.learning_rate,
        "num_leaves": words.leaves,
        "lambda_l2": words.l2,
        "min_data_in_leaf": words.min_data_in_leaf,
        "seed": words.seed,
        "num_threads": words.threads,
        "metric": "None",
        "verbosity": -1,
    }
    # LightGBM takes only one of the two ways to build histograms.
    usual = {
        name: value
        for name, value in _USUAL.items()
        if name != "force_col_wise" or "force_row_wise" not in words.more
    }
    found = combined("lightgbm", words, ours, usual, elsewhere=_ELSEWHERE, aliases=ALIASES, instead=_INSTEAD)
    _refuse_unknown(words)
    return found


def train(job: Job) -> Outcome:
    """Boost with LightGBM."""
    lgb = engine("lightgbm")
    params = parameters(job.words)
    known = job.supervision
    plain = as_regression(job.loss, known)
    if plain is not None:
        params["objective"], (labels, weights) = "regression", plain
    else:
        gradients = Gradients(job.loss, known, threads=job.words.threads)
        params["objective"] = lambda predicted, _data: gradients.held_at(predicted)
        labels, weights = job.train.labels, None
    watched = None if job.valid is None else Watched(job, job.valid)
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
    return Outcome(model, trees) if watched is None else watched.outcome(model, trees)


def _boosted(lgb: Any, job: Job, params: dict[str, Any], data: Any, watched: Watched | None) -> Any:
    if watched is None or job.valid is None:

        def count(environment: Any) -> None:
            job.say(environment.iteration + 1, "")

        return lgb.train(params, data, job.words.trees, callbacks=[count])

    def value(predicted: Any, _data: Any) -> tuple[str, float, bool]:
        watched.add(watched.of(predicted))
        return str(job.metric), watched.values[-1], watched.higher

    stop = [] if job.words.patience is None else [lgb.early_stopping(job.words.patience, verbose=False)]
    held_out = _unlabelled(lgb, job.valid, data)
    return lgb.train(params, data, job.words.trees, valid_sets=[held_out], feval=value, callbacks=stop)


def _unlabelled(lgb: Any, valid: Part, reference: Any) -> Any:
    """The features of validation data; their labels are read by the metric alone."""
    return lgb.Dataset(sparse_as_matrix(valid.X), np.zeros(valid.labels.size), reference=reference)


def _refuse_unknown(words: Words) -> None:
    """LightGBM itself passes over parameters that it does not know, and over those that it does not use."""
    table = getattr(engine("lightgbm").basic, "_ConfigAliases", None)
    every = getattr(table, "_get_all_param_aliases", None)
    if every is None:
        return
    known = {name: word for word, others in every().items() for name in (word, *others)}
    for name in words.more:
        if name not in known:
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {name!r}, which LightGBM does not know."
            )
        refuse_lost("lightgbm", name, known[name])
    refuse_idle({known[name]: value for name, value in words.more.items()})


def scores(model: Any, X: Any, categorical: tuple[int, ...], threads: int) -> Float64s:  # noqa: ARG001
    """The score of every row."""
    return np.asarray(
        model.predict(sparse_as_matrix(X), raw_score=True, num_threads=threads), dtype=np.float64
    )


def contributions(model: Any, X: Any, categorical: tuple[int, ...], threads: int) -> Float64s:  # noqa: ARG001
    """SHAP values, and in the last column what scores are on average."""
    with translated("LightGBM", engine("lightgbm").basic.LightGBMError, doing="explain this model"):
        found = model.predict(sparse_as_matrix(X), pred_contrib=True, num_threads=threads)
    return np.asarray(as_dense(found), dtype=np.float64)


def importances(model: Any) -> Float64s:
    """The gain of all splits on each feature."""
    return np.asarray(model.feature_importance("gain"), dtype=np.float64)


def dump(model: Any) -> bytes:
    """LightGBM's model text."""
    return str(model.model_to_string()).encode()


def load(raw: bytes) -> Any:
    """A booster from its text."""
    return engine("lightgbm").Booster(model_str=raw.decode())
