"""`FitReport`: how a solver ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["FitReport"]


@dataclass(frozen=True)
class FitReport:
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
        Norm of the gradient at the solution, as a share of its norm at weights of 0. Norms are taken in the
        metric of the curvature, so that the square is about the share of the possible decrease that is left.
    converged : bool
    message : str
        Why the solver stopped.

    Examples
    --------
    >>> print(FitReport("lbfgs", 12, 14, 0.25, 3e-7, converged=True, message="the gradient vanished"))
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

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self)
