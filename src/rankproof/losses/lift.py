"""Squared margins over all ordered pairs: order preserving, in linear time, of constant curvature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import TIMES_TARGET, GradientKernel, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting

__all__ = ["Lift"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Lift(Loss):
    r"""All ordered pairs with a squared margin, weighted by the target of the first item.

    **Definition.** :math:`\frac1n \sum_i v_i u_i \sum_{j \ne i} (1 - s_i + s_j)^2` for a query of n items,
    with item weights :math:`v_i` that multiply the targets (1 when none are given). **Domain**: targets of at
    least 0. It is the order-preserving loss with the margin :math:`(1 - t)^2`, to which B11's Theorem 1 does
    not apply: that margin rises beyond 1.

    **Minimum.** With m = E[u], of mean :math:`\bar m`: :math:`s_i = c - h / (m_i + \bar m)`, where h is the
    harmonic mean of the :math:`m_j + \bar m` and c any number. It sorts as E[u] does, and it stays the same
    when all targets of a query are multiplied by a number: a model need learn neither what all items of a
    query have in common nor the unit of their targets, such as 1/Z of nDCG.

    **Proof.** At scores of mean 0, with M the sum of the m_j and T that of the m_j s_j, the gradient is 0 iff
    n m_i (1 - s_i) = M (1 + s_i) - T for all i, so s_i = 1 - (2M - T) / (n m_i + M), and the mean of 0 makes
    (2M - T) / n the harmonic mean h, which is positive unless all targets are 0. At scores of mean 0 the
    Hessian is at least 2M/n, so this minimum is the only one up to c.

    **Cost.** O(n), and the second derivatives are the same at all scores. Scores beyond 1e300 count as 1e300;
    what would overflow is held at 1e304.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    >>> Lift().evaluate([0.0, 0.5], [1.0, 3.0], [0, 2]).value  # (1*(1 + 0.5)^2 + 3*(1 - 0.5)^2) / 2
    1.5
    """

    name: ClassVar[str] = "lift"
    summary: ClassVar[str] = "all pairs with a squared margin, weighted by the target of the first item"
    definition: ClassVar[str] = r"\frac1n \sum_i v_i u_i \sum_{j \ne i} (1 - s_i + s_j)^2"
    reference: ClassVar[str] = "B11 eq. 6 with the margin (1 - t)^2; the claims say where its minimum lies"
    needs: ClassVar[Needs] = "nonnegative target"
    takes_item_weights: ClassVar[bool] = True
    # Twice the diagonal bounds the Hessian: its other entries are at most 0 and its rows add up to 0.
    boosting: ClassVar[Boosting] = Boosting(
        constant_hessian=True, own_unit=False, bound=2.0, weights_multiply_targets=True
    )

    def linearity(self) -> Claim:
        return linear("u_i times a function of the scores, summed over items")

    @property
    def claims(self) -> Claims:
        minimiser = (
            "with m = E[u] the gradient is 0 where s_i = c - h / (m_i + mean(m)), h > 0 the harmonic mean "
            "of the m_j + mean(m): s_i rises with m_i; if m = 0, any scores will do"
        )
        return Claims(
            Claim("convex", value=True, reference="squares of affine functions with weights of at least 0"),
            Claim("smooth", value=True, reference="a polynomial in the scores"),
            Claim("shift_invariant", value=True, reference="it sees differences of scores alone"),
            Claim("bounded_below", value=True, reference="every term is at least 0"),
            Claim("order_preserving", value=True, reference=minimiser),
            Claim("weights_keep_order", value=False, reference=TIMES_TARGET),
            Claim("hessian", value="exact", reference="2 ((n - 2) v_i u_i + sum(v u)) / n"),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.lift import lift

        return partial(lift, scores, targets, offsets, item_weights)

    def gradient_kernel(
        self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s
    ) -> GradientKernel:
        from rankproof.kernels.losses.lift import lift_gradient

        return partial(lift_gradient, scores, targets, offsets, item_weights)
