"""Excess risk: how much of a metric can be lost by scores whose expected loss is not quite the least.

On average over the labels, a positional metric gives a ranking the value const + sum_k c_k v_(item at k) with
v = E[u], in gain form. Let c_π be the vector of weights that the items get from the ranking π, π* a best
ranking, and ρ a ranking that sorts the scores s. A loss that claims ``strongly_convex`` says that s costs at
least C_phi |v - b|^2 more than the least, for some b that ρ sorts. So

    regret = <c_π* - c_ρ, v - b> + <c_π* - c_ρ, b> <= |c_π* - c_ρ|_* |v - b| <= C_F sqrt(r / C_phi),

where the second product is at most 0, because ρ is best for b, |.|_* is the dual norm, and r the regret of
the loss. C_F is the largest |c_π - c_ρ|_* of any two rankings. In the dual of an l_p norm that is a sum of a
convex function of differences, so a ranking and its reverse have it: C_F = |c - reverse(c)|_*. It is never
more than the 2 |c|_* of R11 Th. 10, nor, in the l2 norm, than sqrt(2 sum_k c_k^2). On average over queries
the same follows by Jensen's inequality, and for tied scores because it holds for every ranking that sorts
them.

Let gamma be the least (c_l - c_(l+1)) (v_(l) - v_(l+1)) of a query, v sorted, over the ranks l at which the
weight falls. A ranking that is not best loses at least that: sum by parts, its loss is the sum over l and m
of (c_l - c_(l+1)) (v_(m) - v_(m+1)) times min(l, m) less the number of its first l items among the best m;
no term is negative, and the term l = m counts once at least for some l at which the weight falls. Where
E[gamma^-a] = C_gamma, Hölder's inequality gives E[regret] <= E[regret^2]^((a+1)/(a+2)) C_gamma^(1/(a+2)),
which is R11 Th. 11.

>>> print(excess_bound("squared", "nDCG@10", 10, 0.0001).formula)
regret of nDCG@10 <= C_F / sqrt(C_phi) sqrt(r) = 0.0114781, with C_F = |c - reverse(c)| = 1.14781 in the l2
norm (dual of l2) over the weights c of ranks 1..10, C_phi = 1, r = 0.0001
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, as_whole_number
from rankproof.claims import Claim
from rankproof.errors import ArgumentError
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.parameters import number
from rankproof.losses.parse import loss as loss_of
from rankproof.losses.squared import Squared
from rankproof.metrics.base import Metric
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounted import discount_table
from rankproof.metrics.ndcg import NDCG
from rankproof.metrics.parse import metric as metric_of
from rankproof.plain import html_text, json_text, plain_fields
from rankproof.targets.base import Target
from rankproof.targets.choose import target_for
from rankproof.targets.gain import GainTarget
from rankproof.targets.normalised_gain import NormalisedGain
from rankproof.targets.pair_share import PairShare
from rankproof.targets.relevance import Relevance
from rankproof.targets.relevance_share import RelevanceShare
from rankproof.targets.satisfaction import Satisfaction
from rankproof.theory.rank_weights import check_positional, check_target, rank_weights

__all__ = ["Bound", "excess_bound", "regression_bound"]

# Rounding errors of the arithmetic below stay on the safe side.
_UP = 1.0 + 1e-12
_PER_MASS = " per mass"


@dataclass(frozen=True)
class Bound:
    """An upper bound of a metric's regret: the number, how it is made, why it holds, and when.

    ``rank_constant`` is C_F, ``convexity_constant`` is C_phi (half the constant that the loss claims, as R11
    has it), ``norm`` is the norm in which C_phi holds.
    """

    value: float
    formula: str
    reference: str
    conditions: tuple[str, ...]
    rank_constant: float
    convexity_constant: float
    norm: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data; None stands for a number that is infinite."""
        return {**plain_fields(self), "conditions": list(self.conditions)}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        return "\n".join([self.formula, f"by {self.reference}", *(f"if {text}" for text in self.conditions)])


