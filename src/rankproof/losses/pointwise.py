"""Pointwise losses on labels: logistic regression on relevance, and ordinal regression on grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.base import ITEM_BY_ITEM, Loop, Loss, Needs, not_linear, registered
from rankproof.losses.parameters import number

__all__ = ["Ordinal", "PointwiseLogistic"]


def _logistic_claims(order_preserving: Claim) -> Claims:
    return Claims(
        Claim("convex", value=True, reference="log(1 + exp(t)) is convex"),
        Claim("smooth", value=True, reference="log(1 + exp(t)) is analytic"),
        Claim("shift_invariant", value=False, reference="the thresholds stay where they are"),
        Claim("bounded_below", value=True, reference="every term is above 0"),
        order_preserving,
        Claim("hessian", value="exact", reference="sum over the thresholds of v_i p (1 - p)"),
        Claim("weights_keep_order", value=True, reference=ITEM_BY_ITEM),
    )


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class PointwiseLogistic(Loss):
    r"""Logistic regression on whether an item is relevant.

    **Definition.** :math:`\sum_i v_i \log(1 + e^{-z_i s_i})` with :math:`z_i = 1` when :math:`y_i \ge rel`,
    else -1, and item weights :math:`v_i` (1 when none are given). **Minimum.** Expected loss:
    :math:`s_i = \log(p / (1 - p))` with :math:`p = P(y_i \ge rel)`: it sorts by the probability of relevance,
    which is E[y] for labels 0 and 1 (and rel=1), but not for grades.

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    rel : float
        The lowest label of a relevant item.

    Examples
    --------
    >>> import math
    >>> PointwiseLogistic().evaluate([0.0, 0.0], [2.0, 0.0], [0, 2]).value / math.log(2)  # log 2 twice
    2.0
    """

    name: ClassVar[str] = "pointwise-logistic"
    summary: ClassVar[str] = "logistic regression on relevance"
    definition: ClassVar[str] = r"\sum_i v_i \log(1 + e^{-z_i s_i}),\ z_i = \pm 1\ \text{as}\ y_i \ge rel"
    reference: ClassVar[str] = "Cox, J. R. Stat. Soc. B 1958"
    needs: ClassVar[Needs] = "labels"
    takes_item_weights: ClassVar[bool] = True
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"rel": (2,)}

    rel: float = 1

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "rel", number(self.name, "rel", self.rel, "that is finite", lambda x: x == x)
        )

    def linearity(self) -> Claim:
        return not_linear("labels 0 and 2, half each, are relevant at times; their mean 1 always")

    @property
    def claims(self) -> Claims:
        return _logistic_claims(
            Claim(
                "order_preserving",
                value=False,
                reference="it sorts by P(y >= rel), whatever the grades above and below weigh in E[y]",
                note="True for labels 0 and 1 with 0 < rel <= 1, where P(y >= rel) is E[y]",
            )
        )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.pointwise import all_thresholds

        rel = np.array([float(self.rel)])
        return partial(all_thresholds, scores, targets, offsets, item_weights, np.zeros(1), rel)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Ordinal(Loss):
    r"""Ordinal regression in the all-threshold form, with thresholds that are given, not learnt.

    **Definition.** :math:`\sum_i v_i \sum_k \log(1 + e^{-z_{ik} (s_i - t_k)})` with :math:`z_{ik} = 1`
    when :math:`y_i \ge k`, else -1, for the thresholds :math:`t_1 < t_2 < \dots`; threshold k parts grade
    k from the grades below. Item weights :math:`v_i` are 1 when none are given. **Domain**: whole grades
    from 0 to the number of thresholds. **Minimum.** Expected loss: the sum over k of :math:`\sigma(s_i -
    t_k)` equals :math:`E[y_i]`, so it sorts as E[y] does: a regression on the grade whose predictions
    stay between 0 and the highest.

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    thresholds : sequence of float
        Rising numbers t_1, t_2, ...: threshold k parts grade k from the grades below.

    Examples
    --------
    >>> import math
    >>> Ordinal(thresholds=[0]).evaluate([0.0], [1.0], [0, 1]).value / math.log(2)
    1.0
    """

    name: ClassVar[str] = "ordinal"
    aliases: ClassVar[tuple[str, ...]] = ("all-threshold",)
    summary: ClassVar[str] = "ordinal regression on grades, logistic at every threshold"
    definition: ClassVar[str] = r"\sum_i v_i \sum_k \log(1 + e^{-z_{ik} (s_i - t_k)})"
    reference: ClassVar[str] = "Rennie & Srebro, IJCAI workshop 2005; Pedregosa, Bach & Gramfort, JMLR 2017"
    needs: ClassVar[Needs] = "labels"
    takes_item_weights: ClassVar[bool] = True
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"thresholds": ((0.0, 2.0), (-1.0,))}

    thresholds: tuple[float, ...] = (-1.5, -0.5, 0.5, 1.5)

    def __post_init__(self) -> None:
        numbers: Any = self.thresholds
        if not isinstance(numbers, (list, tuple, np.ndarray)) or not len(numbers):
            raise ArgumentError(f"Argument thresholds of ordinal must be a list of numbers, got {numbers!r}.")
        thresholds = tuple(
            number(self.name, "thresholds", t, "at every place", lambda x: x == x) for t in list(numbers)
        )
        if any(a >= b for a, b in pairwise(thresholds)):
            raise ArgumentError(f"Argument thresholds of ordinal must rise, got {list(numbers)}.")
        object.__setattr__(self, "thresholds", thresholds)

    def linearity(self) -> Claim:
        return not_linear("it takes whole grades alone, which a mean of grades need not be")

    @property
    def claims(self) -> Claims:
        return _logistic_claims(
            Claim(
                "order_preserving",
                value=True,
                reference="the derivative of the mean is sum_k sigma(s_i - t_k) - E[number of k <= y_i], and "
                "that number is y_i for whole grades from 0 to the number of thresholds",
            )
        )

    def check_targets(self, targets: Float64s) -> None:
        """Whole grades within the thresholds; the sum over thresholds would read others wrongly."""
        most = len(self.thresholds)
        bad = (targets != np.floor(targets)) | (targets < 0) | (targets > most)
        if bad.any():
            at = int(np.argmax(bad))
            raise DataError(
                f"Loss ordinal with {most} thresholds needs whole grades from 0 to {most}, "
                f"got {targets[at]:g} at item {at}. Give a threshold per grade above 0, or clip the labels."
            )

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        from rankproof.kernels.losses.pointwise import all_thresholds

        thresholds = np.array(self.thresholds, dtype=np.float64)
        grades = np.arange(1.0, thresholds.size + 1.0)
        return partial(all_thresholds, scores, targets, offsets, item_weights, thresholds, grades)
