"""Pairwise loss formulas: weights of ordered pairs, and a margin of the difference of their scores.

The preorder and the order-preserving loss are sums of w_ij phi(s_i - s_j) over ordered pairs, where the
weights depend on the feedback alone.

>>> from rankproof.losses import Preorder
>>> preorder_weights(Preorder(weight="gain"), [2, 0, 1])
{(0, 1): 3, (0, 2): 2, (2, 1): 1}
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.feedback import PreferenceGraph, as_feedback
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder
from rankproof.theory.arithmetic.functions import as_number_like
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.formulas.inputs import exact_inputs
from rankproof.theory.formulas.margins import margin_function
from rankproof.theory.formulas.target_numbers import ExactOrInterval, power_of_2

__all__ = ["Pairs", "order_preserving_weights", "pairwise_formula", "preorder_weights"]

Pairs = dict[tuple[int, int], ExactOrInterval]


def preorder_weights(loss: Preorder, feedback: Any) -> Pairs:
    """The weights w_ij > 0 of ordered pairs (i, j); on a preference graph those of its edges."""
    observed = as_feedback(feedback)
    if isinstance(observed, PreferenceGraph) and loss.target is None:
        if loss.weight not in ("one", "pairs"):
            raise ArgumentError(
                f"Loss {loss} weighs pairs by their labels, which a preference graph does not have: "
                f"{observed!r}. On graphs weight is one (what the edge weighs) or pairs (that over the "
                "number of edges)."
            )
        edges = observed.edges
        share = Fraction(1, len(edges)) if loss.weight == "pairs" and edges else Fraction(1)
        return {(i, j): Fraction(weight) * share for i, j, weight in edges}
    return _better_pairs(exact_inputs(loss, observed), loss.weight)


def order_preserving_weights(loss: OrderPreserving, feedback: Any) -> Pairs:
    """The weights w_ij = u_i of all ordered pairs, over their number when normalized."""
    return _all_pairs(exact_inputs(loss, feedback), normalize=loss.normalize)


def _all_pairs(values: Sequence[ExactOrInterval], *, normalize: bool) -> Pairs:
    n = len(values)
    scale = Fraction(1, n * (n - 1)) if normalize and n > 1 else 1
    worth = {i: u * scale for i, u in enumerate(values) if isinstance(u, Enclosure) or u}
    return {(i, j): w for i, w in worth.items() for j in range(n) if j != i}


def _better_pairs(values: Sequence[ExactOrInterval], weight: str) -> Pairs:
    pairs = [(i, j) for i, y in enumerate(values) for j, x in enumerate(values) if y > x]
    scale = Fraction(1, len(pairs)) if pairs and weight in ("pairs", "gain-pairs") else 1
    return {(i, j): _weight(weight, values[i], values[j]) * scale for i, j in pairs}


def _weight(weight: str, better: ExactOrInterval, worse: ExactOrInterval) -> ExactOrInterval:
    if weight in ("one", "pairs"):
        return 1
    if weight == "difference":
        return better - worse
    if weight not in ("gain", "gain-pairs"):
        raise ArgumentError(f"Weight {weight!r} of loss preorder has no formula.")
    return _two_to(better) - _two_to(worse)


def _two_to(y: ExactOrInterval) -> ExactOrInterval:
    return (Enclosure.from_number(2).log() * y).exp() if isinstance(y, Enclosure) else power_of_2(y)


def pairwise_formula(loss: Preorder | OrderPreserving, scores: Sequence[Any], weights: Pairs) -> Any:
    """The sum of w_ij phi(s_i - s_j)."""
    phi = margin_function(loss.margin, loss.width)
    terms = (as_number_like(scores, w) * phi(scores[i] - scores[j]) for (i, j), w in weights.items())
    return sum(terms, scores[0] * 0)
