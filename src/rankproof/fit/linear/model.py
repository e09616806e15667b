"""What the linear rankers share: how they score, the objective of their weights, and how it is minimised."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rankproof.arrays import Float64s, as_whole_number
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.fit.data import as_generator, as_nonnegative, as_verbosity, one_of
from rankproof.fit.linear.lbfgs import minimize_lbfgs
from rankproof.fit.linear.objective import LinearObjective
from rankproof.fit.linear.sgd import minimize_sgd
from rankproof.fit.linear.solution import Solution, SolverReport
from rankproof.fit.matrix import as_matrix, linear_scores
from rankproof.fit.model_files import FittedState, ModelFiles
from rankproof.fit.progress import progress
from rankproof.fit.ranker import Ranker
from rankproof.fit.scaling import SCALES, Scaling, learn_scaling, minmax_by_query, scaled_matrix
from rankproof.losses.base import Loss
from rankproof.losses.supervision import query_offsets, supervision
from rankproof.threads import one_blas_thread

__all__ = [
    "SOLVERS",
    "LinearModel",
    "Solver",
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
    report_: SolverReport
    n_iter_: int

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
        return linear_scores(as_matrix(X), weights) + shift

    def _state(self) -> FittedState:
        plain = {
            "scaling": self.scaling_.kind,
            "intercept": self.intercept_,
            "report": self.report_.to_dict(),
        }
        arrays = {"coef": self.coef_, "centre": self.scaling_.centre, "divisor": self.scaling_.divisor}
        return FittedState(plain, arrays)

    def _restore(self, saved: ModelFiles) -> None:
        state, arrays = saved.state, saved.arrays
        features, kind = int(state["features"]), state["scaling"]
        self.coef_, self.intercept_ = arrays["coef"], float(state["intercept"])
        self.scaling_ = Scaling(kind, arrays["centre"], arrays["divisor"])
        self.report_ = SolverReport(**state["report"])
        self.n_iter_ = max(1, self.report_.iterations)
        each_feature = (self.coef_, self.scaling_.centre, self.scaling_.divisor)
        if kind not in SCALES or any(array.shape != (features,) for array in each_feature):
            raise saved.wrong(f"the arrays do not fit {features} features and scaling {kind!r}.")


def build_objective(
    data: RankingData, loss: Loss, *, scale: str, l2: float
) -> tuple[LinearObjective, Scaling]:
    """The objective on validated data, and the scaling learnt from it."""
    matrix = scaled_matrix(scale, data.X, data.offsets)
    supervised = supervision(loss, data)
    scaling = learn_scaling(scale, matrix, supervised.row_weights)
    # An intercept of centred features is what the scores are about on average: easy to solve for.
    intercept = not loss.claims.value("shift_invariant")
    objective = LinearObjective(
        matrix,
        loss,
        supervised,
        l2,
        matrix.moments[0] if intercept else scaling.centre,
        scaling.divisor,
        intercept=intercept,
    )
    return objective, scaling


def as_parameters(
    objective: LinearObjective, scaling: Scaling, weights: Float64s, intercept: float
) -> Float64s:
    """The parameters of the objective that stand for a model's weights and intercept."""
    if not objective.intercept:
        return weights.copy()
    return np.append(weights, intercept + _moved(objective, scaling, weights))


def as_model(objective: LinearObjective, scaling: Scaling, parameters: Float64s) -> tuple[Float64s, float]:
    """The weights and the intercept of the model that parameters of the objective stand for."""
    weights = parameters[: objective.X.shape[1]].copy()
    if not objective.intercept:
        return weights, 0.0
    return weights, float(parameters[-1] - _moved(objective, scaling, weights))


def _moved(objective: LinearObjective, scaling: Scaling, weights: Float64s) -> Any:
    """What the intercept differs by: the objective has a centre of its own, the model that of its scaling."""
    return np.sum(weights * (objective.centre - scaling.centre) / scaling.divisor)


def warn_unconverged(report: SolverReport) -> None:
    """A `ConvergenceWarning` with the report, when the solver did not converge."""
    if not report.converged:
        warnings.warn(f"{report}.", ConvergenceWarning, stacklevel=3)


SOLVERS = ("lbfgs", "sgd")


@dataclass(frozen=True, eq=False)
class Solver:
    """How to minimise: a method of `SOLVERS` with its limits."""

    method: str
    max_iter: int
    tol: float
    verbose: int
    random: np.random.Generator

    @classmethod
    def from_ranker(cls, ranker: Any) -> Solver:
        """The solver that the parameters of a linear ranker ask for, all of which are checked."""
        name = type(ranker).__name__
        one_of(f"solver of {name}", ranker.solver, SOLVERS)
        one_of(f"scale of {name}", ranker.scale, SCALES)
        return cls(
            method=ranker.solver,
            max_iter=as_whole_number(f"max_iter of {name}", ranker.max_iter, 1),
            tol=as_nonnegative(f"tol of {name}", ranker.tol),
            verbose=as_verbosity(f"verbose of {name}", ranker.verbose),
            random=as_generator(f"random_state of {name}", ranker.random_state),
        )

    def minimize(
        self, objective: LinearObjective, start: Float64s, title: str
    ) -> tuple[Float64s, SolverReport]:
        """The minimiser of the objective, from ``start``."""
        with one_blas_thread(), progress(self.verbose, title, self.max_iter) as show:
            if self.method == "sgd":
                return minimize_sgd(
                    objective, start, max_iter=self.max_iter, tol=self.tol, show=show, random=self.random
                )
            return minimize_lbfgs(objective, start, max_iter=self.max_iter, tol=self.tol, show=show)

    def path(
        self, objective: LinearObjective, scaling: Scaling, penalties: list[float], title: str
    ) -> Iterator[Solution]:
        """The solutions at these penalties, each the start of the next; give the largest first."""
        start = np.zeros(objective.size)
        for l2 in penalties:
            objective = objective.with_l2(l2)
            start, report = self.minimize(objective, start, f"{title} l2={l2:g}")
            yield Solution(l2, *as_model(objective, scaling, start), report)
