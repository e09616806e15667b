"""`World` draws queries whose labels have a known law given the features; `KnownData` is what it draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, as_scores, as_whole_number
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.worlds.label_law import LabelLaw, TargetLike
from rankproof.worlds.metric_forms import QueryMetric, as_metric_form, higher_is_better

__all__ = ["KnownData", "World"]


class KnownData(NamedTuple):
    """Ranking data with the law of every query's labels given its features.

    Sums over the finite support of every law, in float64: correct to machine precision. Means over queries
    use the query weights of the data. Scores are flat, one per item of the data, as everywhere.

    Attributes
    ----------
    data : RankingData
        The queries with features and labels; labels are NaN where only their law is known.
    laws : tuple of LabelLaw, one per query
        ``laws[q]`` is the distribution of the labels of query q, given its features.

    Examples
    --------
    >>> import rankproof as rp
    >>> known = rp.synthetic.IntentWorld.random(items=12).sample_with_laws(queries=40)
    >>> best = known.bayes_scores("normalised-gain")
    >>> abs(known.regret("nDCG", best)) < 1e-12, known.regret("nDCG", known.bayes_scores("gain")) > 0.001
    (True, True)
    """

    data: RankingData
    laws: tuple[LabelLaw, ...]

    def bayes_scores(self, target: TargetLike) -> Float64s:
        """``E[u(Y) | X]`` of every item: the regression function of the target ``u``.

        Parameters
        ----------
        target : Target, str or callable
            A target of `rankproof.targets`, its string, or a function of a matrix of label vectors.
        """
        return np.concatenate([law.expect(target) for law in self.laws]) if self.laws else np.empty(0)

    def values(self, metric: QueryMetric, scores: ArrayLike) -> Float64s:
        """``E[metric(scores, Y) | X]`` of every query.

        Parameters
        ----------
        metric : Metric, str, Positional, Ranked or callable
            A metric of `rankproof.metrics`, its string, or one of the forms of plain functions; see
            `LabelLaw.value`.
        scores : array of one number per item of the data
            Higher is better; NaN is refused.
        """
        form = as_metric_form(metric)
        return np.array([law.value(form, part) for law, part in self._by_query(scores)])

    def value(self, metric: QueryMetric, scores: ArrayLike) -> float:
        """The mean of `values` over the queries, whose parameters it takes."""
        return self._mean(self.values(metric, scores))

    def best_values(self, metric: QueryMetric) -> Float64s:
        """The expected value of the best ranking of every query.

        Parameters
        ----------
        metric : Metric, str, Positional, Ranked or callable
            See `LabelLaw.best`: where sorting is not optimal, queries have at most 8 items.
        """
        form = as_metric_form(metric)
        return np.array([law.best(form).value for law in self.laws])

    def regrets(self, metric: QueryMetric, scores: ArrayLike) -> Float64s:
        """What ``scores`` lose against the best ranking of every query; not negative, up to rounding.

        Parameters
        ----------
        metric : Metric, str, Positional, Ranked or callable
            As in `best_values`. For a metric that is better when lower, the loss is what the scores have
            more than the best ranking.
        scores : array of one number per item of the data
            Higher is better; NaN is refused.
        """
        form = as_metric_form(metric)
        gains = self.best_values(form) - self.values(form, scores)
        return gains if higher_is_better(form) else 0.0 - gains

    def regret(self, metric: QueryMetric, scores: ArrayLike) -> float:
        """The mean of `regrets` over the queries, whose parameters it takes."""
        return self._mean(self.regrets(metric, scores))

    def _by_query(self, scores: ArrayLike) -> Iterable[tuple[LabelLaw, Float64s]]:
        flat = as_scores(scores, self.data.items)
        return zip(self.laws, _parts(flat, self.data), strict=True)

    def _mean(self, values: Float64s) -> float:
        if not values.size:
            raise DataError("These data have no queries, so there is no mean over queries.")
        return float(np.average(values, weights=self.data.query_weights))


class World(ABC):
    """Draws queries whose labels have a known law given the features.

    A world of your own defines `law`, `draw_features` and `draw_labels`.

    Examples
    --------
    >>> import rankproof as rp
    >>> world = rp.synthetic.IntentWorld.random(items=5)
    >>> world.sample(queries=3)
    RankingData(3 queries, 15 items, 6 features)
    >>> len(world.sample_with_laws(queries=3).laws)
    3
    """

    @abstractmethod
    def law(self, X: ArrayLike) -> LabelLaw:
        """The law of the labels of a query given its features (one row per item)."""

    @abstractmethod
    def draw_features(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """The features of one query."""

    @abstractmethod
    def draw_labels(self, X: NDArray[np.float32], rng: np.random.Generator) -> Float64s:
        """Labels drawn from `law` given these features."""

    def sample(self, queries: int, seed: int = 0) -> RankingData:
        """Independent queries with features and labels.

        Parameters
        ----------
        queries : int
            How many queries to draw, at least 1.
        seed : int
            Of PCG64; the same seed gives the same data again.
        """
        queries = as_whole_number("queries of World.sample", queries, 1)
        rng = np.random.Generator(np.random.PCG64(as_whole_number("seed of World.sample", seed, 0)))
        features, labels = [], []
        for _ in range(queries):
            X = self.draw_features(rng)
            features.append(X)
            labels.append(self.draw_labels(X, rng))
        sizes = [X.shape[0] for X in features]
        return RankingData(
            labels=np.concatenate(labels),
            offsets=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            X=np.concatenate(features),
        )

    def sample_with_laws(self, queries: int, seed: int = 0) -> KnownData:
        """The data of `sample` with the law of every query."""
        return self.with_laws(self.sample(queries, seed))

    def with_laws(self, data: RankingData) -> KnownData:
        """Data with features of this world, with the law of every query given its features."""
        if data.X is None:
            raise ArgumentError("The laws of a world are laws given the features, but these data have no X.")
        X = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
        return KnownData(data, tuple(self.law(part) for part in _parts(X, data)))


def _parts(flat: NDArray[Any], data: RankingData) -> list[NDArray[Any]]:
    return [flat[low:high] for low, high in pairwise(data.offsets.tolist())]
