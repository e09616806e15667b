r"""How far one tree may move the scores: curvature that is safe to divide by, and one scale for all losses.

A leaf moves its rows by the learning rate times :math:`-\sum g / (\sum h + \lambda)`. The gradient g is that
of the loss. The curvature h is the diagonal of the loss's Hessian, with three changes that never change what
is minimised, only the length of steps:

- Where a loss has its own unit of scores (softmax, pairwise, logistic, ...; `Boosting.own_unit`), h is at
  least |g| / 2, so that no leaf moves its rows by more than 2 before the learning rate: the step of logistic
  loss from scores of 0. A plain Newton step would: an item among 100 that is always relevant asks for a step
  of 99 from softmax, where the logarithm, 4.6, would do. It also gives losses without curvature (the hinge)
  and with curvature of the wrong sign (cosine) a step. Squared, Bregman and Duchi's losses follow the unit of
  the target instead, which may be anything.
- h is at least a millionth of its mean, so that it never is 0; for Bregman losses at least what it is at
  scores of 0 (`Boosting.floor`).
- For lift h is twice the diagonal, which bounds the Hessian (`Boosting.bound`). So a tree whose leaves all
  take their full step does not overshoot.

Then g and h are multiplied by one power of two for the whole data set, also when engines train on parts of it
(`rankproof.adapters.curvature`). Plain squared loss is brought to g =
s - u, h = 1, bit for bit as in every engine. All others are brought to a mean of h at scores of 0, over the
rows that have any, nearest to 1/16 (`Boosting.aim`; lift before h is doubled). On the LETOR sets
``lambdarank`` has .015 to .05 there and ``rank:ndcg`` .03 to .10. So limits such as
``min_sum_hessian_in_leaf``, ``min_child_weight`` and ``lambda`` mean about what they mean there. A power of
two leaves the digits of the gradient as they are. Weights come on top and are not normalised, as in the
engines.

Every loss declares these facts of itself: `rankproof.losses.boosting`.
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.losses.base import LOSSES, Loss

__all__ = ["LIMIT", "check_hessian", "safe", "scale_for_mean"]

# No leaf moves its rows further than this, before the learning rate, for a loss with its own unit of scores.
LIMIT = 2.0


def check_hessian(loss: Loss) -> None:
    """Raise `ArgumentError` for a loss without second derivatives."""
    if loss.claims.value("hessian") is None:
        usable = [name for name, kind in LOSSES.items() if kind().claims.value("hessian") is not None]
        raise ArgumentError(
            f"Loss {loss.name} comes without second derivatives, which boosting divides by. "
            f"Losses that have them: {', '.join(usable)}."
        )


def safe(gradient: Float64s, hessian: Float64s, *, limited: bool, floor: float) -> None:
    """Raise the second derivatives, in place, to what is safe to divide by."""
    if limited:
        np.maximum(hessian, np.abs(gradient) / LIMIT, out=hessian)
    np.maximum(hessian, floor, out=hessian)


def scale_for_mean(mean: float, aim: float) -> float:
    """The power of two that brings a positive mean nearest to ``aim``.

    >>> scale_for_mean(2.0, 1.0), scale_for_mean(0.02, 1.0), scale_for_mean(0.02, 1 / 16)
    (0.5, 64.0, 4.0)
    """
    return math.ldexp(1.0, -round(math.log2(mean / aim)))
