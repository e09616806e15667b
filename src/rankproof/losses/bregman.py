"""The Bregman family: a convex function of the scores less their inner product with the targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError
from rankproof.losses.base import Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting
from rankproof.losses.parameters import number
from rankproof.metrics.parameters import written

__all__ = ["Bregman"]

Conjugate: TypeAlias = Callable[[Float64s], float]
Gradient: TypeAlias = Callable[[Float64s], ArrayLike]

_TH_9 = "R11 Th. 9: psi is strictly convex and its gradient preserves order, so s = grad psi(E[u]) does"
_HOLDER = (
    "R11 §4, §5: psi = |.|_p^2 and b = grad psi*(2s); along h the second derivative of psi is at least "
    "2 (p - 1) |x|_p^(2-p) sum |x_i|^(p-2) h_i^2, which Hölder's inequality puts above 2 (p - 1) |h|_p^2"
)
_UNKNOWN = "a user's function: R11 Th. 9 asks for a strictly convex psi whose gradient preserves order"


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Bregman(Loss):
    r"""Bregman divergence of the targets from the scores' image, less what depends on the targets alone.

    **Definition.** :math:`D_\psi(u, (\nabla\psi)^{-1}(s)) = \psi(u) + \psi^*(s) - \langle s, u \rangle`
    for a strictly convex :math:`\psi` with conjugate :math:`\psi^*`. The term :math:`\psi(u)` is left
    out. ``p`` takes :math:`\psi = \|\cdot\|_p^2`, 1 < p <= 2, and gives, scaled as in R11,
    :math:`\|s\|_q^2 - 2 \langle s, u \rangle` with q = p / (p - 1); p = 2 is the squared loss less |u|^2.
    Or pass :math:`\psi^*` of your own: ``conjugate`` takes the scores of one query and returns a number,
    ``conjugate_gradient`` takes the same and returns one number per score. They are tried on a few
    vectors when the loss is made: the gradient must be that of the function, and the function convex.
    They run as plain Python, query by query. **Minimum.** Expected loss: s = grad psi(E[u]), which sorts
    as E[u] does when grad psi preserves order.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.
    p : float, optional
        The norm, 1 < p <= 2; 1.5 unless ``conjugate`` is given.
    conjugate : function, optional
        In place of ``p``: the conjugate of a strictly convex function; takes the scores of a query, gives a
        number.
    conjugate_gradient : function, optional
        The gradient of ``conjugate``, one number per score. The two are given together.

    Examples
    --------
    >>> Bregman(p=2).evaluate([3.0, 4.0], [0.0, 2.0], [0, 2]).value  # 3^2 + 4^2 - 2*4*2
    9.0
    >>> own = Bregman(conjugate=lambda s: np.exp(s).sum(), conjugate_gradient=np.exp)
    >>> own.evaluate([0.0, 0.0], [0.0, 2.0], [0, 2]).gradient  # exp(s) - u
    array([ 1., -1.])
    """

    name: ClassVar[str] = "bregman"
    summary: ClassVar[str] = "convex function of the scores less their inner product with the targets"
    definition: ClassVar[str] = r"\|s\|_q^2 - 2 \langle s, u \rangle,\ 1/p + 1/q = 1"
    reference: ClassVar[str] = "R11 Th. 8, Th. 9 and §4"
    needs: ClassVar[Needs] = "target"
    # The q-norm has no curvature along one axis beside another, larger score: what it has at 0 is the least.
    boosting: ClassVar[Boosting] = Boosting(own_unit=False, floor=1.0)
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"p": (1.5, 2, 1.2)}
    finite_up_to: ClassVar[float] = 1e150

    p: float | None = None
    conjugate: Conjugate | None = None
    conjugate_gradient: Gradient | None = None

    def __post_init__(self) -> None:
        if (self.conjugate is None) != (self.conjugate_gradient is None):
            raise ArgumentError(
                "Loss bregman takes conjugate and conjugate_gradient together, got one of them."
            )
        if self.conjugate is not None:
            if self.p is not None:
                raise ArgumentError(
                    f"Loss bregman takes p or a conjugate of your own, not both, got p={self.p!r}."
                )
            _try_out(self)
            return
        p = 1.5 if self.p is None else self.p
        exponent = number(self.name, "p", p, "above 1 and at most 2", lambda x: 1 < x <= 2)
        object.__setattr__(self, "p", exponent)

    def linearity(self) -> Claim:
        return linear("psi*(s) - <s, u>, and a term without scores (R11 Th. 9)")

    @property
    def claims(self) -> Claims:
        if self.p is not None:
            return Claims(
                Claim(
                    "convex", value=True, reference="R11 Th. 9: the square of a norm less a linear function"
                ),
                Claim("smooth", value=True, reference="for q >= 2 the square of the q-norm is"),
                Claim("shift_invariant", value=False, reference="the norm grows with a shift"),
                Claim(
                    "bounded_below", value=True, reference="Hölder: at least minus the p-norm of u squared"
                ),
                Claim("order_preserving", value=True, reference=_TH_9),
                Claim("hessian", value="exact", reference="second derivative of the q-norm squared"),
                Claim(
                    "strongly_convex",
                    value=(2.0 * (self.p - 1.0), f"l{written(self.p)}"),
                    reference=_HOLDER,
                ),
            )
        return Claims(
            Claim("convex", value=True, reference="a conjugate is a supremum of linear functions"),
            Claim(
                "smooth", value=True, reference="R11 Th. 9: the conjugate of a strictly convex function is"
            ),
            Claim("shift_invariant", value=None, reference=_UNKNOWN),
            Claim("bounded_below", value=None, reference=_UNKNOWN),
            Claim("order_preserving", value=None, reference=_UNKNOWN),
            Claim("hessian", value=None, reference="a user's function comes with its first derivative alone"),
            Claim("strongly_convex", value=None, reference="a user's function: its curvature is not known"),
        )

    def kernel(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        item_weights: Float64s,  # noqa: ARG002 - not a sum over items
    ) -> Loop:
        if self.p is not None:
            from rankproof.kernels.losses.bregman import bregman

            # p - 1 of the next float above 1 is exact, so q is right up to rounding for every p.
            return partial(bregman, scores, targets, offsets, self.p / (self.p - 1.0))

        def fill(low: int, high: int, values: Float64s, gradient: Float64s, _: Float64s) -> None:
            for q in range(low, high):
                start, end = int(offsets[q]), int(offsets[q + 1])
                if start == end:
                    continue
                s, u = scores[start:end], targets[start:end]
                value, slope = _ask(self, s)
                values[q] = value - float(s @ u)
                gradient[start:end] = slope - u

        return fill


def _ask(loss: Bregman, scores: Float64s) -> tuple[float, Float64s]:
    """The user's function and its gradient at the scores of one query, or an error that says why not."""
    value = _call("conjugate", loss.conjugate, scores)
    if value.ndim != 0 or np.isnan(value):
        raise ArgumentError(
            f"Argument conjugate of bregman must return one number, got {_show(value)} "
            f"for scores {_show(scores)}."
        )
    slope = _call("conjugate_gradient", loss.conjugate_gradient, scores)
    if slope.shape != scores.shape or np.isnan(slope).any():
        raise ArgumentError(
            "Argument conjugate_gradient of bregman must return one number per score "
            f"({scores.size}), got {_show(slope)} for scores {_show(scores)}."
        )
    return float(value), slope


