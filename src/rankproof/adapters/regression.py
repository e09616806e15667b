"""The plain-regression route: a target in place of the label, with the engine's own squared loss."""

from __future__ import annotations

from typing import Any

from rankproof.adapters.engine_data import offsets_from_sizes
from rankproof.arrays import Float64s, Int64s, as_labels, as_offsets
from rankproof.errors import ArgumentError
from rankproof.judgments.labels import assumed_noise, is_judged, judged_rows, targets_of
from rankproof.losses.base import Loss
from rankproof.losses.boosting import Regression
from rankproof.losses.choose import choose_loss
from rankproof.losses.relative import relative_regression
from rankproof.losses.supervision import Supervision, query_offsets
from rankproof.metrics.base import Metric
from rankproof.threads import using

__all__ = ["as_regression", "is_regression", "queries_of", "regression_target", "relative_target"]


def queries_of(items: int, qid: Any, group: Any, offsets: Any) -> Int64s:
    """Where queries start, from the one of ``qid``, ``group`` (sizes) and ``offsets`` that is given.

    >>> queries_of(3, ["a", "a", "b"], None, None).tolist(), queries_of(3, None, [2, 1], None).tolist()
    ([0, 2, 3], [0, 2, 3])
    """
    ways = [
        name for name, value in (("qid", qid), ("group", group), ("offsets", offsets)) if value is not None
    ]
    if len(ways) != 1:
        raise ArgumentError(
            "Which items belong to one query is said by one of qid, group and offsets, "
            f"got {' and '.join(ways) or 'none of them'}."
        )
    if qid is not None:
        return query_offsets(qid, items)
    if group is not None:
        return offsets_from_sizes(group, items, "The data")
    return as_offsets(offsets, items)


def regression_target(
    metric: str | Metric,
    labels: Any,
    *,
    qid: Any = None,
    group: Any = None,
    offsets: Any = None,
    noise: str | None = None,
    threads: int | None = None,
) -> Float64s:
    """What to put in place of the labels, so that plain squared loss optimises the metric.

    Squared loss estimates the mean of the target, and sorting by that mean is optimal for the metric. Any
    engine has squared loss (LightGBM ``regression``, XGBoost ``reg:squarederror``, CatBoost ``RMSE``), and
    such a model can be exported wherever a regression model can. The engine's own metrics then speak of the
    target, not of the labels: report with `rankproof.evaluate` on the labels.

    Parameters
    ----------
    metric : metric or str
        The metric to optimise, such as ``"nDCG@10"``. A `ConsistencyWarning` is issued when its target needs
        a condition on the labels that ``noise`` does not state.
    labels : array, one per item, or `Judgments`
        Relevance labels: finite, larger is more relevant. Of `Judgments`, or of a matrix of P(grade), the
        mean of the target is taken.
    qid, group, offsets : array
        One of them: the query id of every item, the number of items of every query, or where queries start.
    noise : str, optional
        A condition on the law of the labels, for metrics that have a target only then.

    Examples
    --------
    >>> regression_target("nDCG@10", [2, 0, 1], group=[3]).round(4).tolist()  # 3 / Z, 0, 1 / Z
    [0.8262, 0.0, 0.2754]
    """
    grades = labels if is_judged(labels) else as_labels(labels)
    starts = queries_of(judged_rows(labels) if is_judged(labels) else grades.size, qid, group, offsets)
    loss = choose_loss(metric, noise=assumed_noise(labels, noise), among=("squared",)).warned().loss
    with using(threads):
        return targets_of(loss, grades, starts)


def relative_target(
    metric: str | Metric,
    labels: Any,
    *,
    qid: Any = None,
    group: Any = None,
    offsets: Any = None,
    noise: str | None = None,
    scale: float | None = None,
    threads: int | None = None,
) -> tuple[Float64s, Float64s]:
    """What to put in place of the labels and of the weights, so that the engine minimises `Relative`.

    The same route as `regression_target`, and as consistent. But the model need not learn the unit of a
    query's targets, such as 1/Z of nDCG, which it cannot see; on the data sets that were tried it ranks
    better (``docs/explanation/defaults.md``). Weights have a mean of 1, so that limits on the weight of a
    leaf mean what they meant. A query whose targets are all 0 says nothing: its weights are 0, unless those
    of all queries would be.

    Parameters are those of `regression_target`; the metric must have a target that is never negative. For a
    part of the data, such as that of one machine among several, give all parts the same ``scale``, a number
    > 0, and divide the weights of all rows by their mean afterwards, if limits are to mean what they meant:
    a mean of 1 in every part would count the queries of different parts differently.

    Examples
    --------
    >>> target, weight = relative_target("DCG", [2, 0, 1], group=[3])  # gains 3, 0, 1: of mean 4/3
    >>> target.round(4).tolist(), weight.round(4).tolist()  # 3 / (3 + 4/3); 3 + 4/3 over their mean 8/3
    ([0.6923, 0.0, 0.4286], [1.625, 0.5, 0.875])
    >>> relative_target("DCG", [2, 0, 1], group=[3], scale=1.0)[1].round(4).tolist()
    [4.3333, 1.3333, 2.3333]
    """
    if scale is not None and not (isinstance(scale, (int, float)) and 0 < scale < float("inf")):
        raise ArgumentError(f"Argument scale must be a number > 0, the same for all parts, got {scale!r}.")
    grades = labels if is_judged(labels) else as_labels(labels)
    starts = queries_of(judged_rows(labels) if is_judged(labels) else grades.size, qid, group, offsets)
    loss = choose_loss(metric, noise=assumed_noise(labels, noise), among=("relative",)).warned().loss
    with using(threads):
        return relative_regression(targets_of(loss, grades, starts), starts, scale=scale)


def is_regression(loss: Loss) -> bool:
    """Whether the loss declares that an engine's own squared loss, on some target, is the loss."""
    return loss.declared("boosting").regression is not None


def as_regression(loss: Loss, data: Supervision) -> tuple[Float64s, Float64s | None] | None:
    """The target and the weights with which an engine's own squared loss is this loss, or None.

    >>> import numpy as np
    >>> from rankproof.losses.parse import loss
    >>> data = Supervision(np.array([3.0, 0.0, 1.0, 0.0]), np.array([0, 2, 2, 4]), 3.0)
    >>> as_regression(loss("squared"), data)[0].tolist(), as_regression(loss("softmax"), data)
    ([3.0, 0.0, 1.0, 0.0], None)
    >>> target, weight = as_regression(loss("relative"), data)
    >>> target.round(4).tolist(), weight.tolist()
    ([0.6667, 0.0, 0.6667, 0.0], [2.25, 0.75, 0.75, 0.25])
    """
    regression: Regression | None = loss.declared("boosting").regression
    if regression is None:
        return None
    target, weights = regression(data.targets, data.offsets, data.item_weights)
    of_query = data.weight_of_item
    if weights is None or of_query is None:
        return target, of_query if weights is None else weights
    return target, weights * of_query
