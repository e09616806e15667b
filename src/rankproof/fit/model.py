"""What the linear rankers share: how they score, and the objective that their weights minimise."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.fit.inputs import query_offsets
from rankproof.fit.matrix import as_matrix, linear_scores
from rankproof.fit.objective import Objective
from rankproof.fit.part import Part, supervision_of
from rankproof.fit.ranker import Ranker
from rankproof.fit.report import FitReport
from rankproof.fit.scaling import Scaling, learn_scaling, minmax_by_query, scaled_matrix
from rankproof.losses.base import Loss

__all__ = [
    "LinearModel",
    "as_model",
    "as_parameters",
    "build_objective",
    "warn_unconverged",
]


class LinearModel(Ranker):
    """Base of the linear rankers; its children have ``fit`` and the parameters."""

    coef_: Float64s
    intercept_: float
    scaling_: Scaling
    loss_: Loss
    report_: FitReport

    def _scores(self, X: Any, qid: Any) -> Float64s:
        if self.scaling_.kind == "query-minmax":
            if qid is None:
                raise ArgumentError(
                    "predict with scale='query-minmax' needs qid=, the query id of every row: features are "
                    "scaled over the items of each query."
                )
            X = minmax_by_query(X, query_offsets(qid, X.shape[0]))
        elif qid is not None:
            query_offsets(qid, X.shape[0])
        weights, shift = self.scaling_.raw(self.coef_, self.intercept_)
        return linear_scores(as_matrix(X), weights, threads=self.threads) + shift


def build_objective(
    part: Part | RankingData, loss: Loss, *, scale: str, l2: float, threads: int | None
) -> tuple[Objective, Scaling]:
    """The objective on validated data, and the scaling learnt from it."""
    matrix = scaled_matrix(scale, part.X, part.offsets)
    data = supervision_of(part, loss, threads=threads)
    scaling = learn_scaling(scale, matrix, data.row_weights)
    # An intercept of centred features is what the scores are about on average: easy to solve for.
    intercept = not loss.claims.value("shift_invariant")
    objective = Objective(
        matrix,
        loss,
        data,
        l2,
        matrix.moments[0] if intercept else scaling.centre,
        scaling.divisor,
        intercept=intercept,
        threads=threads,
    )
    return objective, scaling


def as_parameters(objective: Objective, scaling: Scaling, weights: Float64s, intercept: float) -> Float64s:
    """The parameters of the objective that stand for a model's weights and intercept."""
    if not objective.intercept:
        return weights.copy()
    return np.append(weights, intercept + _moved(objective, scaling, weights))


def as_model(objective: Objective, scaling: Scaling, parameters: Float64s) -> tuple[Float64s, float]:
    """The weights and the intercept of the model that parameters of the objective stand for."""
    weights = parameters[: objective.X.shape[1]].copy()
    if not objective.intercept:
        return weights, 0.0
    return weights, float(parameters[-1] - _moved(objective, scaling, weights))


def _moved(objective: Objective, scaling: Scaling, weights: Float64s) -> Any:
    """What the intercept differs by: the objective has a centre of its own, the model that of its scaling."""
    return np.sum(weights * (objective.centre - scaling.centre) / scaling.divisor)


def warn_unconverged(report: FitReport) -> None:
    """A `ConvergenceWarning` with the report, when the solver did not converge."""
    if not report.converged:
        warnings.warn(f"{report}.", ConvergenceWarning, stacklevel=3)
