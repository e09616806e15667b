"""Squared losses: regression on the targets, item by item or up to a constant per query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import ITEM_BY_ITEM, GradientKernel, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting

__all__ = ["CentredSquared", "Squared"]


def _as_it_is(
    targets: Float64s,
    offsets: Int64s,  # noqa: ARG001 - a regression reads them
    item_weights: Float64s,
) -> tuple[Float64s, Float64s | None]:
    """Plain regression on the target itself."""
    return targets, item_weights if item_weights.size else None


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Squared(Loss):
    r"""Squared difference of scores and targets.

    **Definition.** :math:`\sum_i v_i (s_i - u_i)^2`, with item weights :math:`v_i` (1 when none are given).
    **Minimum.** Expected loss: s = E[u], whatever the weights, so it sorts as E[u] does.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    >>> Squared().evaluate([1.0, 3.0], [0.0, 1.0], [0, 2]).value  # (1 - 0)^2 + (3 - 1)^2
    5.0
    """

    name: ClassVar[str] = "squared"
    aliases: ClassVar[tuple[str, ...]] = ("least-squares", "regression")
    summary: ClassVar[str] = "squared difference of scores and targets"
    definition: ClassVar[str] = r"\sum_i v_i (s_i - u_i)^2"
    reference: ClassVar[str] = "Cossock & Zhang, IEEE Trans. Inf. Theory 2008; R11 §3.3"
    needs: ClassVar[Needs] = "target"
    takes_item_weights: ClassVar[bool] = True
    boosting: ClassVar[Boosting] = Boosting(
        constant_hessian=True, own_unit=False, aim=1.0, regression=_as_it_is, catboost="RMSE"
    )
    finite_up_to: ClassVar[float] = 1e150

    def linearity(self) -> Claim:
        return linear("v_i (s_i^2 - 2 s_i u_i), and a term without scores")

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="a sum of squares of affine functions"),
            Claim("smooth", value=True, reference="a polynomial in the scores"),
            Claim("shift_invariant", value=False, reference="u + c costs n c^2 more than u"),
            Claim("bounded_below", value=True, reference="a sum of squares"),
            Claim(
                "order_preserving", value=True, reference="R11 Th. 9 with psi = |.|^2: the minimiser is E[u]"
            ),
            Claim("hessian", value="exact", reference="the second derivative is 2 v_i"),
            Claim("weights_keep_order", value=True, reference=ITEM_BY_ITEM),
            Claim(
                "strongly_convex",
                value=(2.0, "l2"),
                reference="R11 §5: psi = |.|^2 and b = s; the regret is |s - E[u]|^2",
            ),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.squared import squared

        return partial(squared, scores, targets, offsets, item_weights)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class CentredSquared(Loss):
    r"""Squared difference of scores and targets, both less their mean over the query.

    **Definition.** :math:`\sum_i ((s_i - \bar s) - (u_i - \bar u))^2`, the least squared loss over all
    constants that may be added to the scores of the query. **Minimum.** Expected loss: every s = E[u] +
    c, so a model need not learn what all items of a query have in common.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    >>> CentredSquared().evaluate([1.0, 3.0], [0.0, 1.0], [0, 2]).value  # (-1 + 1/2)^2 + (1 - 1/2)^2
    0.5
    """

    name: ClassVar[str] = "centred-squared"
    aliases: ClassVar[tuple[str, ...]] = ("centered-squared",)
    summary: ClassVar[str] = "squared difference of scores and targets, each less its query mean"
    definition: ClassVar[str] = r"\sum_i ((s_i - \bar s) - (u_i - \bar u))^2"
    reference: ClassVar[str] = "squared loss of R11 §3.3 with a free constant per query"
    needs: ClassVar[Needs] = "target"
    # CatBoost centres scores and targets per query too.
    boosting: ClassVar[Boosting] = Boosting(constant_hessian=True, own_unit=False, catboost="QueryRMSE")
    finite_up_to: ClassVar[float] = 1e150

    def linearity(self) -> Claim:
        return linear("a square of scores, scores times u, and a term without scores")

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="a sum of squares of affine functions"),
            Claim("smooth", value=True, reference="a polynomial in the scores"),
            Claim("shift_invariant", value=True, reference="the mean moves with the scores"),
            Claim("bounded_below", value=True, reference="a sum of squares"),
            Claim("order_preserving", value=True, reference="the minimisers are E[u] + c for any number c"),
            Claim("hessian", value="exact", reference="the second derivative is 2 (1 - 1/n)"),
            Claim(
                "strongly_convex",
                value=(2.0, "l2"),
                reference="psi = |.|^2 and b = s + mean(E[u]) - mean(s); the regret is |b - E[u]|^2",
            ),
        )

    def kernel(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        item_weights: Float64s,  # noqa: ARG002 - not a sum over items
    ) -> Loop:
        from rankproof.kernels.losses.squared import centred_squared

        return partial(centred_squared, scores, targets, offsets)

    def gradient_kernel(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        item_weights: Float64s,  # noqa: ARG002 - not a sum over items
    ) -> GradientKernel:
        from rankproof.kernels.losses.squared import centred_squared_gradient

        return partial(centred_squared_gradient, scores, targets, offsets)
