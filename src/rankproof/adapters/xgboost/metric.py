"""The exact metric for XGBoost's evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankproof.adapters.dataset_cache import DatasetCache
from rankproof.adapters.engine_metric import as_metrics, higher_is_better, value_on
from rankproof.adapters.xgboost.dmatrix import contents_of, engine_data, refuse_arrays
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["XGBoostMetric", "eval_metric", "parameters"]


def eval_metric(
    metric: str | Metric | Iterable[str | Metric], *, threads: int | None = None
) -> XGBoostMetric:
    """The metric, exact under ties, for ``xgboost.train(..., custom_metric=)``.

    ``maximize`` of the result says whether higher is better: hand it to ``xgboost.train(..., maximize=)``.
    Without that XGBoost guesses by the name, and takes lower nDCG@10 for better. XGBoost keeps six decimals
    of a custom metric; `early_stopping` goes by all of them.

    A query counts with its weight in the DMatrix. What a query without relevant items counts is said by the
    metric (``empty``). Set ``disable_default_eval_metric``, as `parameters` does: XGBoost computes the
    error of regression beside every custom objective, and ends the process on weights of queries.
    """
    engine("xgboost")
    return XGBoostMetric(as_metrics(metric), threads=threads)


def parameters() -> dict[str, Any]:
    """The parameters that go with a loss and a metric of ours: none of XGBoost's own metrics.

    >>> parameters()
    {'disable_default_eval_metric': True}
    """
    return {"disable_default_eval_metric": True}


class XGBoostMetric:
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
        self._data: DatasetCache[RankingData] = DatasetCache()

    def __call__(self, scores: Any, data: Any, sample_weight: Any = None) -> Any:
        """The values at these scores."""
        refuse_arrays(data, sample_weight)
        judged = self._data.get(data, contents_of(data), lambda: engine_data(data))
        with using(self.threads):
            values = [(str(m), value_on(m, scores, judged)) for m in self.metrics]
        return values[0] if len(values) == 1 else values

    def __repr__(self) -> str:
        return f"xgboost.eval_metric({', '.join(map(str, self.metrics))})"
