"""Duchi's loss for preference graphs: linear in the scores, with a strictly convex penalty on each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.feedback import PreferenceGraph
from rankproof.losses.base import ITEM_BY_ITEM, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting
from rankproof.losses.parameters import number
from rankproof.metrics.parameters import choice

__all__ = ["Duchi", "net_weights"]


def net_weights(graph: PreferenceGraph) -> Float64s:
    """What leaves each item less what enters it: the sum over k of a_ik - a_ki.

    >>> net_weights(PreferenceGraph({(0, 1): 2, (1, 2): 1}))
    array([ 2., -1., -1.])
    """
    net = np.zeros(graph.items)
    for i, j, weight in graph.edges:
        net[i] += float(weight)
        net[j] -= float(weight)
    return net


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Duchi(Loss):
    r"""Linear loss on a preference graph with a penalty on the scores.

    **Definition.** :math:`\sum_{i \to j} a_{ij} (s_j - s_i) + \nu \sum_i r(s_i)` with r strictly convex
    and 1-coercive: :math:`r(s) = s^2` (``penalty=square``) or :math:`\cosh(s) - 1` (``penalty=cosh``).
    The first sum is :math:`-\sum_i s_i u_i` with the net weight :math:`u_i = \sum_k (a_{ik} - a_{ki})`,
    so the loss reads one number per item: `net_weights` of the graph. Item weights multiply the item's
    share, :math:`\nu r(s_i) - s_i u_i`. **Minimum.** Expected loss: :math:`r'(s_i) = E[u_i] / \nu`, which
    sorts as E[u] does.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.
    nu : float
        The weight of the penalty; above 0.
    penalty : "square" or "cosh"
        What a score s costs: ``s**2`` or ``cosh(s) - 1``.

    Examples
    --------
    >>> u = net_weights(PreferenceGraph({(0, 1): 2}))
    >>> Duchi(nu=1).evaluate([1.0, 3.0], u, [0, 2]).value  # 2 (3 - 1) + 1^2 + 3^2
    14.0
    """

    name: ClassVar[str] = "duchi"
    aliases: ClassVar[tuple[str, ...]] = ("penalised-linear", "penalized-linear")
    summary: ClassVar[str] = "linear in the scores, with a strictly convex penalty on each"
    definition: ClassVar[str] = r"\sum_{i \to j} a_{ij} (s_j - s_i) + \nu \sum_i r(s_i)"
    reference: ClassVar[str] = "Duchi, Mackey & Jordan, ICML 2010; B11 §5.3"
    needs: ClassVar[Needs] = "target"
    takes_item_weights: ClassVar[bool] = True
    boosting: ClassVar[Boosting] = Boosting(own_unit=False)
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"penalty": ("square", "cosh")}
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"nu": (0.3,)}
    finite_up_to: ClassVar[float] = 500.0

    nu: float = 1
    penalty: str = "square"

    def __post_init__(self) -> None:
        object.__setattr__(self, "nu", number(self.name, "nu", self.nu, "above 0", lambda x: x > 0))
        choice(self.name, "penalty", self.penalty, self.choices["penalty"])

    def linearity(self) -> Claim:
        return linear("preferences weigh the differences of u; the penalty has none of u")

    @property
    def claims(self) -> Claims:
        second = "2 nu" if self.penalty == "square" else "nu cosh(s_i)"
        minimiser = "the derivative of r is strictly increasing, and r'(s_i) = E[u_i] / nu at the minimum"
        return Claims(
            Claim("convex", value=True, reference="r is convex, the rest linear"),
            Claim("smooth", value=True, reference="r is analytic"),
            Claim("shift_invariant", value=False, reference="the penalty grows with a shift"),
            Claim(
                "bounded_below", value=True, reference="r is 1-coercive: it outgrows every linear function"
            ),
            Claim("order_preserving", value=True, reference=minimiser),
            Claim("hessian", value="exact", reference=f"the second derivative is v_i {second}"),
            Claim("weights_keep_order", value=True, reference=ITEM_BY_ITEM),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.duchi import penalised_linear

        cosh = self.penalty == "cosh"
        return partial(penalised_linear, scores, targets, offsets, item_weights, float(self.nu), cosh)
