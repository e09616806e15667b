"""Readings: what a loss reads for one piece of feedback, exact or enclosed.

A loss reads one number per item, its target of the feedback (the labels themselves without one). Here every
such number is an int, a Fraction, or an interval that contains the true value: discounts 1 / log2(1 + k) are
enclosed through `rankproof.theory.arithmetic.intervals` and never rounded to floats. Parameters that are
floats count as the binary fraction they are. A user's own target is what its function returns, so a float
from it is taken as that number.

Equal labels of a query give one and the same interval object, so that they are known to be equal.

>>> from rankproof.feedback import Graded
>>> from rankproof.standardize.normalised_gain import NormalisedGain
>>> target_values(NormalisedGain(cutoff=1), Graded((1, 2)))
[Fraction(1, 3), Fraction(1, 1)]
>>> target_values(NormalisedGain(), Graded((2, 0, 1)))  # 3 / (3 + 1/log2(3))
[Interval(0.82623..., 0.82623...), 0, Interval(0.27541..., 0.27541...)]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from numbers import Integral
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Graded, Permutation, PreferenceGraph, as_feedback
from rankproof.losses.base import Loss
from rankproof.losses.duchi import Duchi
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounts import Discount
from rankproof.metrics.gains import Gain, gain_of
from rankproof.metrics.ndcg import NDCG
from rankproof.standardize.balance import Balance
from rankproof.standardize.base import Target
from rankproof.standardize.gain import GainTarget
from rankproof.standardize.normalised_gain import NormalisedGain
from rankproof.standardize.pair_weight import PairWeight
from rankproof.standardize.positional import Positional
from rankproof.standardize.satisfaction import Satisfaction
from rankproof.standardize.user import UserTarget
from rankproof.theory.arithmetic.functions import exp, log, sqrt
from rankproof.theory.arithmetic.intervals import Interval, UnprovenError

__all__ = ["Known", "discount_weight", "gain_worth", "power_of_2", "quotient", "readings", "target_values"]

# An exact number, or an interval that contains it.
Known = int | Fraction | Interval


def readings(loss: Loss, feedback: Any) -> list[Known]:
    """One number per item: the loss's target of the feedback, or the labels when it has none."""
    known = as_feedback(feedback)
    if loss.target is not None:
        values = target_values(loss.target, known)
    elif not isinstance(known, PreferenceGraph):
        values = exact_labels(known)
    elif isinstance(loss, Duchi):
        values = [0] * known.items
        for i, j, weight in known.edges:
            values[i] += _exact(weight)
            values[j] -= _exact(weight)
    else:
        raise ArgumentError(
            f"Loss {loss} reads one number per item, which a preference graph does not have: {known!r}. "
            "Give it a target that is defined on preference graphs, such as balance."
        )
    if loss.needs == "nonnegative target" and not all(u >= 0 for u in values):
        raise ArgumentError(f"Loss {loss.name} needs targets of at least 0, got {values} for {known!r}.")
    return values


def exact_labels(feedback: Graded | Permutation) -> list[Known]:
    """The labels as exact numbers; a permutation is read as the grades n, ..., 2, 1."""
    graded = feedback.grades() if isinstance(feedback, Permutation) else feedback
    return [_exact(y) for y in graded]


def _exact(x: Any) -> int | Fraction:
    if isinstance(x, Integral):
        return int(x)
    fraction = x if isinstance(x, Fraction) else Fraction(float(x))
    return fraction.numerator if fraction.denominator == 1 else fraction


def target_values(target: Target, feedback: Feedback) -> list[Known]:
    """u of the feedback: exact numbers, or intervals that contain them."""
    if feedback.kind not in target.feedback_kinds:
        # Raises, and says which kinds there are.
        target.of_feedback(feedback)
    if isinstance(feedback, PreferenceGraph):
        if isinstance(target, Balance):
            return _balance_of_graph(target, feedback)
        return _all_exact(target, target.of_feedback(feedback))
    labels = exact_labels(feedback)
    for kind, values in _BY_KIND:
        if isinstance(target, kind):
            return values(target, labels)
    found = target.of_labels(labels)
    if isinstance(target, UserTarget):
        return [_exact(u) for u in found]
    return _all_exact(target, found)


def _all_exact(target: Target, values: Sequence[Any]) -> list[Known]:
    if any(isinstance(u, float) for u in values):
        raise UnprovenError(
            f"Target {target} is known to float precision only, so nothing is proven about it."
        )
    return [_exact(u) for u in values]


def _shared(labels: Sequence[Any], value: Callable[[Any], Known]) -> list[Known]:
    """The value of every label, one object for equal labels."""
    table = {y: value(y) for y in dict.fromkeys(labels)}
    return [table[y] for y in labels]


def power_of_2(y: Any) -> Known:
    """2^y, exact for whole y."""
    if y == int(y):
        return _exact(Fraction(2) ** int(y))
    enclosed: Interval = exp(log(2) * y)
    return enclosed


def gain_worth(gain: Gain, y: Any) -> Known:
    """The worth of a grade."""
    if gain == "exp" and y > 0 and y != int(y):
        return power_of_2(y) - 1
    return _exact(gain_of(gain, y))


