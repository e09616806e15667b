"""`DrawnData`: queries whose labels have a law of equally likely label vectors, drawn once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, as_scores, frozen, spans_by_items
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import without_empties
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.metrics.ranked.lists import Order, RankedLists, sort_by_score
from rankproof.targets.base import Target
from rankproof.targets.parse import target as target_of
from rankproof.worlds.label_law import LabelLaw, TargetLike
from rankproof.worlds.metric_forms import matrix_targets
from rankproof.worlds.metric_values import check_domain, sorting_target
from rankproof.worlds.world import KnownData

__all__ = ["DrawnData"]

ITEMS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False, repr=False)
class DrawnData:
    """Ranking data where the law of each query's labels is uniform over label vectors that were drawn once.

    So the expected value of a metric is a mean over these label vectors: exact, with one sort per query for
    all metrics. Means over queries use the query weights of the data.

    Parameters
    ----------
    data : RankingData
        The queries with features; labels are NaN, since only their law is known.
    draws : array (label vectors, items)
        Row k holds label vector k of every query.

    Examples
    --------
    >>> import rankproof as rp
    >>> data = rp.RankingData(labels=[float("nan")] * 3, offsets=[0, 2, 3])
    >>> drawn = rp.synthetic.DrawnData(data, [[1, 0, 1], [1, 1, 0]])
    >>> drawn.values(["P@1", "AP(empty=0)"], [0.1, 0.2, 0.3])["P@1"].tolist()
    [0.5, 0.5]
    >>> drawn.means("P@1", drawn.bayes_scores("relevance"))
    {'P@1': 0.75}
    """

    data: RankingData
    draws: NDArray[np.float64]

    def __post_init__(self) -> None:
        draws = np.asarray(self.draws, dtype=np.float64)
        if draws.ndim != 2 or draws.shape[0] < 1 or draws.shape[1] != self.data.items:
            raise ArgumentError(
                "Argument draws of DrawnData must be a matrix with one label vector per row and "
                f"{self.data.items} columns, one per item of the data, got shape {draws.shape}."
            )
        if not np.isfinite(draws).all():
            raise ArgumentError("Argument draws of DrawnData must hold finite labels.")
        object.__setattr__(self, "draws", frozen(draws))

    def values(
        self, metrics: str | Metric | Iterable[str | Metric], scores: ArrayLike
    ) -> dict[str, Float64s]:
        """The expected value of every query, by the printed form of the metric.

        Parameters
        ----------
        metrics : metric, its string, or several
            Of `rankproof.metrics`, on grades. A label vector that is empty for a metric counts what its
            ``empty`` says, and 0 with ``empty="skip"``, as in `LabelLaw.value`.
        scores : array of one number per item of the data
            Higher is better; equal scores are ties, as in `rankproof.evaluate`.
        """
        chosen = self._metrics(metrics)
        flat = as_scores(scores, self.data.items)
        parts: dict[str, list[Float64s]] = {name: [] for name in chosen}
        for low, high in self._spans:
            offsets = self.data.offsets[low : high + 1] - self.data.offsets[low]
            order = sort_by_score(flat[self.data.offsets[low] : self.data.offsets[high]], offsets)
            lists = RankedLists.from_order(self._repeated(order), self._labels(low, high))
            for name, metric in chosen.items():
                parts[name].append(self._means_of_draws(metric, lists))
        return {name: np.concatenate(several) if several else np.empty(0) for name, several in parts.items()}

    def means(self, metrics: str | Metric | Iterable[str | Metric], scores: ArrayLike) -> dict[str, float]:
        """The mean over queries of `values`, whose parameters it takes."""
        return {name: self._mean(values) for name, values in self.values(metrics, scores).items()}

    def best_values(self, metrics: str | Metric | Iterable[str | Metric]) -> dict[str, Float64s]:
        """The expected value of the best ranking of every query.

        Parameters
        ----------
        metrics : metric, its string, or several
            Each needs a target by whose mean sorting is optimal under every law, as nDCG, DCG and precision
            have; others raise `ArgumentError`.
        """
        best: dict[str, Float64s] = {}
        for name, metric in self._metrics(metrics).items():
            target = sorting_target(metric)
            if target is None:
                raise ArgumentError(
                    f"No target standardises {name} under every law, so the best ranking of a long list is "
                    "not found by sorting. Ask for the best values of nDCG, DCG or precision, or compare "
                    "scorers with each other by values."
                )
            best |= self.values(metric, self.bayes_scores(target))
        return best

    def bayes_scores(self, target: TargetLike) -> Float64s:
        """``E[u(Y)]`` of every item under the law of the drawn label vectors.

        Parameters
        ----------
        target : Target, str or callable
            A target of `rankproof.targets`, its string, or a function of a matrix of label vectors.
        """
        target = target_of(target) if isinstance(target, str) else target
        if isinstance(target, Target):
            total = np.zeros(self.data.items)
            for row in self.draws:
                total += target.values(row, self.data.offsets)
            means: Float64s = total / self.draws.shape[0]
            return means
        return np.concatenate([matrix_targets(target, part).mean(axis=0) for part in self._by_query()])

    def known(self) -> KnownData:
        """The same as `KnownData`, query by query: slower, and for metrics of any form."""
        share = np.full(self.draws.shape[0], 1.0 / self.draws.shape[0])
        return KnownData(self.data, tuple(LabelLaw(part, share) for part in self._by_query()))

    def drawn(self, which: int) -> RankingData:
        """The data with one of the label vectors.

        Parameters
        ----------
        which : int
            The row of ``draws``.
        """
        return RankingData(
            labels=self.draws[which],
            offsets=self.data.offsets,
            X=self.data.X,
            query_ids=self.data.query_ids,
            query_weights=self.data.query_weights,
        )

    def _by_query(self) -> Iterator[Float64s]:
        for low, high in pairwise(self.data.offsets.tolist()):
            yield self.draws[:, low:high]

    def _metrics(self, metrics: str | Metric | Iterable[str | Metric]) -> Mapping[str, Metric]:
        several = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
        chosen = {str(m): m for m in (metric_of(one) if isinstance(one, str) else one for one in several)}
        for metric in chosen.values():
            check_domain(metric, self._grades)
        return chosen

    @cached_property
    def _grades(self) -> Float64s:
        return np.unique(self.draws)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """Ranges of queries with a bounded number of items, so that memory stays bounded."""
        return list(spans_by_items(self.data.offsets, max(1, ITEMS_AT_ONCE // self.draws.shape[0])))

    def _labels(self, low: int, high: int) -> Float64s:
        """The labels of these queries, one label vector of all of them after the other."""
        part = self.draws[:, self.data.offsets[low] : self.data.offsets[high]]
        return np.ascontiguousarray(part).reshape(-1)

    def _repeated(self, order: Order) -> Order:
        """The order once per label vector."""
        times, items = self.draws.shape[0], order.offsets[-1]
        starts = (np.arange(times)[:, None] * items + order.offsets[:-1]).reshape(-1)
        return Order(
            np.tile(order.places, times),
            np.tile(order.ends, times),
            np.tile(order.tied, times),
            frozen(np.append(starts, times * items)),
            frozen(np.tile(order.depth, times)),
        )

    def _means_of_draws(self, metric: Metric, lists: RankedLists) -> Float64s:
        values = metric.per_query(lists)
        counted = np.nan_to_num(without_empties(metric, values, np.arange(values.size)), nan=0.0)
        means: Float64s = counted.reshape(self.draws.shape[0], -1).mean(axis=0)
        return means

    def _mean(self, values: Float64s) -> float:
        return float(np.average(values, weights=self.data.query_weights))

    def __repr__(self) -> str:
        return f"DrawnData({self.data!r}, {self.draws.shape[0]} label vectors)"
