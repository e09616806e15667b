"""ListMLE: the Plackett-Luce likelihood of the ranking by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, not_linear, registered
from rankproof.metrics.parameters import choice

__all__ = ["ListMLE"]

_BY_RANK = "only the order of the labels counts, so a rare high grade weighs as much as a common small one"


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class ListMLE(Loss):
    r"""Minus the log-likelihood of sorting by label in the Plackett-Luce model of the scores.

    **Definition.** :math:`\sum_i (\log \sum_{j \in B_i} e^{s_j} - s_i)`, where :math:`B_i` holds the
    items that are still there when item i is picked: without ties, :math:`\{j : y_j \le y_i\}`.
    **Equal labels** have no order, and the mean over all orders has no short form. ``ties=together``
    picks each item of a group from the whole group and all below (Breslow's rule; the mean over all
    orders lies below it), so the loss does not depend on the order of the rows; ``ties=order`` ranks
    equal labels as the rows stand. **Minimum.** For one list the infimum is not attained:
    scores spread without end.

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    ties : "together" or "order"
        How equal labels are picked: each from the whole group and all below, or in the order of the rows.

    Examples
    --------
    >>> import math
    >>> ListMLE().evaluate([0.0, math.log(3)], [1.0, 0.0], [0, 2]).value  # log(1 + 3) - 0, then log 3 - log 3
    1.38629...
    """

    name: ClassVar[str] = "listmle"
    aliases: ClassVar[tuple[str, ...]] = ("plackett-luce",)
    summary: ClassVar[str] = "Plackett-Luce likelihood of the ranking by label"
    definition: ClassVar[str] = r"\sum_i (\log \sum_{j : y_j \le y_i} e^{s_j} - s_i)"
    reference: ClassVar[str] = "Xia et al., ICML 2008; Breslow, Biometrics 1974 (ties)"
    needs: ClassVar[Needs] = "labels"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"ties": ("together", "order")}

    ties: str = "together"

    def __post_init__(self) -> None:
        choice(self.name, "ties", self.ties, self.choices["ties"])

    def linearity(self) -> Claim:
        return not_linear("labels (1, 0) and (0, 1), half each, are two orders; their mean is a tie")

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="log-sum-exp less linear functions"),
            Claim("smooth", value=True, reference="log-sum-exp is analytic"),
            Claim("shift_invariant", value=True, reference="a shift cancels in every term"),
            Claim("bounded_below", value=True, reference="minus the logarithm of a product of shares"),
            Claim("order_preserving", value=False, reference=_BY_RANK),
            Claim("hessian", value="exact", reference="sum over the picks of p (1 - p)"),
        )

    def kernel(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        item_weights: Float64s,  # noqa: ARG002 - not a sum over items
    ) -> Loop:
        from rankproof.kernels.losses.listmle import listmle
        from rankproof.kernels.metrics.order import sort_queries

        order, ends = np.empty(targets.size, np.int32), np.empty(targets.size, np.int32)
        tied, sizes = np.empty(offsets.size - 1, np.bool_), np.diff(offsets)
        together = self.ties == "together"

        def fill(low: int, high: int, values: Float64s, gradient: Float64s, hessian: Float64s) -> None:
            sort_queries(targets, offsets, sizes, order, ends, tied, low, high)
            listmle(scores, offsets, order, ends, together, low, high, values, gradient, hessian)

        return fill
