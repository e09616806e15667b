"""LambdaRank and LambdaLoss: logistic pairs, weighted by what exchanging them would do to nDCG now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s, as_whole_number
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, not_linear, registered
from rankproof.losses.parameters import number
from rankproof.metrics.discounted import (
    Discount,
    Gain,
    as_discount,
    as_gain,
    check_gain,
    discount_table,
    gain_table,
)
from rankproof.metrics.parameters import choice

__all__ = ["LambdaLoss", "LambdaRank"]

_JUMPS = "the weights jump where two scores change places"
_NO_FUNCTION = (
    "Burges 2010: the lambdas are derivatives with the weights held fixed, of no one function of the scores"
)
_WITNESS = (
    "labels (3, 0) with probability 0.4, else (0, 1): E[y] = (1.2, 0.6), but nDCG gives both preferences the "
    "same weight, and at the minimum the second item leads"
)

_ONE_WAY = "labels (1, 0) and (0, 1), half each, have a pair either way; their mean has none"


def _claims() -> Claims:
    return Claims(
        Claim("convex", value=False, reference=_NO_FUNCTION),
        Claim("smooth", value=False, reference=_JUMPS),
        Claim("shift_invariant", value=True, reference="ranks and differences of scores alone occur"),
        Claim("bounded_below", value=True, reference="a sum of logistic terms with weights of at least 0"),
        Claim("order_preserving", value=False, reference=_WITNESS),
        Claim(
            "hessian", value="exact", reference="second derivative of the logistic pairs, weights held fixed"
        ),
    )


@lru_cache(maxsize=16)
def _tables(discount: Discount, ranks: int, cutoff: int | None) -> Float64s:
    """Discounts of ranks 1, 2, ...; delta_m = d(m) - d(m + 1); running sums of running sums of delta."""
    weights, _ = discount_table(discount, ranks, cutoff)
    long, _ = discount_table(discount, ranks + 1, None)
    delta = np.concatenate(([0.0], long[:-1] - long[1:]))
    tables = np.zeros((3, ranks + 2))
    tables[0, :ranks] = weights
    tables[1, : ranks + 1] = delta
    tables[2, 1:] = np.cumsum(np.cumsum(delta))
    return tables


def _fill(
    scores: Float64s,
    labels: Float64s,
    offsets: Int64s,
    gain: Gain,
    tables: Float64s,
    sigma: float,
    rho: float,
    mu: float,
) -> Loop:
    from rankproof.kernels.losses.lambdas import lambdas
    from rankproof.kernels.metrics.order import gather, sort_queries

    items, depth, tied = scores.size, np.diff(offsets), np.empty(offsets.size - 1, np.bool_)
    order, ends = np.empty(items, np.int32), np.empty(items, np.int32)
    best, unused, ideal = np.empty(items, np.int32), np.empty(items, np.int32), np.empty(items)
    gains = _gains(labels, gain)

    def fill(low: int, high: int, values: Float64s, gradient: Float64s, hessian: Float64s) -> None:
        sort_queries(gains, offsets, depth, best, unused, tied, low, high)
        gather(gains, offsets, best, ideal, low, high)
        sort_queries(scores, offsets, depth, order, ends, tied, low, high)
        arrays = (scores, gains, ideal, offsets, order, ends, tied, tables)
        lambdas(*arrays, sigma, rho, mu, low, high, values, gradient, hessian)

    return fill


def _gains(labels: Float64s, gain: Gain) -> Float64s:
    table, formula = gain_table(gain)
    if formula == 2:
        return table[labels.astype(np.int64)]
    positive = np.maximum(labels, 0.0)
    return np.exp2(positive) - 1.0 if formula == 0 else positive


def _longest(offsets: Int64s) -> int:
    return int(np.diff(offsets).max(initial=1))


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class LambdaRank(Loss):
    r"""Logistic pairs, weighted by the change of nDCG if the two items were exchanged.

    **Definition.** :math:`\sum_{y_i > y_j} |\Delta_{ij}| \log(1 + e^{-\sigma (s_i - s_j)})` with
    :math:`\Delta_{ij} = (g(y_i) - g(y_j)) (d(\pi_i) - d(\pi_j)) / \max \mathrm{DCG@K}` at the ranking
    :math:`\pi` of the scores as they are. Equal scores: the mean of :math:`|\Delta|` over all rankings that
    sort them, so no order of the rows shows. The gradient holds the weights fixed: it is that of no one
    function, and what training with it ends at is no minimum of this value. **Domain**: any labels; a grade
    below 0 is worth 0; a query without gains costs 0. **Cost.** O(n^2), with a cutoff O(K n).

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    cutoff : int, optional
        The K of the nDCG whose changes are the weights; all ranks count without it.
    gain : "exp", "linear" or a table
        What a grade is worth: ``2**y - 1``, ``y`` itself, or a table (``gain=[0,1,5]``: the worth of the
        grades 0, 1, 2, ...) that never falls. A grade below 0 is worth 0.
    discount : "log2", "letor", "ln", "reciprocal" or a table
        What rank k counts: ``1 / log2(1 + k)``; 1 at ranks 1 and 2 and ``1 / log2(k)`` below;
        ``1 / ln(1 + k)``; ``1 / k``; or a table (``discount=[1,0.5]``: ranks 1, 2, ...), with 0 beyond it.
    sigma : float
        The factor of the difference of two scores; above 0.

    Examples
    --------
    >>> import math
    >>> LambdaRank().evaluate([0.0, 0.0], [0.0, 1.0], [0, 2]).value / math.log(2)  # |1 - 1/log2(3)|
    0.36907...
    """

    name: ClassVar[str] = "lambdarank"
    aliases: ClassVar[tuple[str, ...]] = ("lambda-rank", "lambdamart")
    summary: ClassVar[str] = "logistic pairs weighted by the change of nDCG"
    definition: ClassVar[str] = r"\sum_{y_i > y_j} |\Delta_{ij}| \log(1 + e^{-\sigma (s_i - s_j)})"
    reference: ClassVar[str] = "Burges, Ragno & Le, NIPS 2006; Burges, MSR-TR-2010-82"
    needs: ClassVar[Needs] = "labels"
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {
        "cutoff": (None, 1, 3),
        "discount": ("reciprocal",),
        "gain": ("linear", (0.0, 1.0, 1.5, 5.0, 9.0)),
        "sigma": (2.5,),
    }

    cutoff: int | None = None
    gain: Gain = "exp"
    discount: Discount = "log2"
    sigma: float = 1

    def __post_init__(self) -> None:
        if self.cutoff is not None:
            as_whole_number(f"cutoff of {self.name}", self.cutoff, 1)
        _check(self)

    def linearity(self) -> Claim:
        return not_linear(_ONE_WAY)

    @property
    def claims(self) -> Claims:
        return _claims()

    def check_targets(self, targets: Float64s) -> None:
        check_gain(f"Loss {self.name}", self.gain, targets)

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:  # noqa: ARG002
        tables = _tables(self.discount, _longest(offsets), self.cutoff)
        return _fill(scores, targets, offsets, self.gain, tables, float(self.sigma), 1.0, 0.0)


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class LambdaLoss(Loss):
    r"""Logistic pairs with the weights of NDCG-Loss2 or NDCG-Loss2++.

    **Definition.** :math:`\sum_{y_i > y_j} |G_i - G_j|\, w_{ij} \log(1 + e^{-\sigma (s_i - s_j)})` with
    gains G over the ideal DCG and :math:`w_{ij} = \delta_{|\pi_i - \pi_j|}`, :math:`\delta_m = d(m) - d(m +
    1)` (``scheme=loss2``), or :math:`|d(\pi_i) - d(\pi_j)| + \mu\, \delta_{|\pi_i - \pi_j|}`
    (``scheme=loss2pp``), at the ranking :math:`\pi` of the scores as they are; natural logarithms. Equal
    scores: the mean weight over all rankings that sort them. The gradient holds the weights fixed, as in
    `LambdaRank`. **Domain**: any labels; a grade below 0 is worth 0; a query without gains costs 0.
    **Cost.** O(n^2).

    Parameters
    ----------
    target : None
        This loss reads the labels as they are and cannot be aimed at a metric.
    scheme : "loss2pp" or "loss2"
        The weights of a pair: those of NDCG-Loss2++ or of NDCG-Loss2.
    mu : float
        With ``scheme="loss2pp"``: the weight of the part that NDCG-Loss2 has; above 0.
    gain : "exp", "linear" or a table
        What a grade is worth: ``2**y - 1``, ``y`` itself, or a table (``gain=[0,1,5]``: the worth of the
        grades 0, 1, 2, ...) that never falls. A grade below 0 is worth 0.
    discount : "log2", "letor", "ln", "reciprocal" or a table
        What rank k counts: ``1 / log2(1 + k)``; 1 at ranks 1 and 2 and ``1 / log2(k)`` below;
        ``1 / ln(1 + k)``; ``1 / k``; or a table (``discount=[1,0.5]``: ranks 1, 2, ...), with 0 beyond it.
    sigma : float
        The factor of the difference of two scores; above 0.

    Examples
    --------
    >>> import math
    >>> LambdaLoss(scheme="loss2").evaluate([1.0, 1.0], [1.0, 0.0], [0, 2]).value / math.log(2)  # d(1) - d(2)
    0.36907...
    """

    name: ClassVar[str] = "lambdaloss"
    aliases: ClassVar[tuple[str, ...]] = ("lambda-loss",)
    summary: ClassVar[str] = "logistic pairs weighted by a bound on nDCG"
    definition: ClassVar[str] = r"\sum_{y_i > y_j} |G_i - G_j|\, w_{ij} \log(1 + e^{-\sigma (s_i - s_j)})"
    reference: ClassVar[str] = "Wang, Li, Golbandi, Bendersky & Najork, CIKM 2018"
    needs: ClassVar[Needs] = "labels"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"scheme": ("loss2pp", "loss2")}
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {
        "discount": ("reciprocal",),
        "gain": ("linear", (0.0, 1.0, 1.5, 5.0, 9.0)),
        "mu": (0.5,),
        "sigma": (2.5,),
    }

    scheme: str = "loss2pp"
    mu: float = 10
    gain: Gain = "exp"
    discount: Discount = "log2"
    sigma: float = 1

    def __post_init__(self) -> None:
        choice(self.name, "scheme", self.scheme, self.choices["scheme"])
        object.__setattr__(self, "mu", number(self.name, "mu", self.mu, "above 0", lambda x: x > 0))
        _check(self)

    def linearity(self) -> Claim:
        return not_linear(_ONE_WAY)

    @property
    def claims(self) -> Claims:
        return _claims()

    def check_targets(self, targets: Float64s) -> None:
        check_gain(f"Loss {self.name}", self.gain, targets)

    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:  # noqa: ARG002
        tables = _tables(self.discount, _longest(offsets), None)
        rho, mu = (1.0, float(self.mu)) if self.scheme == "loss2pp" else (0.0, 1.0)
        return _fill(scores, targets, offsets, self.gain, tables, float(self.sigma), rho, mu)


def _check(loss: LambdaRank | LambdaLoss) -> None:
    object.__setattr__(loss, "gain", as_gain(loss.name, loss.gain))
    object.__setattr__(loss, "discount", as_discount(loss.name, loss.discount))
    object.__setattr__(loss, "sigma", number(loss.name, "sigma", loss.sigma, "above 0", lambda x: x > 0))
