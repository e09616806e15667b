"""The numbers of a target for one piece of feedback, exact or enclosed.

Every number is an int, a Fraction, or an interval that contains the true value: discounts 1 / log2(1 + k) are
enclosed through `rankproof.theory.arithmetic.intervals` and never rounded to floats. Parameters that are
floats count as the binary fraction they are. A user's own target is what its function returns, so a float
from it is taken as that number.

Equal labels of a query give one and the same interval object, so that they are known to be equal.

>>> from rankproof.feedback import Graded
>>> from rankproof.targets.normalised_gain import NormalisedGain
>>> target_values(NormalisedGain(cutoff=1), Graded((1, 2)))
[Fraction(1, 3), Fraction(1, 1)]
>>> target_values(NormalisedGain(), Graded((2, 0, 1)))  # 3 / (3 + 1/log2(3))
[Enclosure(0.82623..., 0.82623...), 0, Enclosure(0.27541..., 0.27541...)]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from numbers import Integral
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Graded, Permutation, PreferenceGraph
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounted import Discount, Gain, gain_of
from rankproof.metrics.ndcg import NDCG
from rankproof.targets.balance import Balance
from rankproof.targets.base import Target
from rankproof.targets.gain import GainTarget
from rankproof.targets.label_worth import LabelWorth
from rankproof.targets.normalised_gain import NormalisedGain
from rankproof.targets.pair_weight import PairWeight
from rankproof.targets.positional import PositionalTarget
from rankproof.targets.satisfaction import Satisfaction
from rankproof.targets.user import UserTarget
from rankproof.theory.arithmetic.functions import exp, log, sqrt
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.base.query_factors import QueryFactors

__all__ = [
    "ExactOrInterval",
    "discount_weight",
    "exact_labels",
    "exact_number",
    "gain_worth",
    "power_of_2",
    "quotient",
    "target_values",
]

# An exact number, or an interval that contains it.
ExactOrInterval = int | Fraction | Enclosure


def exact_labels(feedback: Graded | Permutation) -> list[ExactOrInterval]:
    """The labels as exact numbers; a permutation is read as the grades n, ..., 2, 1."""
    graded = feedback.grades() if isinstance(feedback, Permutation) else feedback
    return [exact_number(y) for y in graded]


def exact_number(x: Any) -> int | Fraction:
    """A whole number as an int, anything else as the fraction that it is."""
    if isinstance(x, Integral):
        return int(x)
    fraction = x if isinstance(x, Fraction) else Fraction(float(x))
    return fraction.numerator if fraction.denominator == 1 else fraction


def target_values(target: Target, feedback: Feedback) -> list[ExactOrInterval]:
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
    if isinstance(target, LabelWorth) and isinstance(target.factors, QueryFactors):
        _check_exact(target, target.factors.exact(len(labels)))
    numbers = target.of_labels(labels)
    if isinstance(target, UserTarget):
        return [exact_number(u) for u in numbers]
    return _all_exact(target, numbers)


def _all_exact(target: Target, values: Sequence[Any]) -> list[ExactOrInterval]:
    _check_exact(target, not any(isinstance(u, float) for u in values))
    return [exact_number(u) for u in values]


def _check_exact(target: Target, exact: bool) -> None:
    if not exact:
        raise UnprovenError(
            f"Target {target} is known to float precision only, so nothing is proven about it."
        )


def _shared(labels: Sequence[Any], value: Callable[[Any], ExactOrInterval]) -> list[ExactOrInterval]:
    """The value of every label, one object for equal labels."""
    table = {y: value(y) for y in dict.fromkeys(labels)}
    return [table[y] for y in labels]


def power_of_2(y: Any) -> ExactOrInterval:
    """2^y, exact for whole y."""
    if y == int(y):
        return exact_number(Fraction(2) ** int(y))
    enclosed: Enclosure = exp(log(2) * y)
    return enclosed


def gain_worth(gain: Gain, y: Any) -> ExactOrInterval:
    """The worth of a grade."""
    if gain == "exp" and y > 0 and y != int(y):
        return power_of_2(y) - 1
    return exact_number(gain_of(gain, y))


def discount_weight(discount: Discount, rank: int) -> ExactOrInterval:
    """The weight of a rank: exact where it is rational, else enclosed."""
    if isinstance(discount, tuple):
        return exact_number(discount[rank - 1]) if rank <= len(discount) else 0
    if discount == "reciprocal":
        return Fraction(1, rank)
    if discount not in ("log2", "letor", "ln"):
        raise ArgumentError(f"Discount {discount!r} has no known formula.")
    inside = max(2, rank) if discount == "letor" else rank + 1
    places = inside.bit_length() - 1
    if discount != "ln" and inside == 1 << places:
        return Fraction(1, places)
    weight: Enclosure = (1 if discount == "ln" else log(2)) / log(inside)
    return weight


def _discounted(ranked: Sequence[Any], thing: NormalisedGain | DCG | NDCG) -> ExactOrInterval:
    seen = ranked if thing.cutoff is None else ranked[: thing.cutoff]
    total: ExactOrInterval = 0
    for k, y in enumerate(seen, start=1):
        worth = gain_worth(thing.gain, y)
        # An exact 0 stays exact.
        if isinstance(worth, Enclosure) or worth:
            total = total + discount_weight(thing.discount, k) * worth
    return total


def _gain(target: GainTarget, labels: Sequence[Any]) -> list[ExactOrInterval]:
    return _shared(labels, lambda y: gain_worth(target.gain, y))


def _normalised_gain(target: NormalisedGain, labels: Sequence[Any]) -> list[ExactOrInterval]:
    best = _discounted(sorted(labels, reverse=True), target)
    if not best > 0:
        return [0] * len(labels)
    return _shared(labels, lambda y: quotient(gain_worth(target.gain, y), best))


def quotient(part: ExactOrInterval, whole: ExactOrInterval) -> ExactOrInterval:
    """The quotient, exact for exact numbers."""
    if isinstance(part, Enclosure):
        return part / whole
    if isinstance(whole, Enclosure):
        return part / whole if part else 0
    return Fraction(part) / Fraction(whole)


def _satisfaction(target: Satisfaction, labels: Sequence[Any]) -> list[ExactOrInterval]:
    most = power_of_2(exact_number(target.max_grade))
    return _shared(labels, lambda y: quotient(gain_worth("exp", y), most))


def _pair_weight(target: PairWeight, labels: Sequence[Any]) -> list[ExactOrInterval]:
    worth = list(labels) if target.weight == "difference" else _shared(labels, power_of_2)
    if not target.normalize:
        return worth
    total: ExactOrInterval = 0
    for i, y in enumerate(labels):
        for j, x in enumerate(labels):
            if y > x:
                total = total + (worth[i] - worth[j])
    if len(set(labels)) < 2:
        return [0] * len(labels)
    by_label = dict(zip(labels, worth, strict=True))
    return _shared(labels, lambda y: quotient(by_label[y], total))


def _balance(target: Balance, labels: Sequence[Any]) -> list[ExactOrInterval]:
    net: list[Any] = [sum((y > x) - (y < x) for x in labels) for y in labels]
    return _balanced(target, net, sum(y > x for y in labels for x in labels))


def _balance_of_graph(target: Balance, graph: PreferenceGraph) -> list[ExactOrInterval]:
    # Its own rule on weights above the bound, which it checks to float precision.
    target.of_feedback(graph)
    net: list[Any] = [0] * graph.items
    for i, j, weight in graph.edges:
        net[i] += exact_number(weight)
        net[j] -= exact_number(weight)
    return _balanced(target, net, sum(exact_number(weight) for _, _, weight in graph.edges))


def _balanced(target: Balance, net: Sequence[Any], total: int | Fraction) -> list[ExactOrInterval]:
    n = len(net)
    divisor: ExactOrInterval = 1
    if target.normalize == "pairs" and total:
        divisor = total
    elif target.normalize == "root" and total:
        divisor = _root(Fraction(total) * (n * (n - 1) // 2))
    start = n * exact_number(target.bound)
    return _shared(net, lambda d: start + quotient(d, divisor))


def _root(square: Fraction) -> ExactOrInterval:
    exact = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if exact * exact == square:
        return exact
    enclosed: Enclosure = sqrt(square)
    return enclosed


def _positional(target: PositionalTarget, labels: Sequence[Any]) -> list[ExactOrInterval]:
    metric, n = target.metric, len(labels)
    if not isinstance(metric, DCG | NDCG):
        return _all_exact(target, target.of_labels(labels))
    best: ExactOrInterval = 1
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


_BY_KIND: tuple[tuple[type[Target], Callable[[Any, Sequence[Any]], list[ExactOrInterval]]], ...] = (
    (GainTarget, _gain),
    (NormalisedGain, _normalised_gain),
    (Satisfaction, _satisfaction),
    (PairWeight, _pair_weight),
    (Balance, _balance),
    (PositionalTarget, _positional),
)
