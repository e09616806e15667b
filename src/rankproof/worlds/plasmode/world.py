"""`PlasmodeWorld`: lists like real ones, labels from a law fitted to real labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_whole_number, query_of_item
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.worlds.plasmode.drawn import DrawnData
from rankproof.worlds.plasmode.effects import EffectSizes, fit_effects
from rankproof.worlds.plasmode.lists import ListMaker, MadeLists, centred
from rankproof.worlds.plasmode.ordinal import draw_classes, thresholds_of_shares
from rankproof.worlds.plasmode.trees import OrdinalTrees, fit_trees

__all__ = ["PlasmodeWorld"]

TOPICS = 4
ITEMS_FOR_EFFECTS = 15_000
LISTS_FOR_SHARES = 2_000
QUERIES_AT_ONCE = 1_000


@dataclass(frozen=True)
class PlasmodeWorld:
    """Queries without limit that are like those of a data set, whose expected metrics are known exactly."""

    grades: Float64s
    lists: ListMaker
    trees: OrdinalTrees
    effects: EffectSizes
    thresholds: Float64s
    spread: float

    @classmethod
    def fit(cls, data: RankingData, *, seed: int = 0) -> PlasmodeWorld:
        """A world like these data."""
        X = _dense(data)
        if np.isnan(data.labels).any():
            raise DataError("PlasmodeWorld.fit needs a label for every item, and some are NaN.")
        grades, classes = np.unique(data.labels, return_inverse=True)
        fitted = fit_trees(data, X, classes, seed)
        lists = ListMaker(X, data.offsets, topics=TOPICS)
        inner = centred(fitted.held_out, data.offsets)
        spread = float(np.sqrt(np.square(inner).mean()))
        design = np.column_stack((np.ones(data.items), inner / spread, lists.topics))
        rng = np.random.Generator(np.random.PCG64(seed))
        some = _some_queries(data, rng)
        part = np.flatnonzero(some[query_of_item(data.offsets)])
        offsets = np.concatenate(([0], np.cumsum(data.sizes[some]))).astype(np.int64)
        effects = fit_effects(fitted.held_out[part], design[part], classes[part], offsets, fitted.thresholds)
        shares = np.array([(classes >= g).mean() for g in range(1, grades.size)])
        world = cls(grades, lists, fitted.model, effects, effects.thresholds, spread)
        made = lists.make(LISTS_FOR_SHARES, rng)
        latent, columns = world._latent(made)
        spreads = np.sqrt(np.square(columns).sum(axis=1))
        return cls(
            grades,
            lists,
            fitted.model,
            effects,
            thresholds_of_shares(latent, spreads, shares),
            spread,
        )

    def sample(self, queries: int, seed: int = 0) -> RankingData:
        """Independent queries with features and labels."""
        X, labels, offsets = self._drawn(queries, seed, 1)
        return RankingData(labels=labels[0], offsets=offsets, X=X)

    def sample_with_draws(self, queries: int, seed: int = 0, draws: int = 64) -> DrawnData:
        """Independent queries with many label vectors each."""
        X, labels, offsets = self._drawn(queries, seed, draws)
        data = RankingData(labels=np.full(X.shape[0], np.nan), offsets=offsets, X=X)
        return DrawnData(data, labels)

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
        latent, columns = self._latent(made)
        of_item = query_of_item(made.offsets)
        for _ in range(draws):
            effects = rng.standard_normal((made.bases.size, columns.shape[1]))
            moved = latent + np.einsum("ij,ij->i", columns, effects[of_item])
            yield self.grades[draw_classes(moved, self.thresholds, rng)]

    def _latent(self, made: MadeLists) -> tuple[Float64s, Float64s]:
        """The latent value of every item, and what the effects of its query are multiplied by."""
        value = self.trees.latent(made.X)
        inner = centred(value, made.offsets) / self.spread
        design = np.column_stack((np.ones(value.size), inner, made.topics))
        return self.effects.slope * value, design * self.effects.scales(made.topics.shape[1])


def _some_queries(data: RankingData, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random queries with about as many items as the effects are fitted to."""
    order = rng.permutation(data.queries)
    chosen = np.zeros(data.queries, dtype=bool)
    chosen[order[: max(1, int(np.searchsorted(np.cumsum(data.sizes[order]), ITEMS_FOR_EFFECTS)))]] = True
    return chosen


def _dense(data: RankingData) -> NDArray[np.float32]:
    if data.X is None:
        raise ArgumentError("PlasmodeWorld.fit needs data with features, and these have no X.")
    return data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
