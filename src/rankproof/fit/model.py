"""What the linear rankers share once they are fitted: predict, score, save."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from rankproof.arrays import Float64s, Int64s, as_labels
from rankproof.errors import ArgumentError
from rankproof.fit.inputs import per_query_weights, query_offsets, supervision
from rankproof.fit.matrix import as_matrix, linear_scores
from rankproof.fit.objective import Objective
from rankproof.fit.report import FitReport
from rankproof.fit.saved_linear import save_linear
from rankproof.fit.scaling import Scaling, learn_scaling, minmax_by_query
from rankproof.fit.scoring import mean_metric, signed
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric

__all__ = ["LinearModel", "as_model", "as_parameters", "build_objective", "warn_unconverged"]


class LinearModel(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the linear rankers; its children have ``fit`` and the parameters."""

    metric: str | Metric
    threads: int | None
    coef_: Float64s
    intercept_: float
    scaling_: Scaling
    loss_: Loss
    report_: FitReport

    def predict(self, X: Any, qid: Any = None) -> Float64s:
        """The score of every row; higher is better.

        Parameters
        ----------
        X : array or CSR array of shape (items, features)
        qid : array, one query id per row
            Needed with ``scale="query-minmax"`` only, which looks at all items of a query.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        return self._scores(X, qid)

    def score(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, query_weight: Any = None
    ) -> float:
        """The mean over queries of ``metric``, exact under ties.

        For a metric of which lower is better it is the mean with its sign turned, since scikit-learn takes
        the larger score for the better one. Weights are those of queries: ``query_weight`` as in fit, and
        ``sample_weight`` with one number per row, the same within each query.
        """
        check_is_fitted(self)
        X, y = validate_data(
            self,
            X,
            y,
            reset=False,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            y_numeric=True,
        )
        known = parse_metric(self.metric)
        offsets = query_offsets(qid, X.shape[0])
        weights = per_query_weights(query_weight, offsets)
        factor = per_query_weights(sample_weight, offsets, "sample_weight")
        if factor is not None:
            weights = factor if weights is None else factor * weights
        value = mean_metric(known, self._scores(X, qid), as_labels(y), offsets, weights, threads=self.threads)
        return signed(known, value)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model into the directory ``path``: model.json and weights.npz.

        Nothing is pickled. The directory appears at once or not at all; a model that was there is replaced.
        `rankproof.fit.saved.load_model` reads it.
        """
        check_is_fitted(self)
        save_linear(self, path)

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

    def __sklearn_tags__(self) -> Tags:
        tags = BaseEstimator.__sklearn_tags__(self)
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


def build_objective(
    X: Any,
    labels: Float64s,
    offsets: Int64s,
    loss: Loss,
    *,
    scale: str,
    l2: float,
    query_weight: Any,
    sample_weight: Any,
    threads: int | None,
) -> tuple[Objective, Scaling]:
    """The objective on validated data, and the scaling learnt from it."""
    matrix = as_matrix(minmax_by_query(X, offsets) if scale == "query-minmax" else X)
    data = supervision(loss, labels, offsets, query_weight, sample_weight, threads=threads)
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
    moved = np.sum(weights * (objective.centre - scaling.centre) / scaling.divisor)
    return np.append(weights, intercept + moved)


def as_model(objective: Objective, scaling: Scaling, parameters: Float64s) -> tuple[Float64s, float]:
    """The weights and the intercept of the model that parameters of the objective stand for.

    The objective centres features at its own ``centre``, the model at that of its scaling.
    """
    weights = parameters[: objective.X.shape[1]].copy()
    if not objective.intercept:
        return weights, 0.0
    moved = np.sum(weights * (objective.centre - scaling.centre) / scaling.divisor)
    return weights, float(parameters[-1] - moved)


def warn_unconverged(report: FitReport) -> None:
    """A `ConvergenceWarning` with the report, when the solver did not converge."""
    if not report.converged:
        warnings.warn(f"{report}.", ConvergenceWarning, stacklevel=3)
