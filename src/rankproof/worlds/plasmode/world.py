"""`PlasmodeWorld`: lists like real ones, labels from a law fitted to real labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_whole_number, query_of_item
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.per_query import mean_metric
from rankproof.files import StrPath
from rankproof.metrics.parse import metric
from rankproof.worlds.plasmode.drawn import DrawnData
from rankproof.worlds.plasmode.effects import LabelModel, fit_label_model
from rankproof.worlds.plasmode.lists import ListMaker, MadeLists
from rankproof.worlds.plasmode.ordinal import draw_classes, thresholds_of_shares
from rankproof.worlds.plasmode.saved import WorldParts, digest_of, read_parts, write_parts
from rankproof.worlds.plasmode.trees import FOLDS, OrdinalTrees, Rows, cross_fit, fit_trees

__all__ = ["PlasmodeWorld"]

TOPICS = 4
ITEMS_FOR_LAW, ITEMS_FOR_SHARES = 15_000, 30_000
QUERIES_AT_ONCE = 1_000
MATCHED = (metric("nDCG(empty=0)"), metric("AP(empty=0)"))
SIGNALS = (0.6, 1.6)
MATCH_STEPS, MATCH_QUERIES, MATCH_DRAWS, MATCH_CLOSE = 4, 1_000, 16, 0.001


@dataclass(frozen=True, eq=False, repr=False)
class PlasmodeWorld:
    """Queries without limit that are like those of a data set, whose expected metrics are known exactly."""

    grades: Float64s
    lists: ListMaker
    trees: OrdinalTrees
    law: LabelModel
    shares: Float64s

    @classmethod
    def fit(cls, data: RankingData, *, seed: int = 0) -> PlasmodeWorld:
        """A world like these data."""
        X = _dense(data)
        if np.isnan(data.labels).any():
            raise DataError("PlasmodeWorld.fit needs a label for every item, and some are NaN.")
        grades, classes = np.unique(data.labels, return_inverse=True)
        fitted = cross_fit(data, Rows(X, classes, data.offsets), seed)
        lists = ListMaker(X, data.offsets, topics=TOPICS)
        rng = np.random.Generator(np.random.PCG64(seed))
        some = _some_queries(data, rng)
        part = np.flatnonzero(some[query_of_item(data.offsets)])
        law = fit_label_model(
            fitted.held_out[part],
            lists.topics[part],
            classes[part],
            np.concatenate(([0], np.cumsum(data.sizes[some]))).astype(np.int64),
            fitted.thresholds,
        )
        shares = np.array([(classes >= g).mean() for g in range(1, grades.size)])
        reached = np.mean([mean_metric(one, fitted.held_out, data.labels, data.offsets) for one in MATCHED])
        return cls(grades, lists, fitted.model, law, shares)._matched(float(reached), seed)

    def sample(self, queries: int, seed: int = 0) -> RankingData:
        """Independent queries with features and labels."""
        X, labels, offsets = self._drawn(queries, seed, 1)
        return RankingData(labels=labels[0], offsets=offsets, X=X)

    def sample_with_draws(self, queries: int, seed: int = 0, draws: int = 64) -> DrawnData:
        """Independent queries with many label vectors each."""
        X, labels, offsets = self._drawn(queries, seed, as_whole_number("draws", draws, 1))
        data = RankingData(labels=np.full(X.shape[0], np.nan), offsets=offsets, X=X)
        return DrawnData(data, labels)

    @classmethod
    def load(cls, path: StrPath) -> PlasmodeWorld:
        """The world that `save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        parts = read_parts(path)
        numbers = dict(parts.numbers)
        trees = OrdinalTrees.from_text(parts.models, numbers.pop("trees"))
        law = LabelModel.from_dict(numbers.pop("law"))
        return cls(parts.grades, ListMaker(parts.X, parts.offsets, topics=TOPICS), trees, law, parts.shares)

    def save(self, path: StrPath) -> None:
        """Write the world, with the real rows that it makes lists from, to one file.

        Parameters
        ----------
        path : str or Path
            The file; it appears under its name when all is written.
        """
        write_parts(path, self._parts())

    @property
    def digest(self) -> str:
        """A text that differs for worlds that draw different queries."""
        return digest_of(self._parts())

    def _parts(self) -> WorldParts:
        numbers = {"trees": self.trees.trees, "law": self.law.to_dict()}
        lists = self.lists
        return WorldParts(lists.X, lists.offsets, self.grades, self.shares, self.trees.to_text(), numbers)

    def learned(self, seed: int) -> float:
        """What trees like those of the fit reach in the world, with as many queries as they had."""
        size = self.lists.sizes.size
        train = self.sample(max(2, size * (FOLDS - 1) // FOLDS), seed=2 * seed + 1)
        test = self.sample_with_draws(MATCH_QUERIES, seed=2 * seed, draws=MATCH_DRAWS)
        classes = np.searchsorted(self.grades, train.labels)
        model, _ = fit_trees(Rows(_dense(train), classes, train.offsets), seed=seed, trees=self.trees.trees)
        scores = model.predict(_dense(test.data), num_threads=1)
        return float(np.mean(list(test.means(MATCHED, scores).values())))

    def _matched(self, reached: float, seed: int) -> PlasmodeWorld:
        """The world with the signal at which `learned` is what the trees reached on held-out real queries."""
        signals, values = [1.0], []
        for step in range(MATCH_STEPS):
            world = self._with_signal(signals[-1])
            values.append(world.learned(seed) - reached)
            if abs(values[-1]) < MATCH_CLOSE or step == MATCH_STEPS - 1:
                break
            signals.append(_next_signal(signals, values))
        return self._with_signal(signals[int(np.argmin(np.abs(values)))])

    def _with_signal(self, signal: float) -> PlasmodeWorld:
        """The same with another signal, and thresholds that give the shares of the grades in the data."""
        law = self.law.with_signal(signal)
        rng = np.random.Generator(np.random.PCG64(0))
        made = self.lists.make(max(1, int(ITEMS_FOR_SHARES / self.lists.sizes.mean())), rng)
        value = self.trees.latent(made.X)
        spreads = np.sqrt(np.square(law.columns(value, made.topics, made.offsets)).sum(axis=1))
        thresholds = thresholds_of_shares(law.latent(value, made.offsets), spreads, self.shares)
        return replace(self, law=replace(law, thresholds=thresholds))

    def _drawn(self, queries: int, seed: int, draws: int) -> tuple[NDArray[np.float32], Float64s, Int64s]:
        queries = as_whole_number("queries of PlasmodeWorld.sample", queries, 1)
        seed = as_whole_number("seed of PlasmodeWorld.sample", seed, 0)
        rng = np.random.Generator(np.random.PCG64(seed))
        features, labels, sizes = [], [], []
        for low in range(0, queries, QUERIES_AT_ONCE):
            made = self.lists.make(min(QUERIES_AT_ONCE, queries - low), rng)
            features.append(made.X)
            sizes.append(np.diff(made.offsets))
            labels.append(np.stack(list(self._labels(made, draws, rng))))
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)
        return np.concatenate(features), np.concatenate(labels, axis=1), offsets

    def _labels(self, made: MadeLists, draws: int, rng: np.random.Generator) -> Iterator[Float64s]:
        value = self.trees.latent(made.X)
        latent = self.law.latent(value, made.offsets)
        columns = self.law.columns(value, made.topics, made.offsets)
        of_item = query_of_item(made.offsets)
        for _ in range(draws):
            effects = rng.standard_normal((made.bases.size, columns.shape[1]))
            moved = latent + np.einsum("ij,ij->i", columns, effects[of_item])
            yield self.grades[draw_classes(moved, self.law.thresholds, rng)]


def _next_signal(signals: list[float], values: list[float]) -> float:
    """A secant step; at first one that assumes a plausible slope."""
    slope = 0.25
    if len(signals) > 1 and signals[-1] != signals[-2]:
        slope = max(0.05, (values[-1] - values[-2]) / (signals[-1] - signals[-2]))
    return float(np.clip(signals[-1] - values[-1] / slope, *SIGNALS))


def _some_queries(data: RankingData, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random queries with about as many items as the law is fitted to."""
    order = rng.permutation(data.queries)
    count = int(np.searchsorted(np.cumsum(data.sizes[order]), ITEMS_FOR_LAW)) + 1
    chosen = np.zeros(data.queries, dtype=bool)
    chosen[order[:count]] = True
    return chosen


def _dense(data: RankingData) -> NDArray[np.float32]:
    if data.X is None:
        raise ArgumentError("PlasmodeWorld.fit needs data with features, and these have no X.")
    return data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
