"""Early stopping of XGBoost on the exact metric: in its direction, and with all its decimals."""

from __future__ import annotations

import json
import math
from typing import Any

from rankproof.adapters.engine_metric import value_on
from rankproof.adapters.xgboost.dmatrix import engine_data
from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import signed
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["early_stopping"]


def early_stopping(
    metric: str | Metric,
    data: Any,
    rounds: int,
    *,
    save_best: bool = False,
    labels: Any = None,
    group: Any = None,
    threads: int | None = None,
) -> Any:
    """A callback for XGBoost that stops when the exact metric on ``data`` no longer gets better.

    Give it in ``callbacks=[...]`` to ``xgboost.train``, or to any of XGBoost's estimators. The direction is
    that of the metric, and no decimals are dropped. It sets ``best_iteration`` and ``best_score`` of the
    booster. Trees only: dart changes earlier trees later on, so that the best round would not come back.

    Parameters
    ----------
    metric : metric or str
        The metric to watch, such as ``"nDCG@10"``; its direction decides which rounds are better.
    data : DMatrix
        The validation data, with labels and groups.
    rounds : int
        Stop after this many rounds without a better value.
    save_best : bool
        Cut the model after its best round.
    labels, group : array, optional
        Labels and group sizes, when those of ``data`` are not the ones to evaluate on: in plain regression
        the labels of the DMatrix are targets, and it needs no groups.
    """
    xgb = engine("xgboost")
    watched = metric_of(metric)
    limit = as_whole_number("rounds of early_stopping", rounds, 1)
    judged = engine_data(data, labels, group)
    base: Any = xgb.callback.TrainingCallback

    class ExactEarlyStopping(base):  # type: ignore[misc]  # known when XGBoost is loaded
        """Watches one metric; see `early_stopping`."""

        def before_training(self, model: Any) -> Any:
            if not isinstance(model, xgb.Booster):
                raise ArgumentError(
                    "early_stopping watches one model, and xgboost.cv trains several. There use "
                    "custom_metric=eval_metric(...), maximize= and early_stopping_rounds=."
                )
            _check_kind(model)
            self.best, self.at, self.values = -math.inf, -1, []  # type: ignore[var-annotated]
            return model

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
            scores = model.predict(data, output_margin=True)
            with using(threads):
                value = value_on(watched, scores, judged)
            self.values.append(value)
            height = signed(watched, value)
            if height > self.best:
                self.best, self.at = height, epoch
                model.set_attr(best_score=repr(value), best_iteration=str(model.num_boosted_rounds() - 1))
            return epoch - self.at >= limit

        def after_training(self, model: Any) -> Any:
            if not save_best or not self.values:
                return model
            kept = model[: model.best_iteration + 1]
            # A slice leaves the attributes behind.
            kept.set_attr(best_score=model.attr("best_score"), best_iteration=model.attr("best_iteration"))
            return kept

    return ExactEarlyStopping()


def _check_kind(model: Any) -> None:
    """Raise `ArgumentError` for a booster that cannot be cut after a round."""
    booster = json.loads(model.save_config())["learner"]["gradient_booster"]
    kind = booster.get("name")
    # From 3.4 on, dart is gbtree with a rate of trees to drop.
    dropped = booster.get("dart_train_param", {})
    if float(dropped.get("rate_drop", 0)) > 0 or dropped.get("one_drop", "0") != "0":
        kind = "dart"
    reasons = {
        "dart": "changes earlier trees with every new one, so that the model of the best round is lost",
        "gblinear": "has no trees, so that it cannot be cut after its best round",
    }
    if kind in reasons:
        raise ArgumentError(
            f"early_stopping cannot watch booster={kind!r}, which {reasons[kind]}. Use booster='gbtree', or "
            "train a fixed number of rounds."
        )
