"""ListNet: the divergence of the softmax of the scores from the softmax of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, not_linear, registered

__all__ = ["ListNet"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class ListNet(Loss):
    r"""ListNet's top-one cross-entropy, less the entropy of the labels' own softmax.

    **Definition.** :math:`KL(p \| q) = \sum_i p_i \log (p_i / q_i)` with :math:`p = softmax(y)` and
    :math:`q = softmax(s)`. **Minimum.** 0 at s = y + c. Expected loss: softmax(s) = E[softmax(y)], so it
    sorts as E[softmax(y)] does, which need not be the order of E[y], nor of any gain.

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.

    Examples
    --------
    >>> import math
    >>> ListNet().evaluate([math.log(3), 0.0], [0.0, 0.0], [0, 2]).value  # log(2/3)/2 + log(2)/2
    0.14384...
    """

    name: ClassVar[str] = "listnet"
    summary: ClassVar[str] = "divergence of the scores' softmax from the labels' softmax"
    definition: ClassVar[str] = r"KL(softmax(y) \| softmax(s))"
    reference: ClassVar[str] = "Cao et al., ICML 2007; R11 §3"
    needs: ClassVar[Needs] = "labels"

    def linearity(self) -> Claim:
        return not_linear(
            "labels (2, 0) and (0, 0), half each, have the mean softmax (.690, .310); the softmax of "
            "their mean is (.731, .269)"
        )

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="log-sum-exp less a linear function"),
            Claim("smooth", value=True, reference="log-sum-exp is analytic"),
            Claim("shift_invariant", value=True, reference="softmax is"),
            Claim("bounded_below", value=True, reference="a divergence is at least 0"),
            Claim("order_preserving", value=False, reference="R11 Prop. 7: it sorts as E[softmax(y)] does"),
            Claim("hessian", value="exact", reference="q_i (1 - q_i)"),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.softmax import cross_entropy, softmax_of

        shares = np.empty(targets.size)

        def fill(low: int, high: int, values: Float64s, gradient: Float64s, hessian: Float64s) -> None:
            softmax_of(targets, offsets, low, high, shares, values)
            cross_entropy(scores, frozen(shares), offsets, item_weights, low, high, values, gradient, hessian)

        return fill
