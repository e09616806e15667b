"""Minimise an objective by L-BFGS, in the variables of `rankproof.fit.linear.preconditioner`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankproof.arrays import Float64s
from rankproof.fit.linear.objective import LinearObjective
from rankproof.fit.linear.preconditioner import norm_of
from rankproof.fit.linear.solution import SolverReport
from rankproof.fit.progress import ShowIteration

__all__ = ["minimize_lbfgs"]

_NOTHING = np.empty(0)
# Corrections kept: each costs two vectors of the parameters' size.
_MEMORY = 20
# A line search may end at a kink of a loss that is not smooth; a start with a fresh memory often leaves it.
_RESTARTS = 20


@dataclass
class _Watch:
    """Sees every evaluation: counts, keeps the last and the best."""

    objective: LinearObjective
    reference: float = 0.0
    evaluations: int = 0
    last: tuple[Float64s, float, Float64s] = field(default_factory=lambda: (_NOTHING, 0.0, _NOTHING))
    best: tuple[float, Float64s, float] = field(default_factory=lambda: (np.inf, _NOTHING, np.inf))

    def evaluate(self, z: Float64s) -> tuple[float, Float64s]:
        """Value and gradient in the variables z."""
        if np.array_equal(z, self.last[0]):
            return self.last[1], self.last[2].copy()
        preconditioner = self.objective.preconditioner
        value, gradient = self.objective.evaluate(preconditioner.parameters(z))
        gradient = preconditioner.gradient(gradient)
        self.evaluations += 1
        self.last = (z.copy(), value, gradient.copy())
        if value < self.best[0]:
            self.best = (value, z.copy(), norm_of(gradient))
        return value, gradient

    def relative(self, norm: float) -> float:
        """The norm of a gradient as a share of that at parameters of 0."""
        return norm / self.reference if self.reference > 0 else norm


def minimize_lbfgs(
    objective: LinearObjective, start: Float64s, *, max_iter: int, tol: float, show: ShowIteration
) -> tuple[Float64s, SolverReport]:
    """The parameters at the minimum, and how it went.

    Converged: the gradient's norm fell to ``tol`` times that at parameters of 0. A loss that is not smooth
    may have no such point; there the end is that a fresh start decreases the objective by at most ``tol``
    times its decrease since parameters of 0.
    """
    watch = _Watch(objective)
    zero = np.zeros(objective.size)
    watch.evaluate(zero)
    origin, watch.reference = watch.best[0], watch.best[2]
    smooth = bool(objective.loss.claims.value("smooth"))
    # Where the gradient is 0 at 0 there is nothing to learn, whatever an earlier fit had learnt.
    if start.any() and watch.reference > 0:
        watch.best = (np.inf, zero, np.inf)
        watch.evaluate(objective.preconditioner.variables(start))
    iterations, message, converged = 0, "", watch.relative(watch.best[2]) <= tol or watch.reference == 0
    if converged:
        message = "the start is a solution"
    for _ in range(1 + _RESTARTS):
        if converged or iterations >= max_iter:
            break
        before = watch.best[0]
        done, converged = _descend(watch, max_iter - iterations, tol, show, iterations)
        iterations += done
        if converged:
            message = f"the relative gradient is at most {tol:g}"
        elif iterations < max_iter:
            fall, value = before - watch.best[0], watch.best[0]
            if fall <= (1e-12 * abs(before) if smooth else tol * abs(origin - value)):
                message, converged = _standstill(value, watch.best[2], smooth=smooth)
                break
    if not message:
        message = (
            f"the limit of {max_iter} iterations was reached; raise max_iter or tol"
            if iterations >= max_iter
            else "the line search found no lower point"
        )
    value, z, norm = watch.best
    report = SolverReport(
        "lbfgs", iterations, watch.evaluations, value, watch.relative(norm), bool(converged), message
    )
    return objective.preconditioner.parameters(z), report


def _descend(watch: _Watch, most: int, tol: float, show: ShowIteration, done: int) -> tuple[int, bool]:
    """One run of L-BFGS from the best point: its iterations, and whether the gradient vanished."""
    from scipy.optimize import OptimizeResult, minimize

    steps = 0

    def after(intermediate_result: OptimizeResult) -> None:
        nonlocal steps
        steps += 1
        # Where the line search ends is where it evaluated last.
        relative = watch.relative(norm_of(watch.last[2]))
        show(done + steps, float(intermediate_result.fun), relative)
        if relative <= tol:
            # A value that rounding makes a little lower elsewhere must not count for more.
            watch.best = (watch.last[1], watch.last[0], norm_of(watch.last[2]))
            raise StopIteration

    minimize(
        watch.evaluate,
        watch.best[1],
        jac=True,
        method="L-BFGS-B",
        callback=after,
        options={"maxiter": most, "maxfun": 50 * most + 50, "maxcor": _MEMORY, "ftol": 0.0, "gtol": 0.0},
    )
    return steps, watch.relative(watch.best[2]) <= tol


def _standstill(value: float, norm: float, *, smooth: bool) -> tuple[str, bool]:
    """No step decreases the objective, yet the gradient is above the tolerance: why, and is it the end?"""
    if not smooth:
        return "no step decreases the objective (the loss is not smooth: its gradient need not vanish)", True
    if norm * norm <= 1e-13 * abs(value):
        return "the objective no longer changes in any digit", True
    return "the line search found no lower point", False
