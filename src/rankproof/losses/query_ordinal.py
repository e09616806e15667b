"""Ordinal regression with thresholds of the query's own: order preserving, noise fades with the margin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, not_linear, registered

__all__ = ["QueryOrdinal"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class QueryOrdinal(Loss):
    r"""Cumulative logits of the levels of the target, with the best thresholds for every query.

    **Definition.** Let :math:`t_0 < t_1 < \dots < t_L` be the different targets of a query. The loss is

    .. math:: \sum_{l=1}^L (t_l - t_{l-1})
        \min_b \sum_i v_i \left[\log(1 + e^{s_i + b}) - 1[u_i \ge t_l] (s_i + b) \right]

    with item weights :math:`v_i` (1 when none are given): for every level of the target, logistic
    regression on whether an item reaches it, with an intercept b fitted to the query. (In the proportional
    odds model, -b is a threshold.) **Domain**: any targets. Where all items of a query have one target, the
    loss is 0. When a query has more than 33 different targets, the range of its targets is cut into 32
    bands of equal height instead, and an item reaches a band by the share of it that lies below its target.
    Each target is :math:`t_0` plus the heights of the bands times these shares, and nothing else is needed
    below.

    **Minimum.** With :math:`b_l` the best intercepts, the derivative by :math:`s_i` is :math:`v_i` times
    :math:`\sum_l (t_l - t_{l-1}) \sigma(s_i + b_l) - (u_i - t_0)`. The intercepts depend on the labels, but
    they are the same for all items. So the mean of the first term is one increasing function H of
    :math:`s_i`, and the mean loss is least where :math:`H(s_i) = E[u_i] - E[t_0]`: **the minimiser sorts as
    E[u] does, whatever the law of the labels**, and whatever the item weights.

    **Proof, also where the least value is not attained.** Let :math:`E[u_i] > E[u_j]` and :math:`s_i \le
    s_j`. Moving :math:`s_i` up and :math:`s_j` down by t changes the mean loss at the rate :math:`H_t(s_i +
    t) - H_t(s_j - t) - (E[u_i] - E[u_j])`, where H_t has slopes of at most R/4, with R the mean of
    :math:`t_L - t_0`; so the rate is at most :math:`tR/2 - (E[u_i] - E[u_j])`. Going as far as that is
    negative, the loss falls by :math:`(E[u_i] - E[u_j])^2 / R`: scores that sort the two wrongly, or tie
    them, are that far above the least mean loss. (Without item weights; with them, move by :math:`t/v_i`
    and :math:`t/v_j`.)

    **Noise.** An item that is clearly above or below a threshold adds almost nothing to the gradient or its
    variance, as in pairwise losses on differences of labels such as LambdaRank's, of which this is the
    consistent relative: items of one grade do not pull at each other.

    **Cost.** Linear in the number of items times the number of levels, at most 32.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    Two items, one relevant: the best intercept puts both at the same distance from 0, so the loss is twice
    log(1 + e^(-(s_0 - s_1)/2)).

    >>> import math
    >>> value = QueryOrdinal().evaluate([3.0, 1.0], [1.0, 0.0], [0, 2]).value
    >>> round(value - 2 * math.log1p(math.exp(-1)), 15)
    0.0
    """

    name: ClassVar[str] = "query-ordinal"
    summary: ClassVar[str] = (
        "cumulative logits of the levels of the target, with thresholds of the query's own"
    )
    definition: ClassVar[str] = (
        r"\sum_l (t_l - t_{l-1}) \min_b \sum_i v_i [\log(1 + e^{s_i + b}) - 1[u_i \ge t_l] (s_i + b)]"
    )
    reference: ClassVar[str] = "McCullagh, JRSS B 1980, with an intercept of every query"
    needs: ClassVar[Needs] = "target"
    takes_item_weights: ClassVar[bool] = True

    def linearity(self) -> Claim:
        return not_linear(
            "the thresholds follow the levels of the target: (1, 0) and (0, 1) have the level 1 each, and "
            "their mean (1/2, 1/2) has none, so that its loss is 0"
        )

    @property
    def claims(self) -> Claims:
        minimiser = (
            "intercepts are the same for all items of a query, so the mean gradient, H(s_i) - E[u_i] + "
            "E[t_0] with one increasing H, is 0 only where scores sort as E[u]; any other order is "
            "(E[u_i] - E[u_j])^2 / E[range] above the least mean loss"
        )
        return Claims(
            Claim(
                "convex", value=True, reference="convex in scores and intercepts together, least over these"
            ),
            Claim(
                "smooth", value=True, reference="the best intercept of a level is one number, analytic in s"
            ),
            Claim("shift_invariant", value=True, reference="the intercepts take up the shift"),
            Claim("bounded_below", value=True, reference="every term is at least 0"),
            Claim("order_preserving", value=True, reference=minimiser),
            Claim(
                "weights_keep_order",
                value=True,
                reference="the mean gradient of an item is its weight times H(s_i) - E[u_i] + E[t_0]",
            ),
            Claim(
                "hessian",
                value="exact",
                reference="sum over levels of (t_l - t_(l-1)) c_i (1 - c_i / sum c), c_i = v_i p_i (1 - p_i)",
            ),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.query_ordinal import query_ordinal

        return partial(query_ordinal, scores, targets, offsets, item_weights)
