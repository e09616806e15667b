"""Softmax cross-entropy whose target is not normalised: convex, linear time, and order preserving."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import TIMES_TARGET, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting

__all__ = ["Softmax"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Softmax(Loss):
    r"""Cross-entropy of the targets, as they are, with the softmax of the scores.

    **Definition.** :math:`-\sum_i v_i u_i \log \frac{e^{s_i}}{\sum_j e^{s_j}}`, with item weights :math:`v_i`
    that multiply the targets (1 when none are given). **Domain**: targets of at least 0.
    **Minimum.** Expected loss: softmax(s) = E[u] / sum E[u], so it sorts as E[u] does. Dividing the
    targets of each query by their sum first, as ListNet and XE-NDCG do, loses that.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    >>> import math
    >>> Softmax().evaluate([0.0, math.log(3)], [2.0, 1.0], [0, 2]).value  # 2 log 4 + log(4/3)
    3.06027...
    """

    name: ClassVar[str] = "softmax"
    aliases: ClassVar[tuple[str, ...]] = ("softmax-cross-entropy",)
    summary: ClassVar[str] = "cross-entropy of unnormalised targets with the softmax of the scores"
    definition: ClassVar[str] = r"-\sum_i v_i u_i \log \frac{e^{s_i}}{\sum_j e^{s_j}}"
    reference: ClassVar[str] = "Bruch et al., ICTIR 2019, without their normalisation; R11 Th. 9"
    needs: ClassVar[Needs] = "nonnegative target"
    takes_item_weights: ClassVar[bool] = True
    # CatBoost does not divide the targets of a query by their sum either.
    boosting: ClassVar[Boosting] = Boosting(catboost="QuerySoftMax", weights_multiply_targets=True)

    def linearity(self) -> Claim:
        return linear("u_i times a function of the scores, summed over items")

    @property
    def claims(self) -> Claims:
        minimiser = "the gradient of the mean, sum(E[u]) softmax(s) - E[u], is 0 iff softmax(s) is along E[u]"
        return Claims(
            Claim("convex", value=True, reference="log-sum-exp is convex and u is not negative"),
            Claim("smooth", value=True, reference="log-sum-exp is analytic"),
            Claim("shift_invariant", value=True, reference="softmax is"),
            Claim("bounded_below", value=True, reference="every term is at least 0"),
            Claim("order_preserving", value=True, reference=minimiser),
            Claim("weights_keep_order", value=False, reference=TIMES_TARGET),
            Claim("hessian", value="exact", reference="sum(u) p_i (1 - p_i) with p = softmax(s)"),
            Claim(
                "strongly_convex",
                value=(1.0, "l1 per mass"),
                reference="b = m softmax(s) with m the sum of E[u]: the regret is m KL(E[u]/m | b/m) >= "
                "|E[u] - b|_1^2 / (2m) (Pinsker's inequality)",
            ),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.softmax import cross_entropy

        return partial(cross_entropy, scores, targets, offsets, item_weights)
