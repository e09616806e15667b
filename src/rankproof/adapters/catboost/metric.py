"""The exact metric for CatBoost, which hands over scores and targets of a whole pool, but no groups.

A pool made by `rankproof.catboost.pool` knows its labels and queries. A metric made for it recognises the
pool by its targets, row by row, so it cannot be computed on other rows or on rows in another order.

In every iteration CatBoost evaluates the training data, then every evaluation set, and goes by the last of
them. That one must be known: a metric that is 0 for ever would stop training at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.adapters.engine_metric import higher_is_better, value_on
from rankproof.arrays import as_whole_number
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.per_query import signed
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["CatBoostMetric", "attach", "best_iteration", "eval_metric"]

# The targets of a pool, by which it is recognised, and what is behind them; one pair a pool.
_Pools = tuple[tuple[NDArray[Any], RankingData], ...]
_KEY = "_rankproof_data"


def attach(pool: Any, data: RankingData) -> None:
    """Keep the labels and queries behind a pool with it."""
    setattr(pool, _KEY, data)


def _behind(pool: Any) -> RankingData:
    data = getattr(pool, _KEY, None)
    if not isinstance(data, RankingData):
        raise ArgumentError(
            f"The labels and queries behind this {type(pool).__name__} are not known. "
            "Make it with rankproof.catboost.pool."
        )
    return data


def eval_metric(metric: str | Metric, *pools: Any, threads: int | None = None) -> CatBoostMetric:
    """The metric, exact under ties, as CatBoost's ``eval_metric``.

    With ``early_stopping_rounds`` CatBoost stops on it, and ``use_best_model`` cuts the model there. It is
    computed on the pools given; on any other data set, such as the training data when only the validation
    pool is given, CatBoost is told 0. Of several sets in ``eval_set`` CatBoost goes by the last, so that one
    must be given. Queries count with their ``query_weight``. CPU only, as all custom metrics in CatBoost.

    Parameters
    ----------
    metric : metric or str
        The metric to watch, such as ``"nDCG@10"``; its direction decides whether CatBoost maximises it.
    *pools
        Pools made by `rankproof.catboost.pool`: the one in ``eval_set``, and the training pool if its values
        are wanted too.
    """
    engine("catboost")
    watched = metric_of(metric)
    if not pools:
        raise ArgumentError("Argument pools must name at least one pool: the one that goes into eval_set.")
    behind = [_behind(pool) for pool in pools]
    data = tuple(
        (np.asarray(pool.get_label(), dtype=np.float32), judged)
        for pool, judged in zip(pools, behind, strict=True)
    )
    return _named(watched, data, threads)


def _named(metric: Metric, data: _Pools, threads: int | None) -> CatBoostMetric:
    """CatBoost names a custom metric by its class, so each has its own."""
    named: CatBoostMetric = type(str(metric), (CatBoostMetric,), {})(metric, data, threads=threads)
    return named


class CatBoostMetric:
    """A metric as CatBoost calls it."""

    # CatBoost would else try to compile the methods, and warn that it cannot.
    no_jit = True

    def __init__(self, metric: Metric, data: _Pools, *, threads: int | None = None) -> None:
        self.metric, self.data, self.threads = metric, data, threads
        # The first targets of all, those of this iteration so far, and whether the last are of a known pool.
        self._first: list[NDArray[Any]] = []
        self._seen: list[NDArray[Any]] = []
        self._is_recognised = True

    def is_max_optimal(self) -> bool:
        """Whether higher is better."""
        return higher_is_better(self.metric)

    def get_final_error(self, error: float, weight: float) -> float:  # noqa: ARG002 - CatBoost's words
        """The value, from what `evaluate` returned."""
        return error

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:  # noqa: ARG002
        """The value on the pool whose targets these are, and a weight of 1."""
        scores = np.asarray(approxes[0], dtype=np.float64)
        labels = np.asarray(target, dtype=np.float32)
        self._follow(labels)
        data = next((data for targets, data in self.data if np.array_equal(targets, labels)), None)
        self._is_recognised = data is not None
        with using(self.threads):
            return (0.0 if data is None else value_on(self.metric, scores, data)), 1.0

    def _follow(self, labels: NDArray[Any]) -> None:
        """Raise `DataError` when an iteration ends with a data set that is not known.

        With ``metric_period`` the training data, which come first, are left out of some iterations.
        """
        ends = any(np.array_equal(targets, labels) for targets in (*self._first, *self._seen))
        if ends and not self._is_recognised:
            # CatBoost shows the whole chain of errors, and leaves an earlier one of a metric in it.
            raise DataError(
                f"{self.metric} was made for pools that CatBoost does not evaluate on last, where it looks "
                "for the best iteration. Give eval_metric the very pool of eval_set, the last of several."
            ) from None
        here = labels.copy()
        self._first = self._first or [here]
        self._seen = [here] if ends else [*self._seen, here]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _named, (self.metric, self.data, self.threads)

    def __repr__(self) -> str:
        return f"catboost.eval_metric({self.metric})"


def best_iteration(
    model: Any, pool: Any, metric: str | Metric, *, every: int = 1, threads: int | None = None
) -> int:
    """The iteration, counted from 0, after which the exact metric on the pool is best; the first of equals.

    For models that were trained without `eval_metric`, on a GPU say. ``model.shrink(best + 1)`` cuts the
    model after it.

    Parameters
    ----------
    model : fitted CatBoost model
        It must have trees, and it is not changed.
    pool
        Made by `rankproof.catboost.pool`.
    metric : metric or str
        The metric to choose by, such as ``"nDCG@10"``; where lower is better, the lowest value is best.
    every : int
        Look at every so many trees only, and at the last.
    """
    watched, data, step = (
        metric_of(metric),
        _behind(pool),
        as_whole_number("every of best_iteration", every, 1),
    )
    if not model.tree_count_:
        raise ArgumentError("Argument model of best_iteration must be a model with trees: fit it first.")
    trees = int(model.tree_count_)
    best, at = -np.inf, trees - 1
    ends = [*range(step, trees, step), trees]
    stages = model.staged_predict(pool, prediction_type="RawFormulaVal", eval_period=step)
    for end, scores in zip(ends, stages, strict=True):
        with using(threads):
            height = signed(watched, value_on(watched, scores, data))
        if height > best:
            best, at = height, end - 1
    return at
