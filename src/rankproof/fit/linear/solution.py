"""`Solution`: the model of a penalty, with `SolverReport`, which says how the solver ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankproof.arrays import Float64s
from rankproof.plain import html_fields, json_text, plain_fields

__all__ = ["Solution", "SolverReport"]


@dataclass(frozen=True)
class SolverReport:
    """How a solver ended.

    Parameters
    ----------
    solver : str
    iterations : int
        Steps of L-BFGS, or passes over the data of SGD.
    evaluations : int
        How often value and gradient of the whole objective were computed.
    value : float
        The objective at the solution.
    gradient_norm : float
        Norm of the gradient at the solution, as a share of its norm at weights of 0. Norms are taken after
        preconditioning, so that the square is about the share of the possible decrease that is left.
    converged : bool
    message : str
        Why the solver stopped.

    Examples
    --------
    >>> print(SolverReport("lbfgs", 12, 14, 0.25, 3e-7, converged=True, message="the gradient vanished"))
    lbfgs converged after 12 iterations (14 evaluations): the gradient vanished; value 0.25,
    relative gradient 3e-07
    """

    solver: str
    iterations: int
    evaluations: int
    value: float
    gradient_norm: float
    converged: bool
    message: str

    def __str__(self) -> str:
        ended = "converged" if self.converged else "did not converge"
        return (
            f"{self.solver} {ended} after {self.iterations} iterations ({self.evaluations} evaluations): "
            f"{self.message}; value {self.value:.6g}, relative gradient {self.gradient_norm:.2g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields, as plain data."""
        return plain_fields(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)


@dataclass(frozen=True, eq=False)
class Solution:
    """A fitted model at one penalty."""

    l2: float
    coef: Float64s
    intercept: float
    report: SolverReport
