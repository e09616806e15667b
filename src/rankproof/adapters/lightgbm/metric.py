"""The exact metric for LightGBM's evaluation and early stopping."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankproof.adapters.dataset_cache import DatasetCache
from rankproof.adapters.engine_data import weighted_by_query
from rankproof.adapters.engine_metric import as_metrics, higher_is_better, value_on
from rankproof.adapters.lightgbm.dataset import LightGBMCall
from rankproof.data.ranking import RankingData
from rankproof.metrics.base import Metric
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["LightGBMMetric", "eval_metric"]


def eval_metric(
    metric: str | Metric | Iterable[str | Metric], *, threads: int | None = None
) -> LightGBMMetric:
    """The metric, exact under ties, for LightGBM's evaluation and early stopping.

    Give it as ``feval=`` to ``lightgbm.train``, or as ``eval_metric=`` to ``LGBMRanker.fit``. Set LightGBM's
    ``metric`` to ``"None"``, as `parameters` does: its own metrics are not exact under ties, refuse labels
    that are not small whole numbers, and queries of more than 10,000 rows.

    A query counts with the mean of its rows' weights. What a query without relevant items counts is said by
    the metric (``empty``). Several metrics share a call; ``lightgbm.early_stopping`` then watches all of
    them, or the first with ``first_metric_only=True``.
    """
    engine("lightgbm")
    return LightGBMMetric(as_metrics(metric), threads=threads)


class LightGBMMetric:
    """Metrics as LightGBM calls them; returns (name, value, whether higher is better), or a list of these."""

    def __init__(self, metrics: tuple[Metric, ...], *, threads: int | None = None) -> None:
        self.metrics, self.threads = metrics, threads
        self._data: DatasetCache[RankingData] = DatasetCache()

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> Any:
        """The values at these scores. LightGBM counts these four parameters."""
        call = LightGBMCall.from_arguments(first, second, weight, group)
        data = self._data.get(
            call.owner, call.contents, lambda: weighted_by_query(call.data("The evaluated Dataset"))
        )
        with using(self.threads):
            values = [
                (str(metric), value_on(metric, call.scores, data), higher_is_better(metric))
                for metric in self.metrics
            ]
        return values[0] if len(values) == 1 else values

    def __repr__(self) -> str:
        return f"lightgbm.eval_metric({', '.join(map(str, self.metrics))})"
