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
from rankproof.data.split import QueryKFold
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.model import LinearModel, build_objective
from rankproof.fit.objective import Objective
from rankproof.fit.part import (
    Part,
    check_counted,
    held_out_part,
    like_features_of,
    training_features,
    training_part,
)
from rankproof.fit.path import HeldOut, Solution, solve_path
from rankproof.fit.resolve import resolve_loss
from rankproof.fit.scaling import Scaling
from rankproof.fit.settings import Settings, as_nonnegative
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
        data = training_part(training_features(self, X, y), y, qid, query_weight, sample_weight)
        search = _Search(loss, penalties, metric, settings)
        if validation is None:
            judged = [search.fold(k, *fold) for k, fold in enumerate(self._folds(data), start=1)]
        else:
            judged = [search.on(data, held_out_part(self, validation, like_features_of(self)), "validation")]
        scores = np.array([path.scores for path in judged])
        best = int(np.argmax(scores.mean(axis=0)))
        found = [solution for path in judged for solution in path.solutions]
        if validation is None:
            objective, scaling = search.objective(data, penalties[best])
            (chosen,) = solve_path(
                objective, scaling, [penalties[best]], settings, "LinearRankerCV, all queries,"
            )
            found.append(chosen)
        else:
            chosen, scaling = judged[0].solutions[best], judged[0].scaling
        self.l2_, self.l2_path_, self.scores_ = chosen.l2, np.array(penalties), scores
        self.coef_, self.intercept_, self.report_ = chosen.coef, chosen.intercept, chosen.report
        self.scaling_, self.loss_, self.n_iter_ = scaling, loss, max(1, chosen.report.iterations)
        _warn_unconverged(found)
        return self

    def _folds(self, data: Part) -> Iterator[tuple[Part, Part]]:
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
            yield data.take(train), data.take(test)


@dataclass(frozen=True, eq=False)
class _Judged:
    """The solutions at all penalties on some data, and the metric of each on held-out queries."""

    solutions: list[Solution]
    scaling: Scaling
    scores: list[float]


@dataclass(frozen=True, eq=False)
class _Search:
    """What is the same for all folds."""

    loss: Loss
    penalties: list[float]
    metric: Metric
    settings: Settings

    def objective(self, data: Part, l2: float) -> tuple[Objective, Scaling]:
        """The objective on these data, and the scaling."""
        settings = self.settings
        return build_objective(data, self.loss, scale=settings.scale, l2=l2, threads=settings.threads)

    def fold(self, number: int, train: Part, held_out: Part) -> _Judged:
        """The path of a fold of cross-validation."""
        hint = f" These are the queries held out in fold {number}; give fewer folds, or validation="
        check_counted(self.metric, held_out, f"{hint}(X, y, qid).")
        return self.on(train, held_out, f"fold {number}")

    def on(self, train: Part, held_out: Part, title: str) -> _Judged:
        """The path on ``train``, judged on ``held_out``."""
        held, settings = HeldOut.of(held_out, self.settings.scale), self.settings
        objective, scaling = self.objective(train, self.penalties[0])
        title = f"LinearRankerCV {self.loss} {title}"
        solutions = list(solve_path(objective, scaling, self.penalties, settings, title))
        scores = [held.score(self.metric, scaling, solution, settings.threads) for solution in solutions]
        return _Judged(solutions, scaling, scores)


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
    return sorted({as_nonnegative("l2s of LinearRankerCV", l2) for l2 in given}, reverse=True)


def _warn_unconverged(found: list[Solution]) -> None:
    bad = [solution for solution in found if not solution.report.converged]
    if bad:
        warnings.warn(
            f"{len(bad)} of {len(found)} fits did not converge, the first at l2={bad[0].l2:g}: "
            f"{bad[0].report}.",
            ConvergenceWarning,
            stacklevel=3,
        )
