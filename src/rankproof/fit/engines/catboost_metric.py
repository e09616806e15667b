"""The exact metric for CatBoost, which hands over scores and targets of a whole pool, but no groups.

A pool made by `rankproof.catboost.pool` knows its labels and queries. A metric made for it recognises the
pool by its targets, row by row, so it cannot be computed on other rows or on rows in another order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import ArgumentError, DataError
from rankproof.fit.engines.exact import higher_is_better, value_on
from rankproof.fit.engines.missing import engine
from rankproof.fit.engines.reading import Judged
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of

__all__ = ["ExactMetric", "attach", "best_iteration", "eval_metric"]

_KEY = "_rankproof_judged"
# CatBoost evaluates the training data and every evaluation set in each iteration, at most this many here.
_MOST_SETS = 32


def attach(pool: Any, data: Judged) -> None:
    """Keep the labels and queries behind a pool with it."""
    setattr(pool, _KEY, data)


def _behind(pool: Any) -> Judged:
    found = getattr(pool, _KEY, None)
    if not isinstance(found, Judged):
        raise ArgumentError(
            f"The labels and queries behind this {type(pool).__name__} are not known. "
            "Make it with rankproof.catboost.pool."
        )
    return found


def eval_metric(metric: str | Metric, *pools: Any, threads: int | None = None) -> ExactMetric:
    """The metric, exact under ties, as CatBoost's ``eval_metric``.

    With ``early_stopping_rounds`` CatBoost stops on it, and ``use_best_model`` cuts the model there. It is
    computed on the pools given; on any other data set, such as the training data when only the validation
    pool is given, CatBoost is told 0. Queries count with their ``query_weight``. CPU only, as all metrics of
    one's own in CatBoost.

    Parameters
    ----------
    metric : metric or str
    *pools
        Pools made by `rankproof.catboost.pool`: the one in ``eval_set``, and the training pool if its values
        are wanted too.
    """
    engine("catboost")
    known = metric_of(metric)
    if not pools:
        raise ArgumentError("Argument pools must name at least one pool: the one that goes into eval_set.")
    data = tuple((np.asarray(pool.get_label(), dtype=np.float32), _behind(pool)) for pool in pools)
    # CatBoost names a metric of one's own by its class.
    named = type(str(known), (ExactMetric,), {})
    made: ExactMetric = named(known, data, threads=threads)
    return made


class ExactMetric:
    """A metric as CatBoost calls it."""

    # CatBoost would else try to compile the methods, and warn that it cannot.
    no_jit = True

    def __init__(
        self, metric: Metric, data: tuple[tuple[NDArray[Any], Judged], ...], *, threads: int | None = None
    ) -> None:
        self.metric, self.data, self.threads = metric, data, threads
        self._strange = 0

    def is_max_optimal(self) -> bool:
        """Whether higher is better."""
        return higher_is_better(self.metric)

    def get_final_error(self, error: float, weight: float) -> float:  # noqa: ARG002 - CatBoost's words
        """The value, from what `evaluate` returned."""
        return error

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:  # noqa: ARG002
        """The value on the pool whose targets these are, and a weight of 1."""
        scores = np.asarray(approxes[0], dtype=np.float64)
        given = np.asarray(target, dtype=np.float32)
        for targets, data in self.data:
            if np.array_equal(targets, given):
                self._strange = 0
                return value_on(self.metric, scores, data, threads=self.threads), 1.0
        self._strange += 1
        if self._strange >= _MOST_SETS:
            raise DataError(
                f"{self.metric} was made for pools that CatBoost does not evaluate on: its last "
                f"{self._strange} data sets were others. Give eval_metric the very pool of eval_set."
            )
        return 0.0, 1.0

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _again, (self.metric, self.data, self.threads)

    def __repr__(self) -> str:
        return f"catboost.eval_metric({self.metric})"


def _again(metric: Metric, data: Any, threads: int | None) -> ExactMetric:
    made: ExactMetric = type(str(metric), (ExactMetric,), {})(metric, data, threads=threads)
    return made


def best_iteration(
    model: Any, pool: Any, metric: str | Metric, *, every: int = 1, threads: int | None = None
) -> int:
    """The iteration, counted from 0, after which the exact metric on the pool is best; the first of equals.

    For models that were trained without `eval_metric`, on a GPU say. ``model.shrink(best + 1)`` cuts the
    model after it.

    Parameters
    ----------
    model : fitted CatBoost model
    pool
        Made by `rankproof.catboost.pool`.
    metric : metric or str
    every : int
        Look at every so many trees only, and at the last.
    """
    known, data = metric_of(metric), _behind(pool)
    trees, step = int(model.tree_count_), max(1, int(every))
    best, at = -np.inf, trees - 1
    ends = [*range(step, trees, step), trees]
    stages = model.staged_predict(pool, prediction_type="RawFormulaVal", eval_period=step)
    for end, scores in zip(ends, stages, strict=True):
        value = value_on(known, scores, data, threads=threads)
        gain = value if higher_is_better(known) else -value
        if gain > best:
            best, at = gain, end - 1
    return at
