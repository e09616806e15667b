"""CatBoost's own loss that is ours, and the Pool whose labels are its target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankproof.adapters.catboost.metric import attach
from rankproof.adapters.regression import as_regression, queries_of
from rankproof.arrays import Float64s, as_labels
from rankproof.data.ranking import ranking_data
from rankproof.errors import ArgumentError
from rankproof.judgments.labels import assumed_noise, expected_labels, is_judged, judged_rows
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import Supervision, per_query_weights, supervision
from rankproof.metrics.base import Metric
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["parameters", "pool"]

_OURS = ("label", "group_id", "weight", "group_weight")
_UNREAD = ("pairs", "pairs_weight", "subgroup_id", "graph")


def parameters(metric: str | Metric, loss: str | Loss = "auto", noise: str | None = None) -> dict[str, Any]:
    """The parameters for CatBoost: the ``loss_function`` that is our loss on the labels of `pool`.

    Other losses are refused: CatBoost has no equal of them, and hands no groups to a custom objective.
    """
    return {
        "loss_function": _name_in_catboost(choose_loss(metric, loss, noise, engine="catboost").warned().loss)
    }


def pool(
    metric: str | Metric,
    X: Any,
    labels: Any,
    *,
    qid: Any = None,
    group: Any = None,
    offsets: Any = None,
    loss: str | Loss = "auto",
    noise: str | None = None,
    query_weight: Any = None,
    item_weight: Any = None,
    threads: int | None = None,
    **more: Any,
) -> Any:
    """A ``catboost.Pool`` whose labels are the target of the loss, and which knows the labels behind it.

    Parameters
    ----------
    metric, loss, noise
        As in `parameters`, which names CatBoost's loss for this pool.
    X : features, as ``catboost.Pool`` takes them
        One row per item; the rows of a query stand together.
    labels : array of grades, one per item, or `Judgments`
        Relevance labels: finite, larger is more relevant. Of `Judgments`, or of a matrix of P(grade), the
        mean of the target is taken, and `rankproof.catboost.eval_metric`
        is the mean of the metric.
    qid, group, offsets : array
        One of them: the query id of every item, the number of items of every query, or where queries start.
    query_weight : array of weights, one per query (or per item, the same within each query), optional
        Multiplies what the query contributes to the loss; at least one weight must be positive.
        `rankproof.catboost.eval_metric` weights queries by it too.
    item_weight : array of weights, one per item, optional
        For squared, relative and softmax. CatBoost's softmax has its weights inside the softmax as well,
        where ours has not: they go into the target instead.
    **more
        ``cat_features``, ``feature_names`` and what else ``catboost.Pool`` takes.
    """
    cb = engine("catboost")
    for name in _OURS:
        if name in more:
            raise ArgumentError(
                f"Argument {name} of the Pool is set here: labels, groups and weights are given as labels, "
                "qid (or group, or offsets), query_weight and item_weight."
            )
    for name in _UNREAD:
        if name in more:
            raise ArgumentError(
                f"Argument {name} of the Pool is not read by the losses here "
                f"({', '.join(dict.fromkeys(_equal_losses().values()))}), and would be lost. Leave it out."
            )
    noise = assumed_noise(labels, noise)
    minimised = choose_loss(metric, loss, noise, engine="catboost").warned().loss
    _name_in_catboost(minimised)
    judgments = is_judged(labels)
    rows = judged_rows(labels) if judgments else np.size(labels)
    starts = queries_of(rows, qid, group, offsets)
    grades = expected_labels(labels, minimised, starts).values if judgments else as_labels(labels)
    with using(threads):
        judged = ranking_data(
            grades,
            starts,
            query_weights=per_query_weights(query_weight, starts),
            item_weights=item_weight,
            expected=minimised.target if judgments else None,
        )
        data = supervision(minimised, judged, weight_name="item_weight")
    regression = as_regression(minimised, data)
    if regression is not None:
        targets, weights = regression
    else:
        targets, weights = _weighted_targets(minimised, data), data.weight_of_item
    queries = np.repeat(np.arange(data.queries), np.diff(starts))
    catboost_pool = cb.Pool(X, label=targets, group_id=queries, weight=weights, **more)
    attach(catboost_pool, replace(judged, item_weights=None))
    return catboost_pool


def _weighted_targets(loss: Loss, data: Supervision) -> Float64s:
    """The targets, times the weights of items; a loss of which that is not true would lose its weights."""
    if not data.item_weights.size:
        return data.targets
    if not loss.declared("boosting").weights_multiply_targets:
        raise ArgumentError(
            f"CatBoost takes no weights of items for {loss}: its {_name_in_catboost(loss)} has none that "
            "mean the same. Leave out item_weight, or use LightGBM or XGBoost."
        )
    return data.targets * data.item_weights


def _equal_losses() -> dict[str, str]:
    """Losses by name, and CatBoost's name of each."""
    names = {name: cls().declared("boosting").catboost for name, cls in LOSSES.items()}
    return {name: equal for name, equal in names.items() if equal is not None}


def _name_in_catboost(loss: Loss) -> str:
    """CatBoost's name of the loss, or `ArgumentError`."""
    name: str | None = loss.declared("boosting").catboost
    if name is not None:
        return name
    equal = ", ".join(f"{ours} ({theirs})" for ours, theirs in _equal_losses().items())
    blind = loss.claims.value("shift_invariant") is not False
    near = " or ".join(
        ours for ours in _equal_losses() if LOSSES[ours]().claims.value("shift_invariant") is blind
    )
    raise ArgumentError(
        f"CatBoost has no loss that is {loss}, and hands no groups to a custom objective. "
        f"What it has: {equal}. Nearest is {near}; LightGBM and XGBoost take {loss.name} too."
    )
