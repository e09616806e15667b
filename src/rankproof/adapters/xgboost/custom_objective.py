"""A loss as XGBoost's objective: gradient and second derivative at the scores of a DMatrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.adapters.curvature import Curvature, as_scale
from rankproof.adapters.dataset_cache import DatasetCache
from rankproof.adapters.engine_data import as_written
from rankproof.adapters.gradients import Gradients
from rankproof.adapters.newton import check_hessian
from rankproof.adapters.xgboost.dmatrix import (
    contents_of,
    labels_of,
    offsets_of,
    query_weights,
    refuse_arrays,
)
from rankproof.arrays import Float32s
from rankproof.data.ranking import ranking_data
from rankproof.judgments.labels import assumed_noise, with_judgments
from rankproof.losses.base import Loss
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import supervision
from rankproof.metrics.base import Metric
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["XGBoostObjective", "objective"]


def objective(
    metric: str | Metric,
    loss: str | Loss = "auto",
    noise: str | None = None,
    *,
    item_weight: Any = None,
    scale: float | Curvature | None = None,
    judgments: Any = None,
    threads: int | None = None,
) -> XGBoostObjective:
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
        A condition on the law of the labels, for metrics that have a consistent loss only then.
    item_weight : array, one per row of the training data, optional
        Weights of items, for a loss that is a sum over items (squared, lift, softmax). XGBoost itself takes
        weights of queries only, when there are groups: those go into the DMatrix and are used too.
    scale : float or Curvature, optional
        The power of two that the gradient is multiplied by: by default the one for the rows that the
        objective is called with. For training on several machines give all of them that of all rows, which
        `curvature` finds from the labels of the parts.
    judgments : Judgments or matrix of P(grade), optional
        Of the rows of the training data, which then need no labels of their own: what is trained on is the
        mean of the target under their law.
    threads : int, optional
        How many threads compute the gradient; its bits do not depend on it.

    Notes
    -----
    Scale: with squared loss the gradient is s - u and the second derivative 1, as in ``reg:squarederror``;
    every other loss is brought to a mean second derivative of about 1/16 per row, see
    `rankproof.adapters.newton`. So the usual ``eta``, ``min_child_weight`` and ``lambda`` apply.

    Start: XGBoost starts a custom objective from scores of 0.5, whatever the labels. Losses that do not see a
    number added to all scores of a query (lift, softmax, pairwise) lose nothing by that. For
    ``squared`` set ``base_score`` to the mean of the target, or use `regression_target` with XGBoost's own
    ``reg:squarederror``, which starts there.

    Saved models: XGBoost writes ``reg:squarederror`` as the objective of a model that was trained with one of
    its own; scores are as they were.
    """
    engine("xgboost")
    choice = choose_loss(metric, loss, assumed_noise(judgments, noise), engine="xgboost").warned()
    return XGBoostObjective(
        choice.metric, choice.loss, item_weight=item_weight, scale=scale, judgments=judgments, threads=threads
    )


class XGBoostObjective:
    """A loss as ``xgboost.train`` calls it: ``(scores, DMatrix)``.

    Targets are computed once per data set, and anew when its labels, groups or weights change. The gradient
    and second derivative are computed in float64 and returned in float32, as XGBoost holds them; the arrays
    are written over by the next call.
    """

    def __init__(
        self,
        metric: Metric,
        loss: Loss,
        *,
        item_weight: Any = None,
        scale: float | Curvature | None = None,
        judgments: Any = None,
        threads: int | None = None,
    ) -> None:
        check_hessian(loss)
        self.metric, self.loss, self.threads = metric, loss, threads
        self.scale, self.judgments = as_scale(scale, loss), judgments
        self.item_weight = None if item_weight is None else np.array(item_weight, dtype=np.float64)
        self._gradients: DatasetCache[Gradients] = DatasetCache()

    def __call__(self, scores: Any, data: Any, sample_weight: Any = None) -> tuple[Float32s, Float32s]:
        """Gradient and second derivative, one number per row each."""
        refuse_arrays(data, sample_weight)
        with using(self.threads):
            return self._gradients.get(data, contents_of(data), lambda: self._make(data)).float32_at(scores)

    def _make(self, matrix: Any) -> Gradients:
        offsets = offsets_of(matrix)
        data = ranking_data(
            as_written(labels_of(matrix)),
            offsets,
            query_weights=query_weights(matrix, offsets),
            item_weights=self.item_weight,
        )
        data = with_judgments(data, self.judgments, self.loss)
        return Gradients(self.loss, supervision(self.loss, data, weight_name="item_weight"), self.scale)

    def __repr__(self) -> str:
        return f"xgboost.objective({self.metric}, loss={self.loss})"
