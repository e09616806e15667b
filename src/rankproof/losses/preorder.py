"""The preorder loss: pairs with different labels, the better item against the worse one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.errors import DataError
from rankproof.losses.base import Loop, Loss, Needs, not_linear, registered
from rankproof.losses.margins import MARGINS, WIDTH, Margin
from rankproof.losses.pairwise import (
    as_margin,
    as_pieces,
    margin_claims,
    margin_of,
    sorter,
    user_loops,
)
from rankproof.metrics.parameters import choice

__all__ = ["PRESETS", "Preorder"]

# What other names mean: parameters of the preorder loss.
PRESETS: dict[str, dict[str, Any]] = {
    "RankSVM": {"margin": "hinge"},
    "RankBoost": {"margin": "exponential"},
    "RankNet": {"margin": "logistic"},
}

# weight -> (what a pair weighs in the kernels, divided by the number of pairs?)
_WEIGHTS = {
    "one": (0, False),
    "pairs": (0, True),
    "difference": (1, False),
    "gain": (2, False),
    "gain-pairs": (2, True),
}
# Largest labels whose weights, summed over all pairs of a list, neither overflow nor vanish.
_LARGEST = {"difference": 1e280, "gain": 900.0, "gain-pairs": 900.0}


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Preorder(Loss):
    r"""Pairwise loss over the pairs whose labels differ.

    **Definition.** :math:`\sum_{y_i > y_j} w_{ij}\, \varphi(s_i - s_j)` with :math:`w_{ij} = 1`
    (``weight=one``), 1 over the number of such pairs (``pairs``), :math:`y_i - y_j` (``difference``),
    :math:`2^{y_i} - 2^{y_j}` (``gain``), or the latter over the number of pairs (``gain-pairs``). The
    margin :math:`\varphi` is ``hinge`` (RankSVM), ``squared-hinge``, ``huber`` (of the given ``width``),
    ``logistic`` (RankNet), ``exponential`` (RankBoost), or a `Margin` of your own. **Domain**: any labels
    (within -900..900 with ``gain``). A query whose labels are all equal costs 0. **Minimum.** The mean of
    the loss is a mixture over pairs and its minimiser need not sort as E[y] does, nor as any E[u(y)]; under
    rank-differentiable noise it is consistent with WPDL (L12 Th. 5). **Cost.** O(n log n log g) with g
    distinct labels for the three hinges, O(n + g log g) for the exponential margin, O(n^2) for the logistic
    one and for your own. Scores beyond 1e300 count as 1e300; what would overflow is held at 1e304.

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    margin : "hinge", "squared-hinge", "huber", "logistic", "exponential" or a Margin
        What a pair costs, as a function of t = s_i - s_j: max(0, 1 - t); its square; the hinge with its kink
        rounded off; log(1 + exp(-t)); exp(-t); or a `rankproof.Margin` of your own.
    width : float
        With ``margin="huber"``: how far on either side of t = 1 the hinge is rounded off; above 0.
    weight : "one", "pairs", "difference", "gain" or "gain-pairs"
        What a pair with y_i > y_j weighs: 1; 1 over the number of such pairs; ``y_i - y_j``;
        ``2**y_i - 2**y_j``; or the latter over the number of pairs.

    Examples
    --------
    >>> Preorder(margin="hinge").evaluate([0.0, 0.5, 3.0], [2.0, 1.0, 1.0], [0, 3]).value  # 1.5 + 4
    5.5
    """

    name: ClassVar[str] = "preorder"
    aliases: ClassVar[tuple[str, ...]] = ("pairwise",)
    summary: ClassVar[str] = "pairs with different labels: RankSVM, RankNet, RankBoost"
    definition: ClassVar[str] = r"\sum_{y_i > y_j} w_{ij}\, \varphi(s_i - s_j)"
    reference: ClassVar[str] = "B11 eq. 5 and 14; L12 eq. 6; Joachims, KDD 2002; Freund et al., JMLR 4, 2003"
    needs: ClassVar[Needs] = "labels"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"weight": tuple(_WEIGHTS)}
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"margin": tuple(MARGINS), "width": (1,)}

    margin: str | Margin = "squared-hinge"
    width: float = WIDTH
    weight: str = "one"

    def __post_init__(self) -> None:
        kept, width = as_margin(self.name, self.margin, self.width)
        object.__setattr__(self, "margin", kept)
        object.__setattr__(self, "width", width)
        choice(self.name, "weight", self.weight, self.choices["weight"])

    def linearity(self) -> Claim:
        return not_linear("labels (1, 0) and (0, 1), half each, have a pair either way; their mean has none")

    @property
    def claims(self) -> Claims:
        return Claims(
            *margin_claims(margin_of(self.margin, self.width)),
            Claim(
                "order_preserving",
                value=False,
                reference="B11 §3, after Duchi, Mackey & Jordan 2010, Th. 11: it weighs pairs, not items",
            ),
        )

    def check_targets(self, targets: Float64s) -> None:
        most = _LARGEST.get(self.weight)
        if most is not None and targets.size and np.abs(targets).max() > most:
            at = int(np.abs(targets).argmax())
            raise DataError(
                f"Loss preorder with weight={self.weight} takes labels within -{most:g}..{most:g}, "
                f"got {targets[at]:g} at item {at}. Use smaller grades or weight=one."
            )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:  # noqa: ARG002
        phi = margin_of(self.margin, self.width)
        weight, per_pair = _WEIGHTS[self.weight]
        if isinstance(self.margin, Margin) and phi.pieces is None:
            return partial(user_loops(phi).preorder, scores, targets, offsets, weight, per_pair)
        numbers = np.empty(scores.size, np.int32)
        sort = None
        if phi.name == "exponential":
            from rankproof.kernels.losses.pairwise_exponential import preorder_exponential

            loop = partial(preorder_exponential, scores, targets, numbers, offsets, weight, per_pair)
        elif (pieces := as_pieces(phi)) is None:
            from rankproof.kernels.losses.preorder_logistic import preorder_logistic

            loop = partial(preorder_logistic, scores, targets, numbers, offsets, weight, per_pair)
        else:
            from rankproof.kernels.losses.preorder import preorder

            order, sort = sorter(scores, offsets)
            loop = partial(preorder, scores, targets, numbers, offsets, order, pieces, weight, per_pair)

        def fill(low: int, high: int, values: Float64s, gradient: Float64s, hessian: Float64s) -> None:
            _number(targets, offsets, low, high, numbers)
            if sort is not None:
                sort(low, high)
            loop(low, high, values, gradient, hessian)

        return fill


def _number(labels: Float64s, offsets: Int64s, low: int, high: int, numbers: Any) -> None:
    """Labels as whole numbers in the same order, query by query."""
    from rankproof.kernels.metrics.grades import number_labels, whole_grades

    first, last = offsets[low], offsets[high]
    if whole_grades(labels[first:last], numbers[first:last]) < 0:
        number_labels(labels, offsets, low, high, numbers)
