"""Weighted regression whose minimum says how an item compares with the mean of its query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import TIMES_TARGET, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting

__all__ = ["Relative", "relative_regression"]

_NOTHING = np.empty(0)


def relative_regression(
    targets: Float64s, offsets: Int64s, item_weights: Float64s = _NOTHING, *, scale: float | None = None
) -> tuple[Float64s, Float64s]:
    """The target and the weights with which plain squared loss is `Relative`: times ``scale``, or of mean 1.

    A query whose targets are all 0 says nothing: its weights are 0, unless those of all queries would be.

    >>> target, weight = relative_regression(np.array([3.0, 0.0, 1.0, 0.0]), np.array([0, 2, 2, 4]))
    >>> target.round(4).tolist(), weight.tolist()
    ([0.6667, 0.0, 0.6667, 0.0], [2.25, 0.75, 0.75, 0.25])
    """
    a = targets * item_weights if item_weights.size else targets
    sizes = np.diff(offsets)
    query = np.repeat(np.arange(sizes.size), sizes)
    mean = np.bincount(query, a, sizes.size) / np.maximum(sizes, 1)
    weights = a + mean[query]
    if not weights.any() and scale is None:
        # No engine bears weights that are all 0; so there is one number to learn, the same for all.
        return np.full(a.size, 0.5), np.ones(a.size)
    shares = np.divide(a, weights, out=np.full(a.size, 0.5), where=weights > 0)
    return shares, weights / weights.mean() if scale is None else weights * scale


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Relative(Loss):
    r"""Squares around 1, weighted by the target, and around 0, weighted by the target's mean over the query.

    **Definition.** :math:`\sum_i a_i (1 - s_i)^2 + \bar a s_i^2` with :math:`a_i = v_i u_i`, of mean
    :math:`\bar a`, and item weights :math:`v_i` that multiply the targets (1 when none are given).
    **Domain**: targets of at least 0.

    **Minimum.** With m = E[u], of mean :math:`\bar m`: :math:`s_i = m_i / (m_i + \bar m)`, since the loss is
    linear in the targets and the gradient is :math:`2 ((m_i + \bar m) s_i - m_i)`. It sorts as E[u] does, and
    stays the same when all targets of a query are multiplied by a number, such as 1/Z of nDCG. It is what
    `Lift` becomes when scores are compared with 1 and 0 in place of each other.

    **Any engine has it.** Up to a number that does not depend on scores it is squared loss on the target
    :math:`a_i / (a_i + \bar a)` with the weight :math:`a_i + \bar a`. `rankproof.lightgbm.relative_target`
    gives both.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.

    Examples
    --------
    >>> Relative().evaluate([1.0, 0.5], [1.0, 3.0], [0, 2]).value  # 0 + 2*1^2 + 3*0.5^2 + 2*0.5^2
    3.25
    """

    name: ClassVar[str] = "relative"
    summary: ClassVar[str] = "weighted regression on the target over itself plus its mean of the query"
    definition: ClassVar[str] = r"\sum_i v_i u_i (1 - s_i)^2 + \tfrac1n \sum_j v_j u_j \, s_i^2"
    reference: ClassVar[str] = "the claims say where its minimum lies; B11 eq. 6 asks the same of pairs"
    needs: ClassVar[Needs] = "nonnegative target"
    takes_item_weights: ClassVar[bool] = True
    boosting: ClassVar[Boosting] = Boosting(
        constant_hessian=True,
        own_unit=False,
        regression=relative_regression,
        catboost="RMSE",
        weights_multiply_targets=True,
    )
    finite_up_to: ClassVar[float] = 1e150

    def linearity(self) -> Claim:
        return linear("u_i times a function of the scores, summed over items")

    @property
    def claims(self) -> Claims:
        minimiser = (
            "linear in u; with m = E[u] the gradient 2 ((m_i + mean(m)) s_i - m_i) is 0 where s_i = m_i / "
            "(m_i + mean(m)), which rises with m_i; if m = 0, any scores will do"
        )
        return Claims(
            Claim("convex", value=True, reference="squares of affine functions with weights of at least 0"),
            Claim("smooth", value=True, reference="a polynomial in the scores"),
            Claim(
                "shift_invariant",
                value=False,
                reference="at its minimum s, s + c costs 2 c^2 times the sum of the targets more",
            ),
            Claim("bounded_below", value=True, reference="every term is at least 0"),
            Claim("order_preserving", value=True, reference=minimiser),
            Claim("weights_keep_order", value=False, reference=TIMES_TARGET),
            Claim("hessian", value="exact", reference="2 (v_i u_i + mean(v u)), and nothing else"),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.relative import relative

        return partial(relative, scores, targets, offsets, item_weights)