def excess_bound(
    loss: str | Loss,
    metric: str | Metric,
    items: int,
    surrogate_regret: float,
    *,
    margin_exponent: float | None = None,
    margin_constant: float | None = None,
    mass: float | None = None,
) -> Bound:
    """The most that the metric can lose when the loss is ``surrogate_regret`` above its least mean.

    Parameters
    ----------
    loss : loss or str
        One that claims ``strongly_convex``, with a target that standardises the metric. A name without a
        target is aimed at the metric.
    metric : metric or str
        A positional metric.
    items : int
        The number of items of a query.
    surrogate_regret : float
        The mean over queries of the expected loss less its least value over all scores of the query.
    margin_exponent, margin_constant : float, optional
        a and C_gamma = E[gamma^-a] of the module's text, for the better bound of R11 Th. 11.
    mass : float, optional
        A bound of the sum of the expected targets of every query. Losses whose norm is per mass need it
        where the target has none of its own.

    Examples
    --------
    >>> round(excess_bound("squared:gain", "DCG@1", 2, 0.02).value, 6)  # |(1, -1)| sqrt(0.02)
    0.2
    >>> excess_bound("listnet", "nDCG", 3, 0.1)
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Loss listnet does not claim to be strongly convex, so what its regret says
    of a metric is not known. Losses that do: bregman, centred-squared, kl, softmax, squared.
    """
    measure = metric_of(metric)
    size = as_whole_number("items of excess_bound", items, 1)
    regret = float(number("excess_bound", "surrogate_regret", surrogate_regret, "of at least 0", _at_least_0))
    aimed, claim = _strongly_convex(loss, measure)
    target = _target_of(aimed, measure)
    weights = rank_weights(measure, target, size)
    constant, norm = claim.value
    base = norm.removesuffix(_PER_MASS)
    dual, spread = _spread(weights, base)
    convexity, where = constant / 2.0, f"C_phi = {constant / 2.0:.6g}"
    conditions = _conditions(measure, target, size)
    if base != norm:
        limit = _mass(mass, target, size)
        convexity = convexity / limit if limit > 0 else math.inf
        where = f"C_phi = {constant / 2.0:g} / mass = {convexity:.6g}, mass = {limit:.6g}"
        conditions += (f"no query has expected targets (never below 0) of a sum above the mass {limit:.6g}",)
    top = f"regret of {measure} <= "
    square = _square(spread, convexity, regret)
    if margin_exponent is None and margin_constant is None:
        theorem, value = "Th. 10", math.sqrt(square)
        top += "C_F / sqrt(C_phi) sqrt(r)"
    else:
        a, gamma = _margin(measure, margin_exponent, margin_constant)
        theorem, value = "Th. 11", square ** ((a + 1.0) / (a + 2.0)) * gamma ** (1.0 / (a + 2.0))
        top += "(C_F^2 r / C_phi)^((a+1)/(a+2)) C_gamma^(1/(a+2))"
        where += f", a = {a:g}, C_gamma = {gamma:.6g}"
        conditions += ("E[gamma^-a] is at most C_gamma, gamma the margin of a query",)
    formula = (
        f"{top} = {value * _UP:.6g}, with C_F = |c - reverse(c)| = {spread:.6g} in the {dual} norm (dual of "
        f"{base}) over the weights c of ranks 1..{size}, {where}, r = {regret:.6g}"
    )
    reference = (
        f"R11 {theorem}, with the least constant that its proof gives; {aimed.name}: {claim.reference}"
    )
    return Bound(value * _UP, formula, reference, conditions, spread, convexity, norm)


def regression_bound(metric: str | Metric, items: int, squared_error: float) -> Bound:
    """The most that the metric can lose by sorting with f, an estimate of the mean targets E[u | query].

    Parameters
    ----------
    metric : metric or str
        A positional metric.
    items : int
        The number of items of a query.
    squared_error : float
        The mean over queries of the sum over items of (f - E[u])^2, with u the target of the metric
        (`rankproof.target_for`).

    Examples
    --------
    >>> print(regression_bound("P@1", 2, 0.02).formula)
    regret of P@1 <= |c - reverse(c)| |f - E[u]| = 0.2 (at most sqrt(2 sum c_k^2) |f - E[u]|), with
    |c - reverse(c)| = 1.41421 over the weights c of ranks 1..2 and |f - E[u]| = sqrt(0.02), u = relevance
    """
    measure = metric_of(metric)
    error = float(number("regression_bound", "squared_error", squared_error, "of at least 0", _at_least_0))
    size = as_whole_number("items of regression_bound", items, 1)
    check_positional(measure)
    target = target_for(measure)
    bound = excess_bound(Squared(target=target), measure, size, error)
    formula = (
        f"regret of {measure} <= |c - reverse(c)| |f - E[u]| = {bound.value:.6g} (at most sqrt(2 sum c_k^2) "
        f"|f - E[u]|), with |c - reverse(c)| = {bound.rank_constant:.6g} over the weights c of ranks "
        f"1..{size} and |f - E[u]| = sqrt({error:.6g}), u = {target}"
    )
    reference = "Cauchy-Schwarz: regret = <c_π* - c_f, E[u] - f> + <c_π* - c_f, f>, the last at most 0"
    kept = tuple(text for text in bound.conditions if not text.startswith("r "))
    return Bound(bound.value, formula, reference, kept, bound.rank_constant, 1.0, "l2")


