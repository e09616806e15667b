"""CatBoost: its own losses on the target of the metric, and the exact metric for its evaluation.

``rankproof.catboost`` is this module. CatBoost hands no groups to an objective or metric of one's own. But
with the target in place of the label, its own losses are some of ours:

=================  ================  =====================================================================
our loss           CatBoost's        why
=================  ================  =====================================================================
centred-squared    ``QueryRMSE``     both centre scores and targets per query
softmax            ``QuerySoftMax``  CatBoost does not divide the targets of a query by their sum either
squared            ``RMSE``
relative           ``RMSE``          on another target, with weights; see `rankproof.losses.Relative`
=================  ================  =====================================================================

>>> parameters("nDCG@10")
{'loss_function': 'QueryRMSE'}
>>> parameters("nDCG@10", "softmax"), parameters("nDCG@10", "squared")
({'loss_function': 'QuerySoftMax'}, {'loss_function': 'RMSE'})
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import as_labels
from rankproof.errors import ArgumentError
from rankproof.fit.engines.catboost_metric import attach, best_iteration, eval_metric
from rankproof.fit.engines.default import engine_loss, preferred
from rankproof.fit.engines.missing import engine
from rankproof.fit.engines.reading import Judged
from rankproof.fit.engines.regression import as_regression, queries_of, regression_target, relative_target
from rankproof.fit.inputs import per_query_weights, supervision
from rankproof.losses.base import Loss
from rankproof.losses.relative import Relative
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared, Squared
from rankproof.metrics.base import Metric

__all__ = ["best_iteration", "eval_metric", "parameters", "pool", "regression_target", "relative_target"]

_SAME: dict[type[Loss], str] = {
    CentredSquared: "QueryRMSE",
    Softmax: "QuerySoftMax",
    Squared: "RMSE",
    Relative: "RMSE",
}
_OURS = ("label", "group_id", "weight", "group_weight")
_UNREAD = ("pairs", "pairs_weight", "subgroup_id", "graph")


def parameters(metric: str | Metric, loss: str | Loss = "auto", noise: str | None = None) -> dict[str, Any]:
    """The parameters for CatBoost: the ``loss_function`` that is our loss on the labels of `pool`.

    Other losses are refused: CatBoost has no equal of them, and hands no groups to an objective of one's own.
    """
    return {"loss_function": _same_in_catboost(engine_loss(metric, loss, noise, among=preferred("catboost")))}


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
    labels : array of grades, one per item; any numbers
    qid, group, offsets : array
        One of them: the query id of every item, the number of items of every query, or where queries start.
    query_weight : array of weights, one per query (or per item, the same within each query), optional
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
                f"({', '.join(dict.fromkeys(_SAME.values()))}), and would be lost. Leave it out."
            )
    known = engine_loss(metric, loss, noise, among=preferred("catboost"))
    _same_in_catboost(known)
    grades = as_labels(labels)
    starts = queries_of(grades.size, qid, group, offsets)
    data = supervision(
        known, grades, starts, query_weight, item_weight, weight_name="item_weight", threads=threads
    )
    targets, weights = as_regression(known, data) or (data.targets, data.weight_of_item)
    if isinstance(known, Softmax) and data.item_weights.size:
        targets = targets * data.item_weights
    queries = np.repeat(np.arange(data.queries), np.diff(starts))
    made = cb.Pool(X, label=targets, group_id=queries, weight=weights, **more)
    attach(made, Judged(grades, starts, per_query_weights(query_weight, starts)))
    return made


def _same_in_catboost(loss: Loss) -> str:
    """CatBoost's name of the loss, or `ArgumentError`."""
    # Of this very class: one derived from it may be another loss.
    name = _SAME.get(type(loss))
    if name is not None:
        return name
    same = ", ".join(f"{kind.name} ({name})" for kind, name in _SAME.items())
    near = "squared" if loss.claims.value("shift_invariant") is False else "softmax or centred-squared"
    raise ArgumentError(
        f"CatBoost has no loss that is {loss}, and hands no groups to an objective of one's own. "
        f"What it has: {same}. Nearest is {near}; LightGBM and XGBoost take {loss.name} too."
    )
