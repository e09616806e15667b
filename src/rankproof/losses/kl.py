"""Extended KL: the divergence of exponential scores from targets that need not sum to one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import ITEM_BY_ITEM, Loop, Loss, Needs, linear, registered

__all__ = ["KL"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class KL(Loss):
    r"""Extended Kullback-Leibler divergence: Poisson regression on the targets, less a constant.

    **Definition.** :math:`\sum_i v_i (u_i \log \frac{u_i}{e^{s_i}} - u_i + e^{s_i})`, with item weights
    :math:`v_i` (1 when none are given) and 0 log 0 = 0. **Domain**: targets of at least 0. A value beyond the
    largest float (a score above 709) is infinite. **Minimum.** 0 at s = log u. Expected loss: s = log E[u],
    approached as s falls without end where E[u] is 0.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    >>> KL().evaluate([0.0, 0.0], [1.0, 0.0], [0, 2]).value  # (1 log 1 - 1 + 1) + (0 - 0 + 1)
    1.0
    """

    name: ClassVar[str] = "kl"
    aliases: ClassVar[tuple[str, ...]] = ("extended-kl", "poisson")
    summary: ClassVar[str] = "extended KL divergence of exponential scores from targets"
    definition: ClassVar[str] = r"\sum_i v_i (u_i \log (u_i / e^{s_i}) - u_i + e^{s_i})"
    reference: ClassVar[str] = "R11 §3.3"
    needs: ClassVar[Needs] = "nonnegative target"
    takes_item_weights: ClassVar[bool] = True
    finite_up_to: ClassVar[float] = 500.0

    def linearity(self) -> Claim:
        return linear("exp(s) - u s, and a term without scores")

    @property
    def claims(self) -> Claims:
        minimiser = "R11 Th. 9 with psi(u) = sum u log u - u: the minimiser is log E[u]"
        return Claims(
            Claim("convex", value=True, reference="the exponential less a linear function"),
            Claim("smooth", value=True, reference="the exponential is analytic"),
            Claim("shift_invariant", value=False, reference="the sum of exponentials grows with a shift"),
            Claim("bounded_below", value=True, reference="a divergence is at least 0"),
            Claim("order_preserving", value=True, reference=minimiser),
            Claim("hessian", value="exact", reference="the second derivative is v_i exp(s_i)"),
            Claim("weights_keep_order", value=True, reference=ITEM_BY_ITEM),
            Claim(
                "strongly_convex",
                value=(1.0, "l1 per mass"),
                reference="b = exp(s), scaled to the sum m of E[u]: the regret is that of the sum of exp(s), "
                "at least 0, and m KL(E[u]/m | b/m) >= |E[u] - b|_1^2 / (2m) (Pinsker's inequality)",
            ),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.kl import extended_kl

        return partial(extended_kl, scores, targets, offsets, item_weights)