def _strongly_convex(loss: str | Loss, metric: Metric) -> tuple[Loss, Claim]:
    aimed = loss_of(loss)
    claim = aimed.claims.get("strongly_convex")
    if claim is None or claim.value is None:
        fits = sorted(name for name, cls in LOSSES.items() if cls().claims.value("strongly_convex"))
        why = f" ({claim.reference})" if claim else ""
        raise ArgumentError(
            f"Loss {aimed} does not claim to be strongly convex{why}, so what its regret says of a metric is "
            f"not known. Losses that do: {', '.join(fits)}."
        )
    check_positional(metric)
    if isinstance(loss, str) and aimed.target is None:
        aimed = loss_of(aimed, metric=metric)
    return aimed, claim


def _target_of(loss: Loss, metric: Metric) -> Target:
    if loss.target is None:
        raise ArgumentError(
            f"Loss {loss} aims at nothing: give it the target of the metric, "
            f"loss({loss.name!r}, metric={str(metric)!r})."
        )
    check_target(metric, loss.target, f"Loss {loss} aims at {loss.target}, which")
    return loss.target


def _spread(weights: Float64s, norm: str) -> tuple[str, float]:
    """The dual of an l_p norm by name, and |c - reverse(c)| in it, the largest of any two rankings."""
    p = float(norm.removeprefix("l"))
    apart = np.abs(weights - weights[::-1])
    peak = float(apart.max())
    if p == 1.0:
        return "l-infinity", peak
    q = p / (p - 1.0)
    name = f"l{q:.6g}"
    return name, 0.0 if peak == 0.0 else peak * float(((apart / peak) ** q).sum()) ** (1.0 / q)


def _square(spread: float, convexity: float, regret: float) -> float:
    return 0.0 if spread == 0.0 or regret == 0.0 else spread**2 / convexity * regret


def _mass(stated: float | None, target: Target, items: int) -> float:
    """The largest sum of the targets of a query."""
    if stated is not None:
        return float(number("excess_bound", "mass", stated, "of at least 0", _at_least_0))
    if isinstance(target, NormalisedGain):
        # Chebyshev's sum inequality: DCG of the best ranking >= mean discount times sum of gains.
        total = float(discount_table(target.discount, items, target.cutoff)[0].sum())
        return items / total if total > 0 else 0.0
    if isinstance(target, (Relevance, Satisfaction)):
        return float(items)
    if isinstance(target, (RelevanceShare, PairShare)):
        return 1.0
    raise ArgumentError(
        f"Argument mass of excess_bound is needed: nothing bounds the sum of the target {target} over the "
        "items of a query. Give the largest sum there is in your data, or take the loss squared."
    )


def _margin(metric: Metric, exponent: float | None, constant: float | None) -> tuple[float, float]:
    if exponent is None or constant is None:
        raise ArgumentError(
            "Arguments margin_exponent and margin_constant of excess_bound go together, got "
            f"{exponent!r} and {constant!r}."
        )
    a = float(number("excess_bound", "margin_exponent", exponent, "of at least 0", _at_least_0))
    gamma = float(number("excess_bound", "margin_constant", constant, "above 0", lambda c: c > 0))
    low, high = metric.claims.value("range", (None, None))
    # A margin is a difference of two values of the metric, so it is at most the width of the range.
    width = math.inf if low is None or high is None else float(high - low)
    least = 1.0 if a == 0.0 else width**-a
    if gamma < least * (1.0 - 1e-9):
        raise ArgumentError(
            f"Argument margin_constant of excess_bound must be E[gamma^-a] >= {least:.6g} for {metric}, "
            f"whose margins gamma are at most {width:g}, got {gamma!r}."
        )
    return a, max(gamma, least)


def _conditions(metric: Metric, target: Target, items: int) -> tuple[str, ...]:
    # Weights that do not depend on the length: a longer list has every pair of rankings of a shorter one.
    any_length = isinstance(target, (GainTarget, NormalisedGain)) and isinstance(metric, (DCG, NDCG))
    return (
        f"every query has {'at most' if any_length else 'just'} {items} items",
        "r is the expected loss of the scores less the least of any scores, query by query, on average",
        "the loss has no item weights, and weighs queries as the metric does",
        f"a query counts the same for all rankings when {metric.empty_when}, and is not skipped",
    )


def _at_least_0(x: Any) -> bool:
    return bool(x >= 0)
