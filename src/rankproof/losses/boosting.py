"""What gradient boosting needs to know of a loss, declared by the loss.

The defaults hold for any loss: a class that declares nothing is boosted with its own derivatives at every
step, and with steps that are safe. `rankproof.adapters.newton` says what the numbers do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankproof.arrays import Float64s, Int64s

__all__ = ["Boosting", "Regression"]

# (targets, offsets, item weights, empty when there are none) -> (what to regress on, weights of rows or None)
Regression = Callable[[Float64s, Int64s, Float64s], tuple[Float64s, Float64s | None]]


@dataclass(frozen=True, kw_only=True)
class Boosting:
    """Facts about a loss that make its boosting faster, or its steps longer, than is safe for any loss.

    Parameters
    ----------
    constant_hessian : bool
        The second derivatives are the same at all scores, so that they are computed once.
    own_unit : bool
        The loss has its own unit of scores (softmax, logistic, pairwise, ...), so that a step of many units
        goes too far. False where scores are in the unit of the target, which may be anything.
    floor : float
        The least second derivative, as a share of their mean at scores of 0.
    aim : float
        What the mean second derivative at scores of 0 is brought near to: 1 is that of an engine's plain
        regression, 1/16 about that of its ranking losses.
    bound : float
        What the diagonal of the Hessian is multiplied by; a factor that makes it a bound of the Hessian
        keeps a tree whose leaves all take their full step from overshooting.
    regression : function, optional
        Up to what does not depend on scores, and up to a factor, the loss is weighted squared loss on another
        target. The function gives that target and the weights of rows, for targets, offsets and item weights
        (an empty array when there are none).
    catboost : str, optional
        CatBoost's own loss that is this loss, on the target of the loss (or on that of ``regression``).
    weights_multiply_targets : bool
        Item weights are factors of the targets: the loss of targets u with weights v is that of v u.
    """

    constant_hessian: bool = False
    own_unit: bool = True
    floor: float = 1e-6
    aim: float = 1 / 16
    bound: float = 1.0
    regression: Regression | None = None
    catboost: str | None = None
    weights_multiply_targets: bool = False
