"""A loss as LightGBM's objective: gradient and second derivative at the scores of a data set."""

from __future__ import annotations

from typing import Any

from rankproof.adapters.curvature import Curvature, as_scale
from rankproof.adapters.dataset_cache import DatasetCache
from rankproof.adapters.gradients import Gradients
from rankproof.adapters.lightgbm.dataset import LightGBMCall, refuse_unsupported
from rankproof.adapters.newton import check_hessian
from rankproof.arrays import Float32s
from rankproof.judgments.labels import assumed_noise, with_judgments
from rankproof.losses.base import Loss
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import supervision
from rankproof.metrics.base import Metric
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["LightGBMObjective", "objective", "parameters"]


def objective(
    metric: str | Metric,
    loss: str | Loss = "auto",
    noise: str | None = None,
    *,
    scale: float | Curvature | None = None,
    judgments: Any = None,
    threads: int | None = None,
) -> LightGBMObjective:
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
        A condition on the law of the labels, for metrics that have a consistent loss only then.
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
    Scale: with squared loss the gradient is s - u and the second derivative 1, bit for bit as in LightGBM's
    ``regression``; every other loss is brought to a mean second derivative of about 1/16 per row, see
    `rankproof.adapters.newton`. So the usual ``learning_rate``, ``min_sum_hessian_in_leaf`` and
    ``lambda_l2`` apply.

    Start: LightGBM starts a custom objective from scores of 0. Losses that do not see a number added to all
    scores of a query (lift, softmax, pairwise) lose nothing by that. ``squared``, ``relative`` and ``kl``
    spend their first trees on the mean: give the Dataset an ``init_score``, or use `regression_target` with
    LightGBM's own ``regression``, which starts from the mean.

    Weights: ``weight`` of the Dataset has one number per row. They weigh items for a loss that is a sum over
    items (squared, lift, softmax); for any other loss they must be the same within each query, and weigh
    queries.

    Not with ``bagging_by_query``: LightGBM (4.7) then grows wrong trees for any custom objective, or none:
    squares written as one do not give the model of its ``regression``, as they do without it. Nor with
    ``position``, which only LightGBM's ``lambdarank`` reads.
    """
    engine("lightgbm")
    choice = choose_loss(metric, loss, assumed_noise(judgments, noise), engine="lightgbm").warned()
    return LightGBMObjective(choice.metric, choice.loss, scale=scale, judgments=judgments, threads=threads)


def parameters(
    metric: str | Metric,
    loss: str | Loss = "auto",
    noise: str | None = None,
    *,
    scale: float | Curvature | None = None,
    judgments: Any = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """The parameters that put the loss in: ``objective``, and no metric of LightGBM's own.

    ``LGBMRanker`` would else compute its ``ndcg`` beside every objective, and refuse what that cannot do.

    >>> sorted(parameters("nDCG@10"))
    ['metric', 'objective']
    """
    engine("lightgbm")
    choice = choose_loss(metric, loss, assumed_noise(judgments, noise), engine="lightgbm").warned()
    minimised = LightGBMObjective(
        choice.metric, choice.loss, scale=scale, judgments=judgments, threads=threads
    )
    return {"objective": minimised, "metric": "None"}


class LightGBMObjective:
    """A loss as LightGBM calls it: ``(scores, Dataset)`` or ``(labels, scores, weight, group)``.

    Targets are computed once per data set, and anew when its labels, groups or weights change. The gradient
    and second derivative are computed in float64 and returned in float32, as LightGBM holds them; the arrays
    are written over by the next call.
    """

    def __init__(
        self,
        metric: Metric,
        loss: Loss,
        *,
        scale: float | Curvature | None = None,
        judgments: Any = None,
        threads: int | None = None,
    ) -> None:
        check_hessian(loss)
        self.metric, self.loss, self.threads = metric, loss, threads
        self.scale, self.judgments = as_scale(scale, loss), judgments
        self._gradients: DatasetCache[Gradients] = DatasetCache()

    def __call__(
        self, first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> tuple[Float32s, Float32s]:
        """Gradient and second derivative, one number per row each. LightGBM counts these four parameters."""
        call = LightGBMCall.from_arguments(first, second, weight, group)
        refuse_unsupported(second)
        with using(self.threads):
            gradients = self._gradients.get(
                call.owner,
                call.contents,
                lambda: self._make(call),
                # A Dataset hands out copies of what it holds, and new ones when that changes.
                replaced=call.owner is second,
            )
            return gradients.float32_at(call.scores)

    def _make(self, call: LightGBMCall) -> Gradients:
        data = with_judgments(call.data("The training Dataset"), self.judgments, self.loss)
        return Gradients(self.loss, supervision(self.loss, data, weight_name="weight"), self.scale)

    def __repr__(self) -> str:
        return f"lightgbm.objective({self.metric}, loss={self.loss})"