def _call(name: str, function: Any, scores: Float64s) -> Float64s:
    try:
        # A copy: the function may not change the scores.
        return np.asarray(function(scores.copy()), dtype=np.float64)
    except Exception as error:
        raise ArgumentError(
            f"Argument {name} of bregman failed on scores {_show(scores)}: {type(error).__name__}: {error}."
        ) from error


def _show(array: Float64s) -> str:
    return np.array2string(array, threshold=6, precision=6)


def _try_out(loss: Bregman) -> None:
    """The gradient is that of the function and the function is convex, on a few vectors of 1 to 4 scores."""
    rng = np.random.default_rng(2011)
    for n in (1, 2, 3, 4):
        one, other = rng.normal(size=n), rng.normal(size=n)
        value, slope = _ask(loss, one)
        there, _ = _ask(loss, other)
        step = 1e-5 * (other - one)
        along = (_ask(loss, one + step)[0] - _ask(loss, one - step)[0]) / 2e-5
        stated = float(slope @ (other - one))
        scale = 1e-9 + abs(stated) + abs(value) + abs(there)
        if not abs(along - stated) <= 1e-4 * scale:
            raise ArgumentError(
                "Argument conjugate_gradient of bregman must be the gradient of conjugate: at scores "
                f"{_show(one)} towards {_show(other)} the function changes by {along:.6g}, the gradient says "
                f"{stated:.6g}."
            )
        if there < value + stated - 1e-9 * scale:
            raise ArgumentError(
                f"Argument conjugate of bregman must be convex, but at scores {_show(other)} it is "
                f"{there:.6g}, below its tangent from {_show(one)} ({value + stated:.6g})."
            )
