"""Pairwise loss formulas: weights of ordered pairs, and a margin of the difference of their scores.

The preorder and the order-preserving loss are sums of w_ij phi(s_i - s_j) over ordered pairs, where the
weights depend on the feedback alone (`pair_weights`). LambdaRank and LambdaLoss are such sums too, but their
weights follow the ranking of the scores; they are held fixed when the formula is differentiated.

>>> from rankproof.losses import Preorder
>>> pair_weights(Preorder(weight="gain"), [2, 0, 1])
{(0, 1): 3, (0, 2): 2, (2, 1): 1}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.feedback import PreferenceGraph, as_feedback
from rankproof.losses.base import Loss
from rankproof.losses.lambdas import LambdaLoss, LambdaRank
from rankproof.losses.margins import Margin
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder
from rankproof.theory.arithmetic.functions import (
    as_number_like,
    exp,
    positive_part,
    softplus,
    squared_positive_part,
)
from rankproof.theory.arithmetic.intervals import Interval, UnprovenError
from rankproof.theory.formulas.readings import (
    Known,
    discount_weight,
    gain_worth,
    power_of_2,
    quotient,
    readings,
)

__all__ = ["Pieces", "exact_pieces", "lambda_formula", "margin_function", "pair_weights", "pairwise_formula"]

Pairs = dict[tuple[int, int], Known]


def pair_weights(loss: Preorder | OrderPreserving, feedback: Any) -> Pairs:
    """The weights w_ij > 0 of ordered pairs (i, j); on a preference graph those of its edges."""
    known = as_feedback(feedback)
    if isinstance(loss, Preorder) and isinstance(known, PreferenceGraph) and loss.target is None:
        if loss.weight not in ("one", "pairs"):
            raise ArgumentError(
                f"Loss {loss} weighs pairs by their labels, which a preference graph does not have: "
                f"{known!r}. On graphs weight is one (what the edge weighs) or pairs (that over the number "
                "of edges)."
            )
        share = Fraction(1, len(known.edges)) if loss.weight == "pairs" and known.edges else Fraction(1)
        return {(i, j): Fraction(weight) * share for i, j, weight in known.edges}
    values = readings(loss, known)
    if isinstance(loss, OrderPreserving):
        return _all_pairs(values, normalize=loss.normalize)
    return _better_pairs(values, loss.weight)


def _all_pairs(values: Sequence[Known], *, normalize: bool) -> Pairs:
    n = len(values)
    scale = Fraction(1, n * (n - 1)) if normalize and n > 1 else 1
    worth = {i: u * scale for i, u in enumerate(values) if isinstance(u, Interval) or u}
    return {(i, j): w for i, w in worth.items() for j in range(n) if j != i}


def _better_pairs(values: Sequence[Known], weight: str) -> Pairs:
    pairs = [(i, j) for i, y in enumerate(values) for j, x in enumerate(values) if y > x]
    scale = Fraction(1, len(pairs)) if pairs and weight in ("pairs", "gain-pairs") else 1
    return {(i, j): _weight(weight, values[i], values[j]) * scale for i, j in pairs}


def _weight(weight: str, better: Known, worse: Known) -> Known:
    if weight in ("one", "pairs"):
        return 1
    if weight == "difference":
        return better - worse
    if weight not in ("gain", "gain-pairs"):
        raise ArgumentError(f"Weight {weight!r} of loss preorder has no formula.")
    return _two_to(better) - _two_to(worse)


def _two_to(y: Known) -> Known:
    return (Interval.of(2).log() * y).exp() if isinstance(y, Interval) else power_of_2(y)


@dataclass(frozen=True)
class Pieces:
    """A margin of a line, a parabola and zero, in exact numbers.

    phi(t) = bend (max(0, flat - t)^2 - max(0, line - t)^2) + kink max(0, line - t) with line <= flat, bend >=
    0 and kink >= 0, so it is convex. ``line`` is None where there is no line: for the squared hinge.
    """

    line: Fraction | None
    flat: Fraction
    bend: Fraction
    kink: Fraction

    def __call__(self, t: Any) -> Any:
        terms = []
        if self.bend:
            terms.append(squared_positive_part(self.flat - t) * self.bend)
            if self.line is not None:
                terms.append(squared_positive_part(self.line - t) * -self.bend)
        if self.kink and self.line is not None:
            terms.append(positive_part(self.line - t) * self.kink)
        return sum(terms[1:], terms[0]) if terms else t * 0

    def slopes(self, t: Fraction) -> tuple[Fraction, Fraction]:
        """The least and the largest slope at t: the same but at a kink."""
        slope = -2 * self.bend * max(self.flat - t, Fraction(0))
        if self.line is None or t > self.line:
            return slope, slope
        slope += 2 * self.bend * (self.line - t)
        return slope - self.kink, slope - (self.kink if t < self.line else 0)


def exact_pieces(margin: str | Margin, width: float) -> Pieces | None:
    """The pieces of a margin that is made of them, else None."""
    one, h = Fraction(1), Fraction(width)
    if margin == "hinge":
        return Pieces(one, one, Fraction(0), one)
    if margin == "squared-hinge":
        return Pieces(None, one, one, Fraction(0))
    if margin == "huber":
        # (x + h)^2 / 4h within h of 1, and less (x - h)^2 / 4h above: 4hx / 4h = x.
        return Pieces(1 - h, 1 + h, 1 / (4 * h), Fraction(0))
    if not isinstance(margin, Margin) or margin.pieces is None:
        return None
    return _users_pieces(margin.pieces)


def _users_pieces(given: tuple[float, float, float, float, float]) -> Pieces | None:
    """The pieces a user's margin states, when they fit together exactly and are convex."""
    line, flat, bend, slope, level = given
    if line == -math.inf:
        return Pieces(None, Fraction(flat), Fraction(bend), Fraction(0)) if bend >= 0 else None
    start, end, curve = Fraction(line), Fraction(flat), Fraction(bend)
    kink = Fraction(slope) - 2 * curve * (end - start)
    whole = Fraction(level) == curve * (end - start) ** 2
    return Pieces(start, end, curve, kink) if whole and start <= end and curve >= 0 and kink >= 0 else None


