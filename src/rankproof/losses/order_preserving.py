"""The order-preserving pairwise loss: every pair is compared, each item has a weight of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import TIMES_TARGET, Loop, Loss, Needs, linear, registered
from rankproof.losses.boosting import Boosting
from rankproof.losses.margins import MARGINS, WIDTH, Margin, theorem_1
from rankproof.losses.pairwise import (
    any_order,
    as_margin,
    as_pieces,
    margin_claims,
    margin_of,
    sorter,
    user_loops,
)
from rankproof.metrics.parameters import choice

__all__ = ["OrderPreserving"]

_TH_1 = "B11 Th. 1"
_LIMIT = (
    "B11 Th. 1, whose proof of the order needs condition 1 alone; without a flat point the minimum is "
    "attained when every E[u_i] > 0, and else approached in the same order"
)
_KINK = "not differentiable: u = (1, 0.4, 0.3) is at its minimum at s = (1, 0, 0), which ties items 2 and 3"
_UNKNOWN = "B11 Th. 1 asks for facts that the margin does not claim"


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class OrderPreserving(Loss):
    r"""Pairwise loss over all ordered pairs, weighted by the target of the first item.

    **Definition.** :math:`\sum_i v_i u_i \sum_{j \ne i} \varphi(s_i - s_j)`, with item weights :math:`v_i`
    (1 when none are given) and the margin :math:`\varphi`: ``hinge``, ``squared-hinge``, ``huber`` (of the
    given ``width``), ``logistic``, ``exponential``, or a `Margin` of your own. ``normalize`` divides by n
    (n - 1). The printed equation also counts j = i, which adds a constant. **Domain**: targets of at least
    0. **Minimum.** Expected loss: sorts as E[u] does, for every margin of B11's Theorem 1 (convex,
    non-increasing, differentiable, phi'(0) < 0, phi(t) < phi(-t) for t > 0); a flat point makes sure that
    it is attained. The hinge is not differentiable and may tie items that E[u] tells apart. **Cost.** O(n
    log n) for the three hinges, O(n) for the exponential margin, O(n^2) for the logistic one and for your
    own. Scores beyond 1e300 count as 1e300; what would overflow is held at 1e304.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.
    margin : "hinge", "squared-hinge", "huber", "logistic", "exponential" or a Margin
        What a pair costs, as a function of t = s_i - s_j: max(0, 1 - t); its square; the hinge with its kink
        rounded off; log(1 + exp(-t)); exp(-t); or a `rankproof.Margin` of your own.
    width : float
        With ``margin="huber"``: how far on either side of t = 1 the hinge is rounded off; above 0.
    normalize : bool
        Whether to divide by the number of ordered pairs, n (n - 1).

    Examples
    --------
    >>> OrderPreserving().evaluate([0.0, 0.5], [1.0, 3.0], [0, 2]).value  # 1*(1 + 0.5)^2 + 3*(1 - 0.5)^2
    3.0
    """

    name: ClassVar[str] = "order-preserving"
    aliases: ClassVar[tuple[str, ...]] = ("order_preserving", "consistent-pairwise")
    summary: ClassVar[str] = "all pairs, weighted by the target of the first item"
    definition: ClassVar[str] = r"\sum_i v_i u_i \sum_{j \ne i} \varphi(s_i - s_j)"
    reference: ClassVar[str] = "B11 eq. 6 and Th. 1; Zhang, JMLR 5, 2004, Th. 5"
    needs: ClassVar[Needs] = "nonnegative target"
    takes_item_weights: ClassVar[bool] = True
    boosting: ClassVar[Boosting] = Boosting(weights_multiply_targets=True)
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"normalize": (False, True)}
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"margin": tuple(MARGINS), "width": (1,)}

    margin: str | Margin = "squared-hinge"
    width: float = WIDTH
    normalize: bool = False

    def __post_init__(self) -> None:
        kept, width = as_margin(self.name, self.margin, self.width)
        object.__setattr__(self, "margin", kept)
        object.__setattr__(self, "width", width)
        choice(self.name, "normalize", self.normalize, self.choices["normalize"])

    def linearity(self) -> Claim:
        return linear("u_i times a function of the scores, summed over items")

    @property
    def claims(self) -> Claims:
        phi = margin_of(self.margin, self.width)
        moved = Claim("weights_keep_order", value=False, reference=TIMES_TARGET)
        return Claims(*margin_claims(phi), _order_claim(phi), moved)

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        phi = margin_of(self.margin, self.width)
        if isinstance(self.margin, Margin) and phi.pieces is None:
            loop = user_loops(phi).order_preserving
            return partial(loop, scores, targets, offsets, item_weights, self.normalize)
        if phi.name == "exponential":
            from rankproof.kernels.losses.pairwise_exponential import order_preserving_exponential

            return partial(
                order_preserving_exponential, scores, targets, offsets, item_weights, self.normalize
            )
        from rankproof.kernels.losses.order_preserving import order_preserving, order_preserving_logistic

        if phi.name == "logistic":
            places = any_order(offsets)
            return partial(
                order_preserving_logistic, scores, targets, offsets, item_weights, places, self.normalize
            )
        order, sort = sorter(scores, offsets)
        loop = partial(
            order_preserving, scores, targets, offsets, item_weights, order, as_pieces(phi), self.normalize
        )

        def fill(low: int, high: int, values: Float64s, gradient: Float64s, hessian: Float64s) -> None:
            sort(low, high)
            loop(low, high, values, gradient, hessian)

        return fill


def _order_claim(phi: Margin) -> Claim:
    if phi.name == "hinge":
        return Claim("order_preserving", value=False, reference=_KINK)
    meets = theorem_1(phi.claims)
    if not meets:
        return Claim("order_preserving", value=None, reference=_UNKNOWN)
    flat = phi.claims.value("flat_point") is not None
    return Claim("order_preserving", value=True, reference=_TH_1 if flat else _LIMIT)
