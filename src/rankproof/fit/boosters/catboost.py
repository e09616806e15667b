"""CatBoost for `BoostedRanker`: its own losses on the target of the metric, see `rankproof.catboost`.

Its trees are symmetric unless ``grow_policy`` says otherwise, so their number of leaves is a power of two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.boosters.base import Job, Outcome, Watched, sparse_as_matrix, translated
from rankproof.fit.boosters.lost import refuse_lost
from rankproof.fit.boosters.words import Words, combined, given_as
from rankproof.fit.engines import catboost as adapter
from rankproof.fit.engines.missing import engine
from rankproof.fit.matrix import as_dense
from rankproof.fit.part import Part
from rankproof.losses.base import Loss

__all__ = ["FILE", "check", "contributions", "dump", "importances", "load", "scores", "train"]

FILE = "booster.cbm"
ALIASES = {
    "iterations": ("num_boost_round", "n_estimators", "num_trees"),
    "learning_rate": ("eta",),
    "depth": ("max_depth",),
    "max_leaves": ("num_leaves",),
    "l2_leaf_reg": ("reg_lambda",),
    "min_data_in_leaf": ("min_child_samples",),
    "random_seed": ("random_state",),
    "loss_function": ("objective",),
    "verbose": ("logging_level", "verbose_eval", "silent", "metric_period"),
    "od_wait": ("early_stopping_rounds", "od_type", "od_pval"),
    "custom_metric": ("custom_loss",),
}
_INSTEAD = {
    "iterations": "n_estimators=",
    "learning_rate": "learning_rate=",
    "depth": "num_leaves= (2 to the power of the depth)",
    "max_leaves": "num_leaves=",
    "l2_leaf_reg": "l2=",
    "min_data_in_leaf": "min_data_in_leaf=",
    "random_seed": "random_state=",
    "thread_count": "threads=",
    "loss_function": "loss=",
    "eval_metric": "metric=",
    "custom_metric": "metric=",
    "use_best_model": "validation= in fit",
    "eval_fraction": "validation= in fit",
    "od_wait": "early_stopping_rounds=",
    "cat_features": "categorical_features=",
    "verbose": "verbose=",
}
# What sums of SHAP values may be off by, as a share of the largest score.
_ROUNDING = 1e-6
_ELSEWHERE = (
    *("loss_function", "eval_metric", "custom_metric", "use_best_model", "eval_fraction", "od_wait"),
    "cat_features",
)


def check(loss: Loss, words: Words, categorical: bool, held_out: bool) -> None:  # noqa: ARG001
    """Raise `ArgumentError` for what CatBoost cannot do."""
    engine("catboost")
    adapter.parameters("nDCG", loss)
    given = parameters(words)
    for name in words.more:
        refuse_lost("catboost", name)
    if held_out and _on_gpu(given):
        raise ArgumentError(
            "CatBoost cannot compute the exact metric while it trains on a GPU. Leave out validation, and "
            "choose the number of trees with rankproof.catboost.best_iteration."
        )


def _on_gpu(params: dict[str, Any]) -> bool:
    return str(params.get("task_type", "CPU")).upper() == "GPU"


def parameters(words: Words) -> dict[str, Any]:
    """The parameters of CatBoost that the words are; those of the loss and metric are added with the data."""
    policy = str(words.more.get("grow_policy", "SymmetricTree"))
    ours = {
        "iterations": words.trees,
        "learning_rate": words.learning_rate,
        **_size_of_trees(words, policy),
        "l2_leaf_reg": words.l2,
        "random_seed": words.seed,
        "thread_count": words.threads,
        "verbose": False,
    }
    usual = {"allow_writing_files": False}
    return combined("catboost", words, ours, usual, elsewhere=_ELSEWHERE, aliases=ALIASES, instead=_INSTEAD)


def _size_of_trees(words: Words, policy: str) -> dict[str, Any]:
    """Depth or leaves, and the least rows of a leaf, as the way of growing has them."""
    least, leaves = words.min_data_in_leaf, words.leaves
    by_name = [value for name, value in words.more.items() if given_as(name, ALIASES) == "min_data_in_leaf"]
    if policy == "SymmetricTree" and not {least, *by_name} <= {None, 1}:
        raise ArgumentError(
            f"Argument min_data_in_leaf of BoostedRanker is {[least, *by_name][-1]}, but CatBoost's "
            "symmetric trees have no least number of rows of a leaf. Leave it out, or grow other trees: "
            "parameters={'grow_policy': 'Lossguide'}."
        )
    limit = {} if policy == "SymmetricTree" else {"min_data_in_leaf": least}
    if leaves is None or policy == "Lossguide":
        return {"max_leaves": leaves, **limit}
    if leaves & (leaves - 1):
        below = 1 << (leaves.bit_length() - 1)
        raise ArgumentError(
            f"Argument num_leaves of BoostedRanker is {leaves}, but CatBoost grows trees by depth, with a "
            f"power of two leaves. Take {below} or {2 * below}, or grow other trees: "
            "parameters={'grow_policy': 'Lossguide'}."
        )
    return {"depth": leaves.bit_length() - 1, **limit}


def train(job: Job) -> Outcome:
    """Boost with CatBoost."""
    cb = engine("catboost")
    params = {**parameters(job.words), **adapter.parameters(job.metric, job.loss)}
    targets = job.supervision.targets
    if (targets == targets[0]).all():
        raise DataError(
            f"All targets are {targets[0]:g} (n_samples={targets.size}): there is nothing to learn, and "
            "CatBoost does not train then. Give queries with items of different grades."
        )
    watched = None if job.valid is None else Watched(job, job.valid)
    held_out = None
    with translated("CatBoost", cb.CatBoostError):
        data = _pool(job, job.train)
        if job.valid is not None:
            held_out = _pool(job, job.valid)
            params["eval_metric"] = adapter.eval_metric(job.metric, held_out, threads=job.words.threads)
            params |= {"use_best_model": True, "early_stopping_rounds": job.words.patience}
        # On a GPU CatBoost calls nobody.
        calls = [] if _on_gpu(params) else [_AfterEveryTree(job, watched)]
        model = next(_fitted(cb.CatBoost(params), data, eval_set=held_out, callbacks=calls or None))
    _make_reproducible(model)
    model = load(dump(model))
    trees = int(model.tree_count_)
    return Outcome(model, trees) if watched is None else watched.outcome(model, trees)


def _fitted(model: Any, data: Any, **more: Any) -> Iterator[Any]:
    # CatBoost leaves an error of a metric behind as the one that is being handled, where it would be the
    # context of every later error. What is handled in a generator ends with it.
    yield model.fit(data, **more)


class _AfterEveryTree:
    """Tells how it stands."""

    def __init__(self, job: Job, watched: Watched | None) -> None:
        self.job, self.watched = job, watched

    def after_iteration(self, info: Any) -> bool:
        """Called by CatBoost; False would stop it."""
        if self.watched is None:
            self.job.say(info.iteration, "")
        else:
            self.watched.add(float(info.metrics["validation"][str(self.job.metric)][-1]))
        return True


def _pool(job: Job, part: Part) -> Any:
    return adapter.pool(
        job.metric,
        _rows(part.X, job.categorical),
        part.labels,
        offsets=part.offsets,
        loss=job.loss,
        query_weight=part.query_weights,
        item_weight=part.item_weights,
        threads=job.words.threads,
        cat_features=list(job.categorical) or None,
        feature_names=list(job.names) if job.names else None,
        thread_count=job.words.threads,
    )


def _rows(X: Any, categorical: tuple[int, ...]) -> Any:
    """Features as a pool takes them: categories are text, in a data frame."""
    if not categorical:
        return sparse_as_matrix(X)
    import pandas as pd

    dense = as_dense(X)
    columns: dict[int, Any] = {column: dense[:, column] for column in range(dense.shape[1])}
    for column in categorical:
        codes = dense[:, column]
        texts = np.where(np.isnan(codes), -1, codes).astype(np.int64).astype(np.str_)
        columns[column] = texts.astype(object)
    return pd.DataFrame(columns)


def _make_reproducible(model: Any) -> None:
    """Take out of the model what differs between two equal trainings: time, id, threads."""
    about = model.get_metadata()
    about["train_finish_time"] = about["model_guid"] = ""
    params = json.loads(about["params"])
    for section in ("flat_params", "system_options"):
        params.get(section, {}).pop("thread_count", None)
    about["params"] = json.dumps(params, sort_keys=True)


def _unjudged_pool(model: Any, X: Any, categorical: tuple[int, ...]) -> Any:
    return engine("catboost").Pool(
        _rows(X, categorical), cat_features=list(categorical) or None, feature_names=model.feature_names_
    )


def scores(model: Any, X: Any, categorical: tuple[int, ...], threads: int) -> Float64s:
    """The score of every row."""
    pool = _unjudged_pool(model, X, categorical)
    return np.asarray(
        model.predict(pool, prediction_type="RawFormulaVal", thread_count=threads), dtype=np.float64
    )


def contributions(model: Any, X: Any, categorical: tuple[int, ...], threads: int) -> Float64s:
    """SHAP values, and in the last column what scores are on average."""
    pool = _unjudged_pool(model, X, categorical)
    raw = model.get_feature_importance(data=pool, type="ShapValues", thread_count=threads)
    found = np.asarray(raw, dtype=np.float64)
    known = scores(model, X, categorical, threads)
    if np.abs(found.sum(axis=1) - known).max(initial=0.0) > _ROUNDING * np.abs(known).max(initial=0.0):
        raise ArgumentError(
            "CatBoost's SHAP values of this model do not add up to its scores, as happens with trees that "
            "are not symmetric (CatBoost 1.2.10). Leave out grow_policy, or explain by another tool."
        )
    return found


def importances(model: Any) -> Float64s:
    """How much scores change on average when the feature does."""
    return np.asarray(model.get_feature_importance(type="PredictionValuesChange"), dtype=np.float64)


def dump(model: Any) -> bytes:
    """CatBoost's binary model."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        model.save_model(str(file))
        return file.read_bytes()


def load(raw: bytes) -> Any:
    """A model from its bytes."""
    return engine("catboost").CatBoost().load_model(blob=raw)
