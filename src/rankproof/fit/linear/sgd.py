"""Minimise an objective by stochastic gradient descent on batches of whole queries; no step size to tune.

The step is the *distance over gradients* (Ivgi, Hinder & Carmon, ICML 2023): the largest distance from the
start so far over the root of the sum of squared gradient norms, in the variables of
`rankproof.fit.linear.preconditioner`. The solution is the average of the iterates in which late ones weigh
more (Shamir & Zhang, ICML 2013). One seed gives one result.
"""

from __future__ import annotations

import numpy as np

from rankproof.arrays import Float64s, Int64s, items_of_queries
from rankproof.fit.linear.objective import LinearObjective
from rankproof.fit.linear.preconditioner import norm_of
from rankproof.fit.linear.solution import SolverReport
from rankproof.fit.progress import ShowIteration
from rankproof.threads import using

__all__ = ["minimize_sgd"]

_NOTHING = np.empty(0)
# Queries of a batch; few queries make smaller batches, so that a pass still takes several steps.
_BATCH, _LEAST_STEPS = 16, 8
# The first step, as a share of the distance that the preconditioned gradient suggests.
_FIRST = 0.01
# Weight of iterate t in the average grows as t to this power.
_LATE = 8
# Passes in a row without progress that end the descent.
_PATIENCE = 3


def minimize_sgd(
    objective: LinearObjective,
    start: Float64s,
    *,
    max_iter: int,
    tol: float,
    show: ShowIteration,
    random: np.random.Generator,
) -> tuple[Float64s, SolverReport]:
    """The parameters of the average iterate, and how it went; ``max_iter`` counts passes over the data.

    Converged: in three passes in a row the objective fell by less than ``tol`` times its fall since weights
    of 0.
    """
    preconditioner = objective.preconditioner

    def whole(z: Float64s) -> tuple[float, float]:
        value, gradient = objective.evaluate(preconditioner.parameters(z))
        return value, norm_of(preconditioner.gradient(gradient))

    zero = np.zeros(objective.size)
    origin, reference = whole(zero)
    z = preconditioner.variables(start)
    best, norm = (origin, reference) if not start.any() else whole(z)
    evaluations = 1 + bool(start.any())
    if norm == 0 or reference == 0:
        return start * (reference > 0), SolverReport(
            "sgd", 0, evaluations, best, 0.0, converged=True, message="the start is a solution"
        )
    walk = _Walk(z, farthest=_FIRST * norm)
    solution, solution_norm = z, norm
    message, converged = f"the limit of {max_iter} passes was reached; raise max_iter or tol", False
    passes = idle = 0
    while passes < max_iter:
        for batch in _batches(objective.data.queries, random):
            gradient = _batch_gradient(objective, batch, preconditioner.parameters(walk.z))
            walk.step(preconditioner.gradient(gradient))
        passes += 1
        value, norm = whole(walk.average)
        evaluations += 1
        show(passes, value, norm / reference)
        fall = best - value
        if value < best:
            best, solution, solution_norm = value, walk.average.copy(), norm
        idle = idle + 1 if fall <= tol * abs(origin - best) else 0
        if idle == _PATIENCE:
            converged = True
            message = f"{_PATIENCE} passes in a row changed the objective by less than {tol:g}"
            break
    return preconditioner.parameters(solution), SolverReport(
        "sgd", passes, evaluations, best, solution_norm / reference, converged, message
    )


class _Walk:
    """The iterate z, and the average of all so far in which late ones weigh more."""

    def __init__(self, z: Float64s, farthest: float) -> None:
        self.first, self.z, self.average = z, z, z.copy()
        self.farthest, self.squares, self.steps = farthest, 0.0, 0

    def step(self, gradient: Float64s) -> None:
        """Go down the gradient by the distance over gradients."""
        self.steps += 1
        self.squares += float(np.sum(np.square(gradient)))
        if self.squares > 0:
            self.z = self.z - (self.farthest / np.sqrt(self.squares)) * gradient
        self.farthest = max(self.farthest, norm_of(self.z - self.first))
        self.average += (self.z - self.average) * ((_LATE + 1) / (_LATE + self.steps))


def _batches(queries: int, random: np.random.Generator) -> list[Int64s]:
    """All queries in random order, in batches of about equal size."""
    size = min(_BATCH, max(1, queries // _LEAST_STEPS))
    return np.array_split(random.permutation(queries), max(1, queries // size))


def _batch_gradient(objective: LinearObjective, batch: Int64s, parameters: Float64s) -> Float64s:
    """The gradient of the objective as this batch of queries estimates it: right on average over batches."""
    data, columns = objective.data, objective.X.shape[1]
    offsets, items = items_of_queries(data.offsets, batch)
    part = objective.X.take(items)
    weights, shift = objective.raw_weights(parameters)
    scores = np.empty(items.size)
    part.scores(weights, scores)(0, items.size)
    # A batch is small: threads would cost more than they save.
    with using(1):
        slopes = objective.loss.fast(
            scores + shift,
            data.targets[items],
            offsets,
            None if data.query_weights is None else data.query_weights[batch],
            data.item_weights[items] if data.item_weights.size else _NOTHING,
        ).gradient
    gradient = np.zeros(columns)
    part.gradient(slopes, gradient)(0, items.size)
    scale = data.queries / (batch.size * data.total_weight)
    out = np.empty(objective.size)
    if objective.intercept:
        slope = float(slopes.sum())
        gradient -= slope * objective.centre
        out[-1] = slope * scale
    out[:columns] = gradient * scale / objective.divisor + objective.l2 * parameters[:columns]
    return out
