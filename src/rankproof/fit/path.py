"""Models for a row of penalties, each solved from the one before, and their metric on held-out queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.fit.matrix import Matrix, linear_scores
from rankproof.fit.model import as_model
from rankproof.fit.objective import Objective
from rankproof.fit.part import Part
from rankproof.fit.report import FitReport
from rankproof.fit.scaling import Scaling, scaled_matrix
from rankproof.fit.scoring import mean_metric, signed
from rankproof.fit.settings import Settings
from rankproof.metrics.base import Metric

__all__ = ["HeldOut", "Solution", "solve_path"]


@dataclass(frozen=True, eq=False)
class Solution:
    """A fitted model at one penalty."""

    l2: float
    coef: Float64s
    intercept: float
    report: FitReport


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Queries that a model is judged on, ready for scoring."""

    X: Matrix
    labels: Float64s
    offsets: Int64s
    weights: Float64s | None

    @classmethod
    def of(cls, part: Part, scale: str) -> HeldOut:
        """Held-out data with features scaled per query when the model's are."""
        return cls(scaled_matrix(scale, part.X, part.offsets), part.labels, part.offsets, part.query_weights)

    def score(self, metric: Metric, scaling: Scaling, solution: Solution, threads: int | None) -> float:
        """The mean of the metric, signed so that larger is better."""
        weights, shift = scaling.raw(solution.coef, solution.intercept)
        scores = linear_scores(self.X, weights, threads=threads) + shift
        return signed(
            metric, mean_metric(metric, scores, self.labels, self.offsets, self.weights, threads=threads)
        )


def solve_path(
    objective: Objective, scaling: Scaling, penalties: list[float], settings: Settings, title: str
) -> Iterator[Solution]:
    """The solutions at these penalties, each the start of the next; give the largest first."""
    start = np.zeros(objective.size)
    for l2 in penalties:
        objective = objective.with_l2(l2)
        start, report = settings.minimize(objective, start, f"{title} l2={l2:g}")
        yield Solution(l2, *as_model(objective, scaling, start), report)
