"""`PlasmodeWorld`: lists like real ones, with labels from a law fitted to real labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_whole_number, query_of_item
from rankproof.data.ranking import RankingData
from rankproof.files import StrPath
from rankproof.metrics.parse import metric
from rankproof.worlds.drawn import DrawnData
from rankproof.worlds.plasmode.effects import LabelModel, fit_label_model
from rankproof.worlds.plasmode.lists import ListMaker, MadeLists
from rankproof.worlds.plasmode.ordinal import draw_classes, thresholds_of_shares
from rankproof.worlds.plasmode.real import as_rows, mean_of_metrics, some_queries
from rankproof.worlds.plasmode.saved import WorldParts, digest_of, read_parts, write_parts
from rankproof.worlds.plasmode.trees import FOLDS, GradedRows, OrdinalTrees, cross_fit, fit_trees

__all__ = ["PlasmodeWorld"]

TOPICS = 4
ITEMS_FOR_LAW, ITEMS_FOR_SHARES = 15_000, 30_000
QUERIES_AT_ONCE = 1_000
MATCHED = (metric("nDCG(empty=0)"), metric("AP(empty=0)"))
SIGNALS, FIRST_SLOPE, LEAST_SLOPE = (0.6, 1.6), 0.25, 0.05
MATCH_STEPS, MATCH_QUERIES, MATCH_DRAWS, MATCH_CLOSE = 4, 1_000, 16, 0.001


@dataclass(frozen=True, eq=False, repr=False)
class PlasmodeWorld:
    """Queries without limit that are like those of a data set, with a known law of their labels.

    Made by `fit` from data with labels, or by `load`. New lists are real ones moved part of the way towards
    similar lists. The law of the labels is an ordinal logit: boosted trees say how relevant an item is, and
    every query adds a random level, a random strength and random topics, all with sizes estimated from the
    data. The page *Worlds made from data* has the details and what was checked.

    Attributes
    ----------
    grades : array
        The grades of the data, increasing.
    law : object
        The numbers of the law, as fitted.

    Examples
    --------
    >>> import rankproof as rp
    >>> real = rp.synthetic.IntentWorld.random(items=8).sample(queries=60)  # stands for your data
    >>> world = rp.synthetic.PlasmodeWorld.fit(real)
    >>> train = world.sample(queries=200, seed=1)
    >>> drawn = world.sample_with_draws(queries=50, seed=2)
    >>> drawn
    DrawnData(RankingData(50 queries, 400 items, 6 features), 64 label vectors)
    >>> ranker = rp.LinearRanker("nDCG@5").fit(train.X, train.labels, qid=train.qids)
    >>> reached = drawn.means("nDCG@5", ranker.predict(drawn.data.X))["nDCG@5"]
    >>> bool(reached < drawn.best_values("nDCG@5")["nDCG@5"].mean())
    True
    """

    grades: Float64s
    law: LabelModel
    _lists: ListMaker
    _trees: OrdinalTrees
    _shares: Float64s

    @classmethod
    def fit(cls, data: RankingData, *, seed: int = 0) -> PlasmodeWorld:
        """A world like these data. Needs LightGBM.

        The trees are cross-fitted by query, so that the noise is as large as it is for queries they have not
        seen. At last the signal is scaled so that trees trained on as many queries of the world reach what
        they reached on held-out real ones, in the mean of nDCG and AP.

        Parameters
        ----------
        data : RankingData
            At least ten queries with features and labels, nothing missing. Weights are not used.
        seed : int
            Of the folds, the trees and the samples that the signal is scaled with.
        """
        seed = as_whole_number("seed of PlasmodeWorld.fit", seed, 0)
        grades, rows = as_rows(data)
        fitted = cross_fit(data, rows, seed)
        lists = ListMaker(rows.X, data.offsets, topics=TOPICS)
        some = some_queries(data, ITEMS_FOR_LAW, np.random.Generator(np.random.PCG64(seed)))
        part, items = rows.of_queries(data, some)
        law = fit_label_model(
            fitted.held_out[items], lists.topics[items], part.classes, part.offsets, fitted.thresholds
        )
        shares = np.array([(rows.classes >= g).mean() for g in range(1, grades.size)])
        reached = mean_of_metrics(MATCHED, fitted.held_out, data)
        return cls(grades, law, lists, fitted.model, shares)._matched(reached, seed)

    @classmethod
    def load(cls, path: StrPath) -> PlasmodeWorld:
        """The world that `save` wrote. Needs LightGBM.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        parts = read_parts(path)
        trees = OrdinalTrees.from_text(parts.models, parts.numbers["trees"])
        law = LabelModel.from_dict(parts.numbers["law"])
        return cls(parts.grades, law, ListMaker(parts.X, parts.offsets, topics=TOPICS), trees, parts.shares)

    def save(self, path: StrPath) -> None:
        """Write the world to one file, with the real feature rows that its lists are made from.

        Parameters
        ----------
        path : str or Path
            The file; it appears under its name when all is written.
        """
        write_parts(path, self._parts)

    @property
    def digest(self) -> str:
        """A text that differs for worlds that draw different queries."""
        return digest_of(self._parts)

    @property
    def queries(self) -> int:
        """How many queries the data had."""
        return self._lists.sizes.size

    def sample(self, queries: int, seed: int = 0) -> RankingData:
        """Queries with features and one label for each item, to train on.

        Parameters
        ----------
        queries : int
            How many, at least 1. The queries are drawn independently of each other.
        seed : int
            The same seed gives the same data again.
        """
        X, labels, offsets = self._drawn(queries, seed, 1)
        return RankingData(labels=labels[0], offsets=offsets, X=X)

    def sample_with_draws(self, queries: int, seed: int = 0, draws: int = 64) -> DrawnData:
        """Independent queries with many label vectors each, for exact expected metrics.

        Parameters
        ----------
        queries : int
            How many queries to draw, at least 1.
        seed : int
            Of PCG64. Not the seed of the training data: the first queries would be the same.
        draws : int
            How many label vectors each query gets. From then on the law of its labels is uniform over them.
        """
        X, labels, offsets = self._drawn(queries, seed, as_whole_number("draws", draws, 1))
        data = RankingData(labels=np.full(X.shape[0], np.nan), offsets=offsets, X=X)
        return DrawnData(data, labels)

    @cached_property
    def _parts(self) -> WorldParts:
        numbers = {"trees": self._trees.trees, "law": self.law.to_dict()}
        lists = self._lists
        return WorldParts(lists.X, lists.offsets, self.grades, self._shares, self._trees.to_text(), numbers)

    def _learned(self, seed: int) -> float:
        """What trees like those of the fit reach in the world, with as many queries as they had."""
        train = self.sample(self.queries * (FOLDS - 1) // FOLDS, seed=2 * seed + 1)
        test = self.sample_with_draws(MATCH_QUERIES, seed=2 * seed, draws=MATCH_DRAWS)
        rows = GradedRows(
            np.asarray(train.X),
            np.searchsorted(self.grades, train.labels),
            train.offsets,
            self.grades.size,
        )
        model, _ = fit_trees(rows, seed=seed, trees=self._trees.trees)
        scores = model.predict(test.data.X, num_threads=1)
        return float(np.mean(list(test.means(MATCHED, scores).values())))

    def _matched(self, reached: float, seed: int) -> PlasmodeWorld:
        """The world with the signal at which `_learned` is what the trees reached on held-out queries."""
        signals: list[float] = [1.0]
        values: list[float] = []
        while True:
            values.append(self._with_signal(signals[-1])._learned(seed) - reached)
            if abs(values[-1]) < MATCH_CLOSE or len(values) == MATCH_STEPS:
                break
            signals.append(_next_signal(signals, values))
        return self._with_signal(signals[int(np.argmin(np.abs(values)))])

    def _with_signal(self, signal: float) -> PlasmodeWorld:
        """The same with another signal, and thresholds that give the shares of the grades in the data."""
        law = self.law.with_signal(signal)
        rng = np.random.Generator(np.random.PCG64(0))
        new = self._lists.make(max(1, int(ITEMS_FOR_SHARES / self._lists.sizes.mean())), rng)
        value = self._trees.latent(new.X)
        spreads = np.sqrt(np.square(law.columns(value, new.topics, new.offsets)).sum(axis=1))
        thresholds = thresholds_of_shares(law.latent(value, new.offsets), spreads, self._shares)
        return replace(self, law=replace(law, thresholds=thresholds))

    def _drawn(self, queries: int, seed: int, draws: int) -> tuple[NDArray[np.float32], Float64s, Int64s]:
        queries = as_whole_number("queries of PlasmodeWorld.sample", queries, 1)
        seed = as_whole_number("seed of PlasmodeWorld.sample", seed, 0)
        rng = np.random.Generator(np.random.PCG64(seed))
        features, labels, sizes = [], [], []
        for low in range(0, queries, QUERIES_AT_ONCE):
            new = self._lists.make(min(QUERIES_AT_ONCE, queries - low), rng)
            features.append(new.X)
            sizes.append(np.diff(new.offsets))
            labels.append(np.stack(list(self._labels(new, draws, rng))))
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)
        return np.concatenate(features), np.concatenate(labels, axis=1), offsets

    def _labels(self, new: MadeLists, draws: int, rng: np.random.Generator) -> Iterator[Float64s]:
        value = self._trees.latent(new.X)
        latent = self.law.latent(value, new.offsets)
        columns = self.law.columns(value, new.topics, new.offsets)
        of_item = query_of_item(new.offsets)
        for _ in range(draws):
            effects = rng.standard_normal((new.bases.size, columns.shape[1]))
            moved = latent + np.einsum("ij,ij->i", columns, effects[of_item])
            yield self.grades[draw_classes(moved, self.law.thresholds, rng)]

    def __repr__(self) -> str:
        items = int(self._lists.offsets[-1])
        return f"PlasmodeWorld(of {self.queries} queries, {items} items, {self.grades.size} grades)"


def _next_signal(signals: list[float], values: list[float]) -> float:
    """A secant step; at first one that assumes a plausible slope."""
    slope = FIRST_SLOPE
    if len(signals) > 1 and signals[-1] != signals[-2]:
        slope = max(LEAST_SLOPE, (values[-1] - values[-2]) / (signals[-1] - signals[-2]))
    return float(np.clip(signals[-1] - values[-1] / slope, *SIGNALS))
