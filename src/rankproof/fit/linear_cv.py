"""`LinearRankerCV`: a linear ranker whose penalty is chosen by the metric, on queries not trained on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_X_y, validate_data

from rankproof.arrays import Float64s, as_labels, as_whole_number, query_of_item
from rankproof.data.ranking import RankingData
from rankproof.data.split import QueryKFold
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.inputs import per_query_weights, query_offsets
from rankproof.fit.model import LinearModel, build_objective
from rankproof.fit.path import HeldOut, Solution, solve_path
from rankproof.fit.resolve import resolve_loss
from rankproof.fit.scaling import Scaling
from rankproof.fit.settings import Settings, as_l2
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric

__all__ = ["LinearRankerCV"]


class LinearRankerCV(LinearModel):
    """Linear ranker whose penalty ``l2`` is the one with the best ``metric`` on held-out queries.

    The penalties are solved from the largest to the smallest, each from the solution before. They are
    compared by the mean of the metric, exact under ties, on ``validation`` data, or else by cross-validation
    over queries, after which the model is fitted to all queries. Among equals the largest penalty wins.

    Parameters
    ----------
    metric, loss, noise, solver, scale, max_iter, tol, verbose, random_state, threads
        As in `LinearRanker`.
    l2s : sequence of float
        The penalties to choose from.
    folds : int
        Parts of the queries in cross-validation; not used with ``validation``.

    Attributes
    ----------
    l2_ : float
        The penalty chosen.
    l2_path_ : array
        The penalties, largest first.
    scores_ : array of shape (folds, penalties)
        The metric on held-out queries (larger is better); one row with ``validation``.
    coef_, intercept_, scaling_, loss_, report_, n_iter_, n_features_in_
        Of the model at ``l2_``, as in `LinearRanker`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.2], [0.0, 0.9], [0.8, 0.1], [0.1, 0.3]])
    >>> ranker = LinearRankerCV("nDCG@10", folds=2).fit(X, [2, 0, 1, 0], qid=["a", "a", "b", "b"])
    >>> ranker.scores_.mean(axis=0).round(2).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    >>> ranker.l2_
    1.0
    """

    def __init__(
        self,
        metric: str | Metric = "nDCG@10",
        *,
        loss: str | Loss = "auto",
        noise: str | None = None,
        l2s: Sequence[float] = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
        folds: int = 5,
        solver: str = "lbfgs",
        scale: str = "none",
        max_iter: int = 500,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = 0,
        threads: int | None = None,
    ) -> None:
        self.metric = metric
        self.loss = loss
        self.noise = noise
        self.l2s = l2s
        self.folds = folds
        self.solver = solver
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.threads = threads

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        query_weight: Any = None,
        validation: Any = None,
    ) -> LinearRankerCV:
        """Fit the weights for every penalty and keep the best.

        Parameters
        ----------
        X, y, qid, sample_weight, query_weight
            As in `LinearRanker.fit`.
        validation : (X, y, qid) or RankingData, optional
            Queries to choose the penalty on. Without them the queries of ``X`` are cross-validated.
        """
        settings, penalties = Settings.of(self), _penalties(self.l2s)
        metric, loss = parse_metric(self.metric), resolve_loss(self.metric, self.loss, self.noise)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True
        )
        data = _Data(X, as_labels(y), query_offsets(qid, X.shape[0]), query_weight, sample_weight)
        if validation is not None:
            held = self._held_out(validation)
            solutions, scores, scaling = _judged(data, loss, penalties, held, metric, settings, "validation")
            best, found = int(np.argmax(scores)), solutions
            rows = scores[np.newaxis]
        else:
            found, rows = [], np.empty((0, len(penalties)))
            for number, (train, test) in enumerate(self._parts(data), start=1):
                held = HeldOut.of(test.X, test.labels, test.offsets, test.weights, settings.scale)
                solutions, scores, _ = _judged(
                    train, loss, penalties, held, metric, settings, f"fold {number}"
                )
                found += solutions
                rows = np.vstack((rows, scores))
            best = int(np.argmax(rows.mean(axis=0)))
            objective, scaling = data.objective(loss, penalties[best], settings)
            solutions = list(
                solve_path(
                    objective, scaling, penalties[best : best + 1], settings, "LinearRankerCV, all queries,"
                )
            )
            found += solutions
        chosen = solutions[best if validation is not None else 0]
        self.l2_, self.l2_path_, self.scores_ = chosen.l2, np.array(penalties), rows
        self.coef_, self.intercept_, self.report_ = chosen.coef, chosen.intercept, chosen.report
        self.scaling_, self.loss_, self.n_iter_ = scaling, loss, max(1, chosen.report.iterations)
        _warn_unconverged(found)
        return self

    def _parts(self, data: _Data) -> list[tuple[_Data, _Data]]:
        """Training and held-out part of every fold."""
        folds = as_whole_number("folds of LinearRankerCV", self.folds, 2)
        queries = data.offsets.size - 1
        if queries < folds:
            raise DataError(
                f"LinearRankerCV needs at least folds={folds} queries to cross-validate, got {queries} "
                f"(n_samples={data.labels.size}). "
                "Give qid=, fewer folds, or validation=(X, y, qid)."
            )
        seed = int(self.random_state) if isinstance(self.random_state, Integral) else 0
        query = query_of_item(data.offsets)
        splits = QueryKFold(folds, seed).split(groups=query)
        return [(data.part(train, query), data.part(test, query)) for train, test in splits]

    def _held_out(self, validation: Any) -> HeldOut:
        if isinstance(validation, RankingData):
            if validation.X is None:
                raise ArgumentError("Argument validation must have features, got a RankingData without X.")
            X, y, offsets = validation.X, validation.labels, validation.offsets
        elif isinstance(validation, tuple) and len(validation) == 3:
            X, y, _ = validation
            offsets = None
        else:
            raise ArgumentError(
                f"Argument validation must be (X, y, qid) or a RankingData, got {type(validation).__name__}."
            )
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True)
        if X.shape[1] != self.n_features_in_:
            raise ArgumentError(
                f"Argument validation must have the {self.n_features_in_} features of X, got {X.shape[1]}."
            )
        if offsets is None:
            offsets = query_offsets(validation[2], X.shape[0])
        return HeldOut.of(X, as_labels(y), offsets, None, self.scale)


class _Data:
    """Validated training data that can be cut by query."""

    def __init__(self, X: Any, labels: Float64s, offsets: Any, query_weight: Any, sample_weight: Any) -> None:
        self.X, self.labels, self.offsets = X, labels, offsets
        self.weights = per_query_weights(query_weight, offsets)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)

    def part(self, items: Any, query: Any) -> _Data:
        """The data of these items, which are whole queries."""
        offsets = query_offsets(query[items], items.size)
        weights = None if self.weights is None else self.weights[query[items][offsets[:-1]]]
        sample = None if self.sample_weight is None else self.sample_weight[items]
        return _Data(self.X[items], self.labels[items], offsets, weights, sample)

    def objective(self, loss: Loss, l2: float, settings: Settings) -> Any:
        """The objective on these data, and the scaling."""
        return build_objective(
            self.X,
            self.labels,
            self.offsets,
            loss,
            scale=settings.scale,
            l2=l2,
            query_weight=self.weights,
            sample_weight=self.sample_weight,
            threads=settings.threads,
        )


def _judged(
    data: _Data,
    loss: Loss,
    penalties: list[float],
    held: HeldOut,
    metric: Metric,
    settings: Settings,
    title: str,
) -> tuple[list[Solution], Float64s, Scaling]:
    """The path on some data, and the metric of each solution on held-out queries."""
    objective, scaling = data.objective(loss, penalties[0], settings)
    solutions = list(solve_path(objective, scaling, penalties, settings, f"LinearRankerCV {loss} {title}"))
    scores = [held.score(metric, scaling, solution, settings.threads) for solution in solutions]
    return solutions, np.array(scores), scaling


def _penalties(l2s: Any) -> list[float]:
    """The penalties, each once, largest first."""
    try:
        given = list(l2s)
    except TypeError:
        raise ArgumentError(
            f"Argument l2s of LinearRankerCV must be a list of numbers, got {l2s!r}."
        ) from None
    if not given:
        raise ArgumentError("Argument l2s of LinearRankerCV must have at least one penalty, got none.")
    return sorted({as_l2("l2s of LinearRankerCV", l2) for l2 in given}, reverse=True)


def _warn_unconverged(found: list[Solution]) -> None:
    bad = [solution for solution in found if not solution.report.converged]
    if bad:
        warnings.warn(
            f"{len(bad)} of {len(found)} fits did not converge, the first at l2={bad[0].l2:g}: "
            f"{bad[0].report}.",
            ConvergenceWarning,
            stacklevel=3,
        )
