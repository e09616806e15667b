"""Boosted trees for the latent value of an ordinal logit, cross-fitted by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.data.ranking import RankingData
from rankproof.data.split import query_folds
from rankproof.optional import engine
from rankproof.worlds.plasmode.ordinal import best_thresholds, log_likelihood, slopes

__all__ = ["OrdinalTrees", "fit_trees"]

FOLDS, MOST_TREES, REFIT_EVERY = 5, 300, 10
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


@dataclass(frozen=True)
class OrdinalTrees:
    """The mean of the models of the folds, each with the same number of trees."""

    models: tuple[Any, ...]
    trees: int

    def latent(self, X: NDArray[np.float32]) -> Float64s:
        """The latent value of every row."""
        total = np.zeros(X.shape[0])
        for model in self.models:
            total += model.predict(X, num_iteration=self.trees, num_threads=1)
        return total / len(self.models)


class CrossFitted:
    """The models, and the latent value of every item by the model that did not see its query."""

    def __init__(self, model: OrdinalTrees, held_out: Float64s, thresholds: Float64s) -> None:
        self.model, self.held_out, self.thresholds = model, held_out, thresholds


def fit_trees(data: RankingData, X: NDArray[np.float32], classes: Int64s, seed: int) -> CrossFitted:
    """Fit a model to the other queries of each fold; the number of trees is best for the queries held out."""
    folds = query_folds(data, FOLDS, seed=seed, index=True)
    losses = np.zeros(MOST_TREES)
    fitted = []
    for k, (rest, held) in enumerate(folds):
        training, test = _items(data, rest), _items(data, held)
        model, by_tree, held_scores = fit_one(
            X[training], classes[training], X[test], classes[test], seed=seed + k
        )
        losses += by_tree * test.size
        fitted.append((model, test, held_scores))
    trees = int(np.argmin(losses)) + 1
    held_out = np.empty(classes.size)
    for model, test, _ in fitted:
        held_out[test] = model.predict(X[test], num_iteration=trees, num_threads=1)
    thresholds = best_thresholds(held_out, classes, start_thresholds(classes))
    return CrossFitted(OrdinalTrees(tuple(model for model, _, _ in fitted), trees), held_out, thresholds)


def fit_one(
    X: NDArray[np.float32],
    classes: Int64s,
    X_held: NDArray[np.float32] | None = None,
    classes_held: Int64s | None = None,
    *,
    seed: int,
    trees: int = MOST_TREES,
) -> tuple[Any, Float64s, None]:
    """A model of these rows, and its loss on the held-out rows after each tree."""
    lightgbm = engine("lightgbm")
    state = {"calls": 0, "thresholds": start_thresholds(classes)}
    losses: list[float] = []

    def objective(latent: Float64s, _: Any) -> tuple[Float64s, Float64s]:
        if state["calls"] % REFIT_EVERY == 0:
            state["thresholds"] = best_thresholds(latent, classes, state["thresholds"])
        state["calls"] += 1
        at = slopes(latent, classes, state["thresholds"])
        return -at.first, np.maximum(at.curvature, 1e-6)

    def watch(latent: Float64s, held: Any) -> tuple[str, float, bool]:
        losses.append(-float(log_likelihood(latent, held.get_label().astype(np.int64), state["thresholds"]).mean()))
        return "loss", losses[-1], False

    rows = lightgbm.Dataset(X, classes.astype(np.float64))
    watched = [] if X_held is None else [rows.create_valid(X_held, classes_held)]
    model = lightgbm.train(
        {**PARAMETERS, "objective": objective, "seed": seed},
        rows,
        trees,
        valid_sets=watched,
        feval=watch if watched else None,
    )
    return model, np.array(losses), None


def start_thresholds(classes: Int64s) -> Float64s:
    """The thresholds that give the shares of the grades at a latent value of 0."""
    counts = np.bincount(classes)
    shares = np.clip(np.cumsum(counts[::-1])[::-1][1:] / classes.size, 1e-6, 1 - 1e-6)
    thresholds: Float64s = np.log((1 - shares) / shares)
    return thresholds


def _items(data: RankingData, queries: Int64s) -> Int64s:
    chosen = np.zeros(data.queries, dtype=bool)
    chosen[queries] = True
    return np.flatnonzero(np.repeat(chosen, data.sizes))
