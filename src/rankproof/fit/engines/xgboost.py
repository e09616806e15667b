"""XGBoost: consistent losses as its objective, exact metrics for its evaluation and early stopping.

``rankproof.xgboost`` is this module. The objects are for ``xgboost.train`` (and ``cv``). XGBoost's
scikit-learn estimators hand no groups to an objective of one's own (``XGBRanker`` refuses any), so they take
the plain-regression route: `regression_target` with ``XGBRegressor``. `early_stopping` works with both.

>>> objective("nDCG@10")
xgboost.objective(nDCG@10, loss=lift:normalised-gain@10)
>>> eval_metric("nDCG@10").maximize
True
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
from rankproof.fit.engines.reading import Judged, supervised
from rankproof.fit.engines.regression import regression_target, relative_target
from rankproof.fit.engines.remembered import Remembered
from rankproof.fit.engines.steps import check_curvature
from rankproof.fit.engines.xgboost_data import (
    judged_matrix,
    labels_of,
    offsets_of,
    query_weights,
    refuse_arrays,
)
from rankproof.fit.engines.xgboost_stopping import early_stopping
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of

__all__ = [
    "ExactMetric",
    "Objective",
    "early_stopping",
    "eval_metric",
    "objective",
    "parameters",
    "regression_target",
    "relative_target",
]


def objective(
    metric: str | Metric,
    loss: str | Loss = "auto",
    noise: str | None = None,
    *,
    item_weight: Any = None,
    threads: int | None = None,
) -> Objective:
    """A loss made for the metric, for ``xgboost.train(..., obj=)``.

    Labels may be any numbers, queries of any length. The DMatrix needs groups (``group=`` or ``qid=``).

    Parameters
    ----------
    metric : metric or str
        What is reported; the loss is made for it.
    loss : str or Loss
        ``"auto"``, a name such as ``"softmax"`` (target from ``metric``), a full form such as
        ``"squared:normalised-gain@10"``, or a loss object.
    noise : str, optional
        What is known about the law of the labels, for metrics that have a consistent loss only then.
    item_weight : array, one per row of the training data, optional
        Weights of items, for a loss that is a sum over items (squared, lift, softmax). XGBoost itself takes
        weights of queries only, when there are groups: those go into the DMatrix and are used too.
    threads : int, optional
        How many threads compute the gradient; its bits do not depend on it.

    Notes
    -----
    Scale: with squared loss the gradient is s - u and the second derivative 1, as in ``reg:squarederror``;
    every other loss is brought to a mean second derivative of about 1/16 per row, see
    `rankproof.fit.engines.steps`. So the usual ``eta``, ``min_child_weight`` and ``lambda`` apply.

    Start: XGBoost starts a custom objective from scores of 0.5, whatever the labels. Losses that do not see a
    number added to all scores of a query (lift, softmax, pairwise) lose nothing by that. For
    ``squared`` set ``base_score`` to the mean of the target, or use `regression_target` with XGBoost's own
    ``reg:squarederror``, which starts there.

    Saved models: XGBoost writes ``reg:squarederror`` as the objective of a model that was trained with one of
    its own; scores are as they were.
    """
    engine("xgboost")
    known = metric_of(metric)
    return Objective(known, engine_loss(known, loss, noise), item_weight=item_weight, threads=threads)


def eval_metric(metric: str | Metric | Iterable[str | Metric], *, threads: int | None = None) -> ExactMetric:
    """The metric, exact under ties, for ``xgboost.train(..., custom_metric=)``.

    ``maximize`` of the result says whether higher is better: hand it to ``xgboost.train(..., maximize=)``.
    Without that XGBoost guesses by the name, and takes lower nDCG@10 for better. XGBoost keeps six decimals
    of a custom metric; `early_stopping` goes by all of them.

    A query counts with its weight in the DMatrix. What a query without relevant items counts is said by the
    metric (``empty``). Set ``disable_default_eval_metric``, as `parameters` does: XGBoost computes the
    error of regression beside every custom objective, and ends the process on weights of queries.
    """
    engine("xgboost")
    return ExactMetric(as_metrics(metric), threads=threads)


def parameters() -> dict[str, Any]:
    """The parameters that go with a loss and a metric of ours: none of XGBoost's own metrics.

    >>> parameters()
    {'disable_default_eval_metric': True}
    """
    return {"disable_default_eval_metric": True}


class Objective:
    """A loss as ``xgboost.train`` calls it: ``(scores, DMatrix)``.

    Targets are computed once per data set, and anew when its labels, groups or weights change. The gradient
    and second derivative are computed in float64 and returned in float32, as XGBoost holds them; the arrays
    are written over by the next call.
    """

    def __init__(
        self, metric: Metric, loss: Loss, *, item_weight: Any = None, threads: int | None = None
    ) -> None:
        check_curvature(loss)
        self.metric, self.loss, self.threads = metric, loss, threads
        self.item_weight = None if item_weight is None else np.array(item_weight, dtype=np.float64)
        self._made: Remembered[Gradients] = Remembered()

    def __call__(self, scores: Any, data: Any, sample_weight: Any = None) -> tuple[Float32s, Float32s]:
        """Gradient and second derivative, one number per row each."""
        refuse_arrays(data, sample_weight)
        labels, groups, weights = labels_of(data), data.get_uint_info("group_ptr"), data.get_weight()
        contents: tuple[NDArray[Any] | None, ...] = (labels, groups, weights)
        return self._made.get(data, contents, lambda: self._make(data, labels)).held_at(scores)

    def _make(self, data: Any, labels: Any) -> Gradients:
        offsets = offsets_of(data)
        found = supervised(
            self.loss,
            labels,
            offsets,
            row_weights=self.item_weight,
            query_weights=query_weights(data, offsets),
            weight_name="item_weight",
            threads=self.threads,
        )
        return Gradients(self.loss, found, threads=self.threads)

    def __repr__(self) -> str:
        return f"xgboost.objective({self.metric}, loss={self.loss})"


class ExactMetric:
    """Metrics as ``xgboost.train`` calls them; returns (name, value), or a list of these."""

    def __init__(self, metrics: tuple[Metric, ...], *, threads: int | None = None) -> None:
        directions = {higher_is_better(metric) for metric in metrics}
        if len(directions) > 1:
            raise ArgumentError(
                "XGBoost has one direction for all custom metrics, but higher is better for only some of "
                f"{', '.join(map(str, metrics))}. Ask for those of one direction."
            )
        self.metrics, self.threads = metrics, threads
        self.maximize = directions.pop()
        self._made: Remembered[Judged] = Remembered()

    def __call__(self, scores: Any, data: Any, sample_weight: Any = None) -> Any:
        """The values at these scores."""
        refuse_arrays(data, sample_weight)
        labels, groups, weights = labels_of(data), data.get_uint_info("group_ptr"), data.get_weight()
        known = self._made.get(data, (labels, groups, weights), lambda: judged_matrix(data))
        found = [(str(m), value_on(m, scores, known, threads=self.threads)) for m in self.metrics]
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"xgboost.eval_metric({', '.join(map(str, self.metrics))})"
