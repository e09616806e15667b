"""`LinearRankerCV`: a linear ranker whose penalty is chosen by the metric, on queries not trained on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rankproof.arrays import as_whole_number
from rankproof.data.ranking import RankingData
from rankproof.data.split import QueryKFold
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.per_query import signed
from rankproof.fit.data import (
    HeldOut,
    as_nonnegative,
    feature_reader,
    held_out_data,
    training_data,
    training_features,
)
from rankproof.fit.defaults import LINEAR
from rankproof.fit.linear.model import LinearModel, Solver, build_objective
from rankproof.fit.linear.solution import Solution
from rankproof.fit.matrix import linear_scores
from rankproof.fit.model_files import FittedState, ModelFiles
from rankproof.fit.scaling import Scaling, scaled_matrix
from rankproof.judgments.labels import assumed_noise
from rankproof.losses.base import Loss
from rankproof.losses.choose import choose_loss
from rankproof.metrics.base import MetricLike
from rankproof.threads import using

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

    saved_as = "LinearRankerCV"

    def __init__(
        self,
        metric: MetricLike = "nDCG@10",
        *,
        loss: str | Loss = "auto",
        noise: str | None = None,
        l2s: Sequence[float] = LINEAR.l2s,
        folds: int = LINEAR.folds,
        solver: str = LINEAR.solver,
        scale: str = LINEAR.scale,
        max_iter: int = LINEAR.max_iter,
        tol: float = LINEAR.tol,
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
        with using(self.threads):
            solver, penalties = Solver.from_ranker(self), _penalties(self.l2s)
            choice = choose_loss(self.metric, self.loss, assumed_noise(y, self.noise)).warned()
            metric, loss = choice.metric, choice.loss
            data = training_data(
                self, training_features(self, X, y), y, qid, query_weight, sample_weight, loss
            )
            search = _Search(loss, penalties, self.scale, solver)
            if validation is None:
                paths = [
                    search.path(train, HeldOut(test, metric, _fold_advice(number)), f"fold {number}")
                    for number, (train, test) in enumerate(self._folds(data), start=1)
                ]
            else:
                held_out = HeldOut(held_out_data(self, validation, feature_reader(self)), metric)
                paths = [search.path(data, held_out, "validation")]
            scores = np.array([path.scores for path in paths])
            best = int(np.argmax(scores.mean(axis=0)))
            solutions = [solution for path in paths for solution in path.solutions]
            if validation is None:
                chosen, scaling = search.at(data, penalties[best])
                solutions.append(chosen)
            else:
                chosen, scaling = paths[0].solutions[best], paths[0].scaling
            self.l2_, self.l2_path_, self.scores_ = chosen.l2, np.array(penalties), scores
            self.coef_, self.intercept_, self.report_ = chosen.coef, chosen.intercept, chosen.report
            self.scaling_, self.loss_, self.n_iter_ = scaling, loss, max(1, chosen.report.iterations)
            self._one_query = qid is None
            _warn_unconverged(solutions)
            return self

    def _state(self) -> FittedState:
        linear = super()._state()
        return FittedState(
            {**linear.plain, "l2": self.l2_},
            {**linear.arrays, "l2_path": self.l2_path_, "scores": self.scores_},
        )

    def _restore(self, saved: ModelFiles) -> None:
        super()._restore(saved)
        self.l2_ = float(saved.state["l2"])
        self.l2_path_, self.scores_ = saved.arrays["l2_path"], saved.arrays["scores"]

    def _folds(self, data: RankingData) -> Iterator[tuple[RankingData, RankingData]]:
        """Training and held-out part of every fold."""
        folds = as_whole_number("folds of LinearRankerCV", self.folds, 2)
        if data.queries < folds:
            raise DataError(
                f"LinearRankerCV needs at least folds={folds} queries to cross-validate, got {data.queries} "
                f"(n_samples={data.labels.size}). "
                "Give qid=, fewer folds, or validation=(X, y, qid)."
            )
        seed = int(self.random_state) if isinstance(self.random_state, Integral) else 0
        for train, test in QueryKFold(folds, seed).split(groups=np.arange(data.queries)):
            yield data[train], data[test]


@dataclass(frozen=True, eq=False)
class _JudgedPath:
    """The solutions at all penalties on some data, and the score of each on held-out queries."""

    solutions: list[Solution]
    scaling: Scaling
    scores: list[float]


@dataclass(frozen=True, eq=False)
class _Search:
    """What is the same for all folds."""

    loss: Loss
    penalties: list[float]
    scale: str
    solver: Solver

    def path(self, train: RankingData, held_out: HeldOut, title: str) -> _JudgedPath:
        """The path on ``train``, judged on ``held_out``: each solution once, as soon as it is there."""
        objective, scaling = build_objective(train, self.loss, scale=self.scale, l2=self.penalties[0])
        features = scaled_matrix(self.scale, held_out.data.X, held_out.data.offsets)
        solutions, scores = [], []
        title = f"LinearRankerCV {self.loss} {title}"
        for solution in self.solver.path(objective, scaling, self.penalties, title):
            weights, shift = scaling.raw(solution.coef, solution.intercept)
            mean = held_out.mean(linear_scores(features, weights) + shift)
            solutions.append(solution)
            scores.append(signed(held_out.metric, mean))
        return _JudgedPath(solutions, scaling, scores)

    def at(self, data: RankingData, l2: float) -> tuple[Solution, Scaling]:
        """The solution at one penalty, and the scaling."""
        objective, scaling = build_objective(data, self.loss, scale=self.scale, l2=l2)
        (solution,) = self.solver.path(objective, scaling, [l2], "LinearRankerCV, all queries,")
        return solution, scaling


def _fold_advice(number: int) -> str:
    return f"These are the queries held out in fold {number}; give fewer folds, or validation=(X, y, qid)."


def _penalties(l2s: Any) -> list[float]:
    """The penalties, each once, largest first."""
    try:
        penalties = list(l2s)
    except TypeError:
        raise ArgumentError(
            f"Argument l2s of LinearRankerCV must be a list of numbers, got {l2s!r}."
        ) from None
    if not penalties:
        raise ArgumentError("Argument l2s of LinearRankerCV must have at least one penalty, got none.")
    return sorted({as_nonnegative("l2s of LinearRankerCV", l2) for l2 in penalties}, reverse=True)


def _warn_unconverged(solutions: list[Solution]) -> None:
    bad = [solution for solution in solutions if not solution.report.converged]
    if bad:
        warnings.warn(
            f"{len(bad)} of {len(solutions)} fits did not converge, the first at l2={bad[0].l2:g}: "
            f"{bad[0].report}.",
            ConvergenceWarning,
            stacklevel=3,
        )