def discount_weight(discount: Discount, rank: int) -> Known:
    """The weight of a rank: exact where it is rational, else enclosed."""
    if isinstance(discount, tuple):
        return _exact(discount[rank - 1]) if rank <= len(discount) else 0
    if discount == "reciprocal":
        return Fraction(1, rank)
    if discount not in ("log2", "letor", "ln"):
        raise ArgumentError(f"Discount {discount!r} has no known formula.")
    inside = max(2, rank) if discount == "letor" else rank + 1
    places = inside.bit_length() - 1
    if discount != "ln" and inside == 1 << places:
        return Fraction(1, places)
    weight: Interval = (1 if discount == "ln" else log(2)) / log(inside)
    return weight


def _discounted(ranked: Sequence[Any], thing: NormalisedGain | DCG | NDCG) -> Known:
    seen = ranked if thing.cutoff is None else ranked[: thing.cutoff]
    total: Known = 0
    for k, y in enumerate(seen, start=1):
        worth = gain_worth(thing.gain, y)
        # An exact 0 stays exact.
        if isinstance(worth, Interval) or worth:
            total = total + discount_weight(thing.discount, k) * worth
    return total


def _gain(target: GainTarget, labels: Sequence[Any]) -> list[Known]:
    return _shared(labels, lambda y: gain_worth(target.gain, y))


def _normalised_gain(target: NormalisedGain, labels: Sequence[Any]) -> list[Known]:
    best = _discounted(sorted(labels, reverse=True), target)
    if not best > 0:
        return [0] * len(labels)
    return _shared(labels, lambda y: quotient(gain_worth(target.gain, y), best))


def quotient(part: Known, whole: Known) -> Known:
    """The quotient, exact for exact numbers."""
    if isinstance(part, Interval):
        return part / whole
    if isinstance(whole, Interval):
        return part / whole if part else 0
    return Fraction(part) / Fraction(whole)


def _satisfaction(target: Satisfaction, labels: Sequence[Any]) -> list[Known]:
    most = power_of_2(_exact(target.max_grade))
    return _shared(labels, lambda y: quotient(gain_worth("exp", y), most))


def _pair_weight(target: PairWeight, labels: Sequence[Any]) -> list[Known]:
    worth = list(labels) if target.weight == "difference" else _shared(labels, power_of_2)
    if not target.normalize:
        return worth
    total: Known = 0
    for i, y in enumerate(labels):
        for j, x in enumerate(labels):
            if y > x:
                total = total + (worth[i] - worth[j])
    if len(set(labels)) < 2:
        return [0] * len(labels)
    by_label = dict(zip(labels, worth, strict=True))
    return _shared(labels, lambda y: quotient(by_label[y], total))


def _balance(target: Balance, labels: Sequence[Any]) -> list[Known]:
    net: list[Any] = [sum((y > x) - (y < x) for x in labels) for y in labels]
    return _balanced(target, net, sum(y > x for y in labels for x in labels))


def _balance_of_graph(target: Balance, graph: PreferenceGraph) -> list[Known]:
    # Its own rule on weights above the bound, which it checks to float precision.
    target.of_feedback(graph)
    net: list[Any] = [0] * graph.items
    for i, j, weight in graph.edges:
        net[i] += _exact(weight)
        net[j] -= _exact(weight)
    return _balanced(target, net, sum(_exact(weight) for _, _, weight in graph.edges))


def _balanced(target: Balance, net: Sequence[Any], total: int | Fraction) -> list[Known]:
    n = len(net)
    divisor: Known = 1
    if target.normalize == "pairs" and total:
        divisor = total
    elif target.normalize == "root" and total:
        divisor = _root(Fraction(total) * (n * (n - 1) // 2))
    start = n * _exact(target.bound)
    return _shared(net, lambda d: start + quotient(d, divisor))


def _root(square: Fraction) -> Known:
    exact = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if exact * exact == square:
        return exact
    enclosed: Interval = sqrt(square)
    return enclosed


def _positional(target: Positional, labels: Sequence[Any]) -> list[Known]:
    metric, n = target.metric, len(labels)
    if not isinstance(metric, DCG | NDCG):
        return _all_exact(target, target.of_labels(labels))
    best: Known = 1
    if isinstance(metric, NDCG):
        best = _discounted(sorted(labels, reverse=True), metric)
        if not best > 0:
            return [0] * n
    # Moved from last to first, an item adds (d(1) - d(n)) times its gain, and the smallest u is 0.
    last = discount_weight(metric.discount, n) if metric.cutoff is None or n <= metric.cutoff else 0
    step = quotient(discount_weight(metric.discount, 1) - last, best)
    least = min(labels)
    start = gain_worth(metric.gain, least)
    return _shared(labels, lambda y: 0 if y == least else step * (gain_worth(metric.gain, y) - start))


_BY_KIND: tuple[tuple[type[Target], Callable[[Any, Sequence[Any]], list[Known]]], ...] = (
    (GainTarget, _gain),
    (NormalisedGain, _normalised_gain),
    (Satisfaction, _satisfaction),
    (PairWeight, _pair_weight),
    (Balance, _balance),
    (Positional, _positional),
)
