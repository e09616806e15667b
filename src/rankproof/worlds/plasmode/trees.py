"""Boosted trees for the latent value of an ordinal logit with a level per query, cross-fitted by query.

A level per query takes up what the features do not say of how many items are relevant, so that the trees fit
the differences within lists. The levels are at their most likely values for the trees so far and normal with
the variance of an EM step; both are renewed after every few trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, query_of_item
from rankproof.data.ranking import RankingData
from rankproof.data.split import query_folds
from rankproof.optional import engine
from rankproof.worlds.plasmode.laplace import likely_effects
from rankproof.worlds.plasmode.ordinal import best_thresholds, slopes

__all__ = ["CrossFit", "GradedRows", "OrdinalTrees", "cross_fit", "fit_trees"]

FOLDS, MOST_TREES, RENEWED_EVERY = 5, 300, 5
START_LEVEL, LEAST_LEVEL, LEAST_CURVATURE = 0.5, 0.02, 1e-6
PARAMETERS: dict[str, Any] = {
    "learning_rate": 0.05,
    "num_leaves": 12,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 1.0,
    "verbose": -1,
    "metric": "None",
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}


class GradedRows(NamedTuple):
    """Items of queries: features, classes of the grades, offsets, and how many grades there are."""

    X: NDArray[np.float32]
    classes: Int64s
    offsets: Int64s
    grades: int

    def of_queries(self, data: RankingData, queries: Int64s) -> tuple[GradedRows, Int64s]:
        """These queries, and the places of their items."""
        chosen = np.zeros(data.queries, dtype=bool)
        chosen[queries] = True
        items = np.flatnonzero(np.repeat(chosen, data.sizes))
        offsets = np.concatenate(([0], np.cumsum(data.sizes[chosen]))).astype(np.int64)
        return GradedRows(self.X[items], self.classes[items], offsets, self.grades), items


@dataclass(frozen=True)
class OrdinalTrees:
    """The mean of the models of the folds, each with the same number of trees."""

    models: tuple[Any, ...]
    trees: int

    @classmethod
    def from_text(cls, models: list[str], trees: int) -> OrdinalTrees:
        """The trees that `to_text` wrote."""
        lightgbm = _lightgbm()
        return cls(tuple(lightgbm.Booster(model_str=text) for text in models), trees)

    def to_text(self) -> list[str]:
        """One text per model, in LightGBM's format."""
        return [model.model_to_string(num_iteration=self.trees) for model in self.models]

    def latent(self, X: NDArray[np.float32]) -> Float64s:
        """The latent value of every row."""
        total = np.zeros(X.shape[0])
        for model in self.models:
            total += model.predict(X, num_iteration=self.trees, num_threads=1)
        return total / len(self.models)


class CrossFit(NamedTuple):
    """The models, and the latent value of every item by the model that did not see its query."""

    model: OrdinalTrees
    held_out: Float64s
    thresholds: Float64s


def cross_fit(data: RankingData, rows: GradedRows, seed: int) -> CrossFit:
    """Fit a model to the other queries of each fold; the number of trees is best for the queries held out."""
    folds = query_folds(data, FOLDS, seed=seed, index=True)
    losses: Float64s = np.zeros(MOST_TREES // RENEWED_EVERY)
    models, parts = [], []
    for fold, (rest, held) in enumerate(folds):
        training, _ = rows.of_queries(data, rest)
        test, items = rows.of_queries(data, held)
        model, by_tree = fit_trees(training, test, seed=seed + fold)
        losses += by_tree
        models.append(model)
        parts.append((test, items))
    trees = (int(np.argmin(losses)) + 1) * RENEWED_EVERY
    held_out = np.empty(rows.classes.size)
    for model, (test, items) in zip(models, parts, strict=True):
        held_out[items] = model.predict(test.X, num_iteration=trees, num_threads=1)
    thresholds = best_thresholds(held_out, rows.classes, start_thresholds(rows))
    return CrossFit(OrdinalTrees(tuple(models), trees), held_out, thresholds)


def fit_trees(
    rows: GradedRows, held: GradedRows | None = None, *, seed: int, trees: int = MOST_TREES
) -> tuple[Any, Float64s]:
    """A model of these rows, and minus the likelihood of the rows held out after every few trees."""
    lightgbm = _lightgbm()
    levels = _Levels(rows)
    losses: list[float] = []

    def objective(latent: Float64s, _: Any) -> tuple[Float64s, Float64s]:
        levels.count()
        if levels.calls % RENEWED_EVERY == 1:
            levels.renew(latent)
        at = slopes(latent + levels.of_item, rows.classes, levels.thresholds)
        return -at.first, np.maximum(at.curvature, LEAST_CURVATURE)

    def watch(latent: Float64s, _: Any) -> tuple[str, float, bool]:
        if held is not None and levels.calls % RENEWED_EVERY == 0:
            losses.append(-levels.log_likelihood(latent, held))
        return "loss", 0.0, False

    table = lightgbm.Dataset(rows.X, rows.classes.astype(np.float64))
    watched = [] if held is None else [table.create_valid(held.X, held.classes)]
    model = lightgbm.train(
        {**PARAMETERS, "objective": objective, "seed": seed},
        table,
        trees,
        valid_sets=watched,
        feval=watch if watched else None,
    )
    return model, np.array(losses)


class _Levels:
    """Thresholds and the levels of the queries, as they go with the trees so far."""

    def __init__(self, rows: GradedRows) -> None:
        self.rows, self.calls, self.deviation = rows, 0, START_LEVEL
        self.queries = query_of_item(rows.offsets)
        self.modes: Float64s = np.zeros((rows.offsets.size - 1, 1))
        self.thresholds = start_thresholds(rows)
        self.of_item: Float64s = np.zeros(rows.classes.size)

    def count(self) -> None:
        self.calls += 1

    def renew(self, latent: Float64s) -> None:
        design = np.full((latent.size, 1), self.deviation)
        fit = likely_effects(
            latent, design, self.rows.classes, self.rows.offsets, self.thresholds, self.modes
        )
        # The expected square of a level given the grades: its mode, and the variance around it.
        squares = np.square(fit.modes[:, 0]) + 1.0 / fit.curvatures[:, 0, 0]
        self.of_item = self.deviation * fit.modes[self.queries, 0]
        self.deviation = max(LEAST_LEVEL, self.deviation * float(np.sqrt(squares.mean())))
        self.modes = fit.modes
        self.thresholds = best_thresholds(latent + self.of_item, self.rows.classes, self.thresholds)

    def log_likelihood(self, latent: Float64s, held: GradedRows) -> float:
        design = np.full((latent.size, 1), self.deviation)
        return likely_effects(latent, design, held.classes, held.offsets, self.thresholds).log_likelihood


def start_thresholds(rows: GradedRows) -> Float64s:
    """The thresholds that give the shares of the grades at a latent value of 0."""
    # A rare grade may be missing in some queries; a half item of each keeps the thresholds finite and apart.
    counts = np.bincount(rows.classes, minlength=rows.grades) + 0.5
    shares = np.cumsum(counts[::-1])[::-1][1:] / counts.sum()
    thresholds: Float64s = np.log((1 - shares) / shares)
    return thresholds


def _lightgbm() -> Any:
    return engine("lightgbm", needed_by="PlasmodeWorld")
