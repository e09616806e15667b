"""`LinearRanker`: a linear scoring function that minimises a loss made for the metric you report."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.fit.data import as_nonnegative, training_data, training_features
from rankproof.fit.defaults import LINEAR
from rankproof.fit.linear.model import (
    LinearModel,
    Solver,
    as_model,
    as_parameters,
    build_objective,
    warn_unconverged,
)
from rankproof.judgments.labels import assumed_noise
from rankproof.losses.base import Loss
from rankproof.losses.choose import choose_loss
from rankproof.metrics.base import MetricLike
from rankproof.threads import using

__all__ = ["LinearRanker"]


class LinearRanker(LinearModel):
    r"""Linear ranker: scores :math:`\langle w, x \rangle`, trained for a metric.

    Minimises :math:`\frac{1}{\sum_q \omega_q} \sum_q \omega_q \ell_q(Xw) + \frac{\lambda}{2} \|w\|^2`.

    With ``loss="auto"`` the loss is consistent with ``metric``: the scores that minimise its expected value
    rank best, by theorem, whatever the law of the labels (with ``noise``, under every law that meets that
    condition). The theorem is about all scores; linear ones may not reach that minimum. Where no such loss
    exists, a `ConsistencyWarning` says so and names what is used instead.

    Parameters
    ----------
    metric : str, Metric or function
        What is reported: the target of ``loss`` is made for it, and `score` is its mean.
    loss : str or Loss
        ``"auto"``, a name such as ``"softmax"`` (target from ``metric``), a full form such as
        ``"squared:normalised-gain@10"``, or a loss object.
    noise : str, optional
        A condition on the noise in the labels, such as ``"independent"``: some metrics have a consistent
        loss only under one.
    l2 : float
        The penalty :math:`\lambda`.
    solver : "lbfgs" or "sgd"
        All queries a step, or batches of queries for data whose gradient is slow to compute.
    scale : "standard", "none" or "query-minmax"
        Scaling of the features, learnt in fit and part of the model: ``"standard"`` takes off the mean and
        divides by the standard deviation of the training items, ``"none"`` leaves features as they are,
        ``"query-minmax"`` maps each feature of each query to 0..1 (`predict` then needs ``qid``).
    max_iter : int
        Most iterations (L-BFGS) or passes over the data (SGD).
    tol : float
        L-BFGS stops when the gradient's norm is at most ``tol`` times that at weights of 0; SGD when passes
        no longer decrease the objective by more than ``tol`` times the decrease so far.
    warm_start : bool
        Start from the weights of the last fit.
    verbose : int
        1 shows progress on standard error, 2 every iteration.
    random_state : int, generator or None
        Order of the batches of SGD; L-BFGS draws nothing.
    threads : int, optional
        How many threads; the result does not depend on it, to the last bit.

    Attributes
    ----------
    coef_ : array of shape (features,)
        Weights of the scaled features.
    intercept_ : float
        0 when the loss does not see a number added to all scores; else fitted, without penalty.
    scaling_ : Scaling
        How features are scaled before the weights are applied.
    loss_ : Loss
        The loss that was minimised, with its target.
    report_ : SolverReport
        Iterations, evaluations, gradient, and whether and why the solver stopped.
    n_iter_ : int
        Iterations or passes of the solver.
    n_features_in_ : int
        Features of an item.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.2], [0.0, 0.9], [0.8, 0.1], [0.1, 0.3]])
    >>> ranker = LinearRanker("nDCG@10").fit(X, [2, 0, 1, 0], qid=["a", "a", "b", "b"])
    >>> ranker.score(X, [2, 0, 1, 0], qid=["a", "a", "b", "b"])
    1.0
    """

    saved_as = "LinearRanker"

    def __init__(
        self,
        metric: MetricLike = "nDCG@10",
        *,
        loss: str | Loss = "auto",
        noise: str | None = None,
        l2: float = LINEAR.l2,
        solver: str = LINEAR.solver,
        scale: str = LINEAR.scale,
        max_iter: int = LINEAR.max_iter,
        tol: float = LINEAR.tol,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = 0,
        threads: int | None = None,
    ) -> None:
        self.metric = metric
        self.loss = loss
        self.noise = noise
        self.l2 = l2
        self.solver = solver
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.threads = threads

    def fit(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, query_weight: Any = None
    ) -> LinearRanker:
        """Fit the weights.

        Parameters
        ----------
        X : array or CSR array of shape (items, features), float32 or float64
            Finite numbers. Sparse features stay sparse.
        y : array of labels, one per item, or `Judgments`
            Relevance labels: finite, larger is more relevant. Or judgments of the rows by several judges, or
            a matrix of P(grade) with one row per item: what is trained on is then the mean of the target.
        qid : array of query ids, one per item
            Items of a query stand together. Without it all items are one query, with a `QueryWarning`; more
            than 1,000 are refused.
        sample_weight : array of weights, one per item, optional
            Multiplies what the item contributes to the loss. Losses that are not sums over items need the
            same weight for all items of a query. Where weights move what the loss sorts by
            (`lift`, `softmax`), a `ConsistencyWarning` says so; `squared` keeps its order.
        query_weight : array of weights, one per query (or per item, the same within each query), optional
            Multiplies what the query contributes to the loss; at least one weight must be positive.
        """
        with using(self.threads):
            solver = Solver.from_ranker(self)
            l2 = as_nonnegative("l2 of LinearRanker", self.l2)
            loss = choose_loss(self.metric, self.loss, assumed_noise(y, self.noise)).warned().loss
            data = training_data(
                self, training_features(self, X, y), y, qid, query_weight, sample_weight, loss
            )
            objective, scaling = build_objective(data, loss, scale=self.scale, l2=l2)
            start = as_parameters(objective, scaling, *self._start(objective.X.shape[1]))
            solution, report = solver.minimize(objective, start, f"LinearRanker {loss.name}")
            self.coef_, self.intercept_ = as_model(objective, scaling, solution)
            self.scaling_, self.loss_, self.report_ = scaling, loss, report
            self._one_query = qid is None
            self.n_iter_ = max(1, report.iterations)
            warn_unconverged(report)
            return self

    def _start(self, columns: int) -> tuple[Float64s, float]:
        """Weights and intercept to start from: zeros, or those of the last fit."""
        if not (self.warm_start and hasattr(self, "coef_")):
            return np.zeros(columns), 0.0
        if self.coef_.size != columns:
            raise ArgumentError(
                f"warm_start=True: the last fit had {self.coef_.size} features, this X has {columns}. "
                "Fit a new estimator."
            )
        return self.coef_, self.intercept_
