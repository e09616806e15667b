"""The parameters that estimators share, checked when they are used; those of linear ones together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, as_whole_number
from rankproof.errors import ArgumentError
from rankproof.fit.blas import one_blas_thread
from rankproof.fit.lbfgs import minimize_lbfgs
from rankproof.fit.objective import Objective
from rankproof.fit.progress import progress
from rankproof.fit.report import FitReport
from rankproof.fit.scaling import SCALES
from rankproof.fit.sgd import minimize_sgd

__all__ = ["SOLVERS", "Settings", "as_generator", "as_nonnegative", "as_verbosity", "one_of"]

SOLVERS = ("lbfgs", "sgd")


@dataclass(frozen=True, eq=False)
class Settings:
    """How to minimise: made from an estimator's parameters, which it checks."""

    solver: str
    scale: str
    max_iter: int
    tol: float
    verbose: int
    random: np.random.Generator
    threads: int | None

    @classmethod
    def of(cls, estimator: Any) -> Settings:
        """The settings that an estimator's parameters ask for."""
        from rankproof.kernels.pool import thread_count

        name = type(estimator).__name__
        one_of(f"solver of {name}", estimator.solver, SOLVERS)
        one_of(f"scale of {name}", estimator.scale, SCALES)
        if estimator.threads is not None:
            thread_count(estimator.threads)
        return cls(
            solver=estimator.solver,
            scale=estimator.scale,
            max_iter=as_whole_number(f"max_iter of {name}", estimator.max_iter, 1),
            tol=as_nonnegative(f"tol of {name}", estimator.tol),
            verbose=as_verbosity(f"verbose of {name}", estimator.verbose),
            random=as_generator(f"random_state of {name}", estimator.random_state),
            threads=estimator.threads,
        )

    def minimize(self, objective: Objective, start: Float64s, title: str) -> tuple[Float64s, FitReport]:
        """The minimiser of the objective, from ``start``."""
        with one_blas_thread(), progress(self.verbose, title, self.max_iter) as tell:
            if self.solver == "sgd":
                return minimize_sgd(
                    objective, start, max_iter=self.max_iter, tol=self.tol, tell=tell, random=self.random
                )
            return minimize_lbfgs(objective, start, max_iter=self.max_iter, tol=self.tol, tell=tell)


def one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise `ArgumentError` unless ``value`` is one of the words."""
    if not (isinstance(value, str) and value in known):
        raise ArgumentError(f"Argument {name} must be one of {', '.join(map(repr, known))}, got {value!r}.")


def as_nonnegative(name: str, value: Any) -> float:
    """A finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise ArgumentError(f"Argument {name} must be a finite number >= 0, got {value!r}.")
    return float(value)


def as_verbosity(name: str, value: Any) -> int:
    """How much is told: False and None are 0, True is 1."""
    return as_whole_number(name, 1 if value is True else value or 0, 0)


def as_generator(name: str, seed: Any) -> np.random.Generator:
    """Random numbers from the argument ``random_state``."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(np.iinfo(np.int32).max))
    if seed is None or (isinstance(seed, Integral) and not isinstance(seed, bool) and int(seed) >= 0):
        return np.random.Generator(np.random.PCG64(None if seed is None else int(seed)))
    raise ArgumentError(f"Argument {name} must be an int >= 0, a numpy generator or None, got {seed!r}.")