def margin_function(margin: str | Margin, width: float) -> Callable[[Any], Any]:
    """phi as a function of floats, exact numbers and jets."""
    pieces = exact_pieces(margin, width)
    if pieces is not None:
        return pieces
    if isinstance(margin, Margin):
        return _users_margin(margin)
    if margin not in _MARGINS:
        raise ArgumentError(f"Margin {margin!r} has no formula.")
    return _MARGINS[margin]


_MARGINS: dict[str, Callable[[Any], Any]] = {
    "logistic": lambda t: softplus(-t),
    "exponential": lambda t: exp(-t),
}


def _users_margin(margin: Margin) -> Callable[[Any], Any]:
    def value(t: Any) -> Any:
        try:
            return margin.value(t)
        except UnprovenError:
            raise
        except Exception as error:
            raise UnprovenError(
                f"Margin {margin.name!r} cannot be run on {type(t).__name__} ({type(error).__name__}: "
                f"{error}). Write it with arithmetic and the functions of "
                "rankproof.theory.arithmetic.functions."
            ) from error

    return value


def pairwise_formula(loss: Preorder | OrderPreserving, scores: Sequence[Any], weights: Pairs) -> Any:
    """The sum of w_ij phi(s_i - s_j)."""
    phi = margin_function(loss.margin, loss.width)
    terms = (as_number_like(scores, w) * phi(scores[i] - scores[j]) for (i, j), w in weights.items())
    return sum(terms, scores[0] * 0)


def lambda_formula(loss: Loss, scores: Sequence[Any], labels: Sequence[Known]) -> Any:
    """The sum over y_i > y_j of |G_i - G_j| w_ij log(1 + e^(-sigma (s_i - s_j))), w as the scores rank."""
    if not isinstance(loss, LambdaRank | LambdaLoss):
        raise ArgumentError(f"Loss {loss} is not of the lambda family.")
    n = len(scores)
    cutoff = loss.cutoff if isinstance(loss, LambdaRank) else None
    discounts = [discount_weight(loss.discount, k) for k in range(1, n + 2)]
    cut = [d if cutoff is None or k < cutoff else 0 for k, d in enumerate(discounts)]
    steps = [discounts[k] - discounts[k + 1] for k in range(n)]
    if any(isinstance(y, Interval) for y in labels):
        raise UnprovenError(f"Loss {loss} reads grades, got labels that are known as intervals.")
    gains = [gain_worth(loss.gain, y) for y in labels]
    best: Known = 0
    # Gains rise with the label, and exact labels can be sorted.
    for k, i in enumerate(sorted(range(n), key=lambda i: labels[i], reverse=True)):
        best = best + cut[k] * gains[i]
    if not best > 0:
        return scores[0] * 0
    rankings = _sorting_ranks(scores)
    total = scores[0] * 0
    for i, j in permutations(range(n), 2):
        if labels[i] > labels[j]:
            weight: Known = 0
            for ranks in rankings:
                first, last = sorted((ranks[i], ranks[j]))
                weight = weight + _position_weight(loss, cut[first] - cut[last], steps[last - first - 1])
            weight = quotient(weight * (gains[i] - gains[j]), best * len(rankings))
            cost = softplus((scores[j] - scores[i]) * Fraction(loss.sigma))
            total = total + as_number_like(scores, weight) * cost
    return total


def _position_weight(loss: LambdaRank | LambdaLoss, apart: Known, step: Known) -> Known:
    if isinstance(loss, LambdaRank):
        return apart
    return step if loss.scheme == "loss2" else apart + Fraction(loss.mu) * step


def _sorting_ranks(scores: Sequence[Any]) -> list[tuple[int, ...]]:
    """The ranks (from 0) of the items in every ranking that sorts the scores.

    Of two items, both orders give the pair the same weight, so that their scores need not be compared.
    """
    n = len(scores)
    if n == 2:
        return [(0, 1)]
    groups: dict[int, list[int]] = {}
    for i, mine in enumerate(scores):
        groups.setdefault(sum(other > mine for other in scores), []).append(i)
    found = []
    for orders in product(*(permutations(groups[start]) for start in sorted(groups))):
        ranked = [i for order in orders for i in order]
        found.append(tuple(ranked.index(i) for i in range(n)))
    return found
