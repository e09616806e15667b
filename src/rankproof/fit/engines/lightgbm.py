"""LightGBM: consistent losses as its objective, exact metrics for its evaluation and early stopping.

``rankproof.lightgbm`` is this module. The objects work with ``lightgbm.train`` (and ``cv``), which hands over
scores and a Dataset, and with ``LGBMRanker`` and ``LGBMModel``, which hand over arrays.

>>> objective("nDCG@10")
lightgbm.objective(nDCG@10, loss=lift:normalised-gain@10)
>>> eval_metric(["nDCG@10", "AP"])
lightgbm.eval_metric(nDCG@10, AP)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float32s
from rankproof.errors import ArgumentError
from rankproof.fit.engines.default import engine_loss
from rankproof.fit.engines.exact import as_metrics, higher_is_better, value_on
from rankproof.fit.engines.gradients import Gradients
from rankproof.fit.engines.missing import engine
from rankproof.fit.engines.reading import Judged, judged, offsets_of_sizes, supervised
from rankproof.fit.engines.regression import regression_target, relative_target
from rankproof.fit.engines.remembered import Remembered
from rankproof.fit.engines.steps import check_curvature
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of

__all__ = [
    "ExactMetric",
    "Objective",
    "eval_metric",
    "objective",
    "parameters",
    "regression_target",
    "relative_target",
]

_Contents = tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any] | None, NDArray[Any] | None]


def objective(
    metric: str | Metric, loss: str | Loss = "auto", noise: str | None = None, *, threads: int | None = None
) -> Objective:
    """A loss made for the metric, as an objective for LightGBM.

    Give it as ``params["objective"]`` to ``lightgbm.train``, or as ``objective=`` to ``LGBMRanker`` and
    ``LGBMModel``. Labels may be any numbers, queries of any length. The Dataset needs groups.

    Parameters
    ----------
    metric : metric or str
        What is reported; the loss is made for it.
    loss : str or Loss
        ``"auto"``, a name such as ``"softmax"`` (target from ``metric``), a full form such as
        ``"squared:normalised-gain@10"``, or a loss object.
    noise : str, optional
        What is known about the law of the labels, for metrics that have a consistent loss only then.
    threads : int, optional
        How many threads compute the gradient; its bits do not depend on it.

    Notes
    -----
    Scale: with squared loss the gradient is s - u and the second derivative 1, bit for bit as in LightGBM's
    ``regression``; every other loss is brought to a mean second derivative of about 1/16 per row, see
    `rankproof.fit.engines.steps`. So the usual ``learning_rate``, ``min_sum_hessian_in_leaf`` and
    ``lambda_l2`` apply.

    Start: LightGBM starts a custom objective from scores of 0. Losses that do not see a number added to all
    scores of a query (lift, softmax, pairwise) lose nothing by that. ``squared``, ``relative`` and ``kl``
    spend their first trees on the mean: give the Dataset an ``init_score``, or use `regression_target` with
    LightGBM's own ``regression``, which starts from the mean.

    Weights: ``weight`` of the Dataset has one number per row. They weigh items for a loss that is a sum over
    items (squared, lift, softmax); for any other loss they must be the same within each query, and weigh
    queries.

    Not with ``bagging_by_query``: LightGBM (4.7) then grows wrong trees for any objective of one's own, or
    none: squares written as one do not give the model of its ``regression``, as they do without it. Nor with
    ``position``, which only LightGBM's ``lambdarank`` reads.
    """
    engine("lightgbm")
    known = metric_of(metric)
    return Objective(known, engine_loss(known, loss, noise), threads=threads)


def eval_metric(metric: str | Metric | Iterable[str | Metric], *, threads: int | None = None) -> ExactMetric:
    """The metric, exact under ties, for LightGBM's evaluation and early stopping.

    Give it as ``feval=`` to ``lightgbm.train``, or as ``eval_metric=`` to ``LGBMRanker.fit``. Set LightGBM's
    ``metric`` to ``"None"``, as `parameters` does: its own metrics are not exact under ties, refuse labels
    that are not small whole numbers, and queries of more than 10,000 rows.

    A query counts with the mean of its rows' weights. What a query without relevant items counts is said by
    the metric (``empty``). Several metrics share a call; ``lightgbm.early_stopping`` then watches all of
    them, or the first with ``first_metric_only=True``.
    """
    engine("lightgbm")
    return ExactMetric(as_metrics(metric), threads=threads)


def parameters(
    metric: str | Metric, loss: str | Loss = "auto", noise: str | None = None, *, threads: int | None = None
) -> dict[str, Any]:
    """The parameters that put the loss in: ``objective``, and no metric of LightGBM's own.

    ``LGBMRanker`` would else compute its ``ndcg`` beside every objective, and refuse what that cannot do.

    >>> sorted(parameters("nDCG@10"))
    ['metric', 'objective']
    """
    engine("lightgbm")
    known = metric_of(metric)
    return {"objective": Objective(known, engine_loss(known, loss, noise), threads=threads), "metric": "None"}


class Objective:
    """A loss as LightGBM calls it: ``(scores, Dataset)`` or ``(labels, scores, weight, group)``.

    Targets are computed once per data set, and anew when its labels, groups or weights change. The gradient
    and second derivative are computed in float64 and returned in float32, as LightGBM holds them; the arrays
    are written over by the next call.
    """

    def __init__(self, metric: Metric, loss: Loss, *, threads: int | None = None) -> None:
        check_curvature(loss)
        self.metric, self.loss, self.threads = metric, loss, threads
        self._made: Remembered[Gradients] = Remembered()

    def __call__(
        self, first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> tuple[Float32s, Float32s]:
        """Gradient and second derivative, one number per row each. LightGBM counts these four parameters."""
        owner, scores, labels, weights, sizes = _read(first, second, weight, group)
        _refuse_lost(second)
        made = self._made.get(
            owner,
            (labels, weights, sizes),
            lambda: self._make(labels, weights, sizes),
            # A Dataset hands out copies of what it holds, and new ones when that changes.
            replaced=owner is second,
        )
        return made.held_at(scores)

    def _make(self, labels: Any, weights: Any, sizes: Any) -> Gradients:
        offsets = offsets_of_sizes(sizes, labels.size, "The training Dataset")
        data = supervised(self.loss, labels, offsets, row_weights=weights, threads=self.threads)
        return Gradients(self.loss, data, threads=self.threads)

    def __repr__(self) -> str:
        return f"lightgbm.objective({self.metric}, loss={self.loss})"


class ExactMetric:
    """Metrics as LightGBM calls them; returns (name, value, whether higher is better), or a list of these."""

    def __init__(self, metrics: tuple[Metric, ...], *, threads: int | None = None) -> None:
        self.metrics, self.threads = metrics, threads
        self._made: Remembered[Judged] = Remembered()

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> Any:
        """The values at these scores. LightGBM counts these four parameters."""
        owner, scores, labels, weights, sizes = _read(first, second, weight, group)

        def make() -> Judged:
            offsets = offsets_of_sizes(sizes, labels.size, "The evaluated Dataset")
            return judged(labels, offsets, weights)

        data = self._made.get(owner, (labels, weights, sizes), make)
        found = [
            (str(metric), value_on(metric, scores, data, threads=self.threads), higher_is_better(metric))
            for metric in self.metrics
        ]
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"lightgbm.eval_metric({', '.join(map(str, self.metrics))})"


def _refuse_lost(data: Any) -> None:
    """Raise `ArgumentError` for what LightGBM would drop, or do wrong, with an objective of one's own.

    A Dataset has the parameters only when training made it; the estimators hand over no Dataset at all.
    """
    if getattr(data, "get_position", lambda: None)() is not None:
        raise ArgumentError(
            "The Dataset has position=, which only LightGBM's lambdarank reads: it would be lost. Leave it "
            "out, and put what is known of position bias into the weights."
        )
    if (getattr(data, "params", None) or {}).get("bagging_by_query"):
        raise ArgumentError(
            "bagging_by_query does not work with an objective of one's own: LightGBM 4.7 then grows wrong "
            "trees, or none. Use bagging_fraction without it, or regression_target and plain regression."
        )


def _read(first: Any, second: Any, weight: Any, group: Any) -> _Contents:
    """The data set (or what stands for it), scores, labels, weights and group sizes of a call."""
    if isinstance(second, np.ndarray):
        return first, second, first, weight, group
    if not hasattr(second, "get_label"):
        raise ArgumentError(
            "LightGBM calls this with (scores, Dataset) or (labels, scores, weight, group), "
            f"got a second argument of type {type(second).__name__}."
        )
    labels = second.get_label()
    if labels is None:
        raise ArgumentError("The Dataset has no labels. Give label=.")
    sizes = second.get_group()
    return (
        second,
        first,
        np.asarray(labels),
        second.get_weight(),
        None if sizes is None else np.asarray(sizes),
    )
