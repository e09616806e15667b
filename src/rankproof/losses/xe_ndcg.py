"""XE-NDCG: softmax cross-entropy with gains, less gamma, normalised to a distribution per query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, not_linear, registered
from rankproof.losses.parameters import number

__all__ = ["XENDCG"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class XENDCG(Loss):
    r"""Cross-entropy of the normalised gains with the softmax of the scores.

    **Definition.** :math:`-\sum_i \phi_i \log \frac{e^{s_i}}{\sum_j e^{s_j}}` with :math:`\phi_i =
    (2^{y_i} - \gamma) / \sum_j (2^{y_j} - \gamma)`. The original draws every :math:`\gamma` anew at
    each step, from 0 to 1; here it is one given number, by default the mean of that draw, so that
    the loss is a function of its arguments. Grades below 0 count as 0. With ``gamma=1`` a query
    without gains has no target and its loss is 0. **Minimum.** Expected loss: softmax(s) = E[phi]; the
    division by the sum of each query bends the order away from that of E[gain] and of E[gain / ideal DCG].

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    gamma : float
        What is taken off 2^y before the gains are divided by their sum, from 0 to 1.

    Examples
    --------
    >>> import math
    >>> XENDCG(gamma=1).evaluate([0.0, 0.0], [1.0, 0.0], [0, 2]).value / math.log(2)  # phi = (1, 0)
    1.0
    """

    name: ClassVar[str] = "xe-ndcg"
    aliases: ClassVar[tuple[str, ...]] = ("xendcg", "rank-xendcg")
    summary: ClassVar[str] = "softmax cross-entropy with gains normalised per query"
    definition: ClassVar[str] = r"-\sum_i \phi_i \log softmax(s)_i,\ \phi_i \propto 2^{y_i} - \gamma"
    reference: ClassVar[str] = "Bruch, WWW 2021"
    needs: ClassVar[Needs] = "labels"
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"gamma": (0, 0.9, 1)}

    gamma: float = 0.5

    def __post_init__(self) -> None:
        gamma = number(self.name, "gamma", self.gamma, "from 0 to 1", lambda x: 0 <= x <= 1)
        object.__setattr__(self, "gamma", gamma)

    def linearity(self) -> Claim:
        return not_linear(
            "targets are divided by their sum for every labelling: (1, 0) and (0, 3), half each, count "
            "alike, and in their mean they do not"
        )

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="log-sum-exp is convex and phi is not negative"),
            Claim("smooth", value=True, reference="log-sum-exp is analytic"),
            Claim("shift_invariant", value=True, reference="softmax is"),
            Claim("bounded_below", value=True, reference="every term is at least 0"),
            Claim(
                "order_preserving", value=False, reference="it sorts as E[phi] does, phi divided by its sum"
            ),
            Claim("hessian", value="exact", reference="p_i (1 - p_i) with p = softmax(s)"),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.softmax import cross_entropy
        from rankproof.kernels.losses.xe_ndcg import xe_ndcg_target

        shares, gamma = np.empty(targets.size), float(self.gamma)

        def fill(low: int, high: int, values: Float64s, gradient: Float64s, hessian: Float64s) -> None:
            xe_ndcg_target(targets, offsets, gamma, low, high, shares)
            cross_entropy(scores, frozen(shares), offsets, item_weights, low, high, values, gradient, hessian)

        return fill
