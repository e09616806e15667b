"""CatBoost for `BoostedRanker`: its own losses on the target of the metric, see `rankproof.catboost`.

Its trees are symmetric unless ``grow_policy`` says otherwise, so their number of leaves is a power of two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankproof.adapters import catboost as adapter
from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.boosters.catboost import FILE, as_rows, dump, load, scores
from rankproof.fit.trees.booster import BoostingResult, Job, ValidationCurve, translated
from rankproof.fit.trees.parameters import TreeParameters, canonical_name, combined
from rankproof.fit.trees.unsupported import refuse_unsupported
from rankproof.judgments.labels import labels_to_learn
from rankproof.losses.base import Loss
from rankproof.optional import engine
from rankproof.threads import thread_count

__all__ = ["FILE", "check", "contributions", "dump", "importances", "load", "scores", "train"]

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


def check(loss: Loss, parameters: TreeParameters, categorical: bool, held_out: bool) -> None:  # noqa: ARG001
    """Raise `ArgumentError` for what CatBoost cannot do."""
    engine("catboost")
    adapter.parameters("nDCG", loss)
    combination = engine_parameters(parameters)
    for name in parameters.extra:
        refuse_unsupported("catboost", name)
    if held_out and _on_gpu(combination):
        raise ArgumentError(
            "CatBoost cannot compute the exact metric while it trains on a GPU. Leave out validation, and "
            "choose the number of trees with rankproof.catboost.best_iteration."
        )


def _on_gpu(params: dict[str, Any]) -> bool:
    return str(params.get("task_type", "CPU")).upper() == "GPU"


def engine_parameters(parameters: TreeParameters) -> dict[str, Any]:
    """Our parameters as CatBoost's; those of the loss and metric are added with the data."""
    policy = str(parameters.extra.get("grow_policy", "SymmetricTree"))
    ours = {
        "iterations": parameters.trees,
        "learning_rate": parameters.learning_rate,
        **_size_of_trees(parameters, policy),
        "l2_leaf_reg": parameters.l2,
        "random_seed": parameters.seed,
        "thread_count": thread_count(),
        "verbose": False,
    }
    usual = {"allow_writing_files": False}
    return combined(
        "catboost", parameters, ours, usual, elsewhere=_ELSEWHERE, aliases=ALIASES, instead=_INSTEAD
    )


def _size_of_trees(parameters: TreeParameters, policy: str) -> dict[str, Any]:
    """Depth or leaves, and the least rows of a leaf, as the way of growing has them."""
    least, leaves = parameters.min_data_in_leaf, parameters.leaves
    by_name = [
        value
        for name, value in parameters.extra.items()
        if canonical_name(name, ALIASES) == "min_data_in_leaf"
    ]
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


def train(job: Job) -> BoostingResult:
    """Boost with CatBoost."""
    cb = engine("catboost")
    params = {**engine_parameters(job.parameters), **adapter.parameters(job.metric, job.loss)}
    targets = job.supervision.targets
    if (targets == targets[0]).all():
        raise DataError(
            f"All targets are {targets[0]:g} (n_samples={targets.size}): there is nothing to learn, and "
            "CatBoost does not train then. Give queries with items of different grades."
        )
    watched = None if job.valid is None else ValidationCurve(job, job.valid)
    held_out = None
    with translated("CatBoost", cb.CatBoostError):
        data = _pool(job, job.train)
        if job.valid is not None:
            held_out = _pool(job, job.valid)
            # CatBoost calls it on threads of its own, which this context does not reach.
            params["eval_metric"] = adapter.eval_metric(job.metric, held_out, threads=thread_count())
            params |= {"use_best_model": True, "early_stopping_rounds": job.parameters.patience}
        # On a GPU CatBoost calls nobody.
        if job.callbacks and _on_gpu(params):
            raise ArgumentError(
                "Argument callbacks cannot be used with CatBoost on a GPU: it calls nobody there."
            )
        calls = [] if _on_gpu(params) else [_AfterEveryTree(job, watched)]
        model = next(_fitted(cb.CatBoost(params), data, eval_set=held_out, callbacks=calls or None))
    for call in calls:
        if call.error is not None:
            raise call.error
    _make_reproducible(model)
    model = load(dump(model))
    trees = int(model.tree_count_)
    return BoostingResult(model, trees) if watched is None else watched.result(model, trees)


def _fitted(model: Any, data: Any, **more: Any) -> Iterator[Any]:
    # CatBoost leaves an error of a metric behind as the one that is being handled, where it would be the
    # context of every later error. What is handled in a generator ends with it.
    yield model.fit(data, **more)


class _AfterEveryTree:
    """Tells how it stands."""

    def __init__(self, job: Job, watched: ValidationCurve | None) -> None:
        self.job, self.watched = job, watched
        self.error: BaseException | None = None

    def after_iteration(self, info: Any) -> bool:
        """Called by CatBoost; False would stop it."""
        if self.watched is None:
            self.job.show(info.iteration, "")
        else:
            try:
                self.watched.add(float(info.metrics["validation"][str(self.job.metric)][-1]))
            except BaseException as error:
                # CatBoost would put an error of its own in its place.
                self.error = error
                return False
        return True


def _pool(job: Job, data: RankingData) -> Any:
    return adapter.pool(
        job.metric,
        as_rows(data.X, job.categorical),
        labels_to_learn(data),
        offsets=data.offsets,
        loss=job.loss,
        query_weight=data.query_weights,
        item_weight=data.item_weights,
        cat_features=list(job.categorical) or None,
        feature_names=list(job.names) if job.names else None,
        thread_count=thread_count(),
    )


def _make_reproducible(model: Any) -> None:
    """Take out of the model what differs between two equal trainings: time, id, threads."""
    about = model.get_metadata()
    about["train_finish_time"] = about["model_guid"] = ""
    params = json.loads(about["params"])
    for section in ("flat_params", "system_options"):
        params.get(section, {}).pop("thread_count", None)
    about["params"] = json.dumps(params, sort_keys=True)


def contributions(model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:
    """SHAP values, and in the last column what scores are on average."""
    pool = engine("catboost").Pool(
        as_rows(X, categorical), cat_features=list(categorical) or None, feature_names=model.feature_names_
    )
    raw = model.get_feature_importance(data=pool, type="ShapValues", thread_count=thread_count())
    values = np.asarray(raw, dtype=np.float64)
    expected = scores(model, X, categorical)
    error = np.abs(values.sum(axis=1) - expected).max(initial=0.0)
    if error > _ROUNDING * np.abs(expected).max(initial=0.0):
        raise ArgumentError(
            "CatBoost's SHAP values of this model do not add up to its scores, as happens with trees that "
            "are not symmetric (CatBoost 1.2.10). Leave out grow_policy, or explain by another tool."
        )
    return values


def importances(model: Any) -> Float64s:
    """How much scores change on average when the feature does."""
    return np.asarray(model.get_feature_importance(type="PredictionValuesChange"), dtype=np.float64)
