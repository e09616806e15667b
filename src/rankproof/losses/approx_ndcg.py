"""ApproxNDCG: the metric itself with ranks made smooth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import TIMES_TARGET, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting
from rankproof.losses.parameters import number

__all__ = ["ApproxNDCG"]

_VERTEX = (
    "smooth ranks lie in the permutahedron, and the mean of the loss is a concave function of them that "
    "depends on the law through E[u] alone: its infimum lies at the vertices that rank by E[u]"
)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxNDCG(Loss):
    r"""Discounted targets at smooth ranks, negated.

    **Definition.** :math:`-\sum_i v_i u_i / \log_2(1 + r_i)` with the smooth rank :math:`r_i = 1 +
    \sum_{j \ne i} \sigma((s_j - s_i) / T)` and item weights :math:`v_i` that multiply the targets (1 when
    none are given). With the target of nDCG, the gain over the ideal DCG, it is minus ApproxNDCG; with
    the plain gain, minus the same of DCG. **Domain**: targets of at least 0. Not convex: a solver may end
    in a local minimum. Cost: the items with a target times all items. **Minimum.** Its infimum is not
    attained: scores spread without end, in the order of E[u].

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.
    temperature : float
        T: how smooth the ranks are; above 0. The smaller, the nearer to the ranks themselves.

    Examples
    --------
    >>> ApproxNDCG().evaluate([0.0, 0.0], [1.0, 0.0], [0, 2]).value  # rank 3/2: -1 / log2(5/2)
    -0.75647...
    """

    name: ClassVar[str] = "approx-ndcg"
    aliases: ClassVar[tuple[str, ...]] = ("approxndcg",)
    summary: ClassVar[str] = "discounted targets at smooth ranks"
    definition: ClassVar[str] = r"-\sum_i v_i u_i / \log_2(2 + \sum_{j \ne i} \sigma((s_j - s_i) / T))"
    reference: ClassVar[str] = "Qin, Liu & Li, Information Retrieval 2010; Bruch et al., SIGIR 2019"
    needs: ClassVar[Needs] = "nonnegative target"
    takes_item_weights: ClassVar[bool] = True
    boosting: ClassVar[Boosting] = Boosting(weights_multiply_targets=True)
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"temperature": (1, 2.5)}

    temperature: float = 0.1

    def __post_init__(self) -> None:
        temperature = number(self.name, "temperature", self.temperature, "above 0", lambda x: x > 0)
        object.__setattr__(self, "temperature", temperature)

    def linearity(self) -> Claim:
        return linear("u_i times a function of the scores, summed over items")

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=False, reference="bounded and not constant"),
            Claim("smooth", value=True, reference="a composition of analytic functions, ranks being above 1"),
            Claim("shift_invariant", value=True, reference="only differences of scores occur"),
            Claim("bounded_below", value=True, reference="ranks are above 1: at least minus the sum of u"),
            Claim("order_preserving", value=True, reference=_VERTEX),
            Claim("weights_keep_order", value=False, reference=TIMES_TARGET),
            Claim("hessian", value="exact", reference="second derivative by the chain rule; of either sign"),
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.approx_ndcg import approx_ndcg

        return partial(approx_ndcg, scores, targets, offsets, item_weights, float(self.temperature))
