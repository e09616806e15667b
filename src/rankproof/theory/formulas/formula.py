"""The textbook formula of every loss on one query, in whatever arithmetic the scores are.

`formula` is independent of the kernels: the definition of the loss written out once more, on floats (gives a
float), on Fractions (exact where the loss is rational, else an interval that contains the value) and on jets
(bounds of value, gradient and Hessian over a box of scores). What the loss reads of the feedback is exact or
enclosed, see `rankproof.theory.formulas.readings`.

>>> import math
>>> from rankproof.losses import Preorder, Softmax, Squared
>>> formula(Squared(), [Fraction(1, 2), Fraction(3)], (0, 1))  # 1/4 + 4
Fraction(17, 4)
>>> formula(Softmax(), [0.0, 0.0], (1, 0)) / math.log(2)
1.0
>>> x = variables([Interval.of(0), Interval.of(0)])
>>> formula(Preorder(margin="exponential"), x, (1, 0)).slope(0)  # the derivative of exp(s_1 - s_0)
Interval(-1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Law, as_feedback
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder
from rankproof.theory.arithmetic.functions import as_number_like, variables
from rankproof.theory.arithmetic.intervals import Interval, UnprovenError
from rankproof.theory.arithmetic.jets import Jet
from rankproof.theory.formulas import items, lists
from rankproof.theory.formulas.pairwise import lambda_formula, pair_weights, pairwise_formula
from rankproof.theory.formulas.readings import Known, readings

__all__ = ["FORMULAS", "Function", "MeanLoss", "formula", "has_formula"]

# One number per item, or the weights of ordered pairs.
Reading = Sequence[Known] | Mapping[tuple[int, int], Known]

# By the name of the loss, the formula on (loss, scores, one number per item).
FORMULAS: dict[str, Callable[[Any, Sequence[Any], Any], Any]] = {
    "approx-ndcg": lists.approx_ndcg,
    "bregman": lists.bregman,
    "centred-squared": items.centred_squared,
    "cosine": lists.cosine,
    "duchi": items.duchi,
    "kl": items.kl,
    "lambdaloss": lambda_formula,
    "lambdarank": lambda_formula,
    "lift": items.lift,
    "listmle": lists.listmle,
    "listnet": lists.listnet,
    "order-preserving": pairwise_formula,
    "ordinal": items.ordinal,
    "pointwise-logistic": items.pointwise_logistic,
    "preorder": pairwise_formula,
    "q-family": lists.q_family,
    "relative": items.relative,
    "softmax": lists.softmax,
    "squared": items.squared,
    "xe-ndcg": lists.xe_ndcg,
}


class Function(Protocol):
    """A loss of the user's own; it takes part where ``function`` runs on jets and intervals.

    ``convex`` says whether it is convex in the scores. An attribute ``shift_invariant`` that is True says
    that adding a number to all scores changes nothing.
    """

    @property
    def function(self) -> Callable[[Any, Any], Any]:
        """(scores, feedback) -> number."""

    @property
    def convex(self) -> bool | None:
        """True, False, or None when it is not known."""


def formula(loss: Loss | Function, scores: Sequence[Any], labels: Any) -> Any:
    """The value of the loss for scores and one piece of feedback (labels, a graph, or a permutation)."""
    if not isinstance(loss, Loss):
        return _call(loss, scores, as_feedback(labels))
    return _of_reading(loss, scores, _read(loss, labels))


def has_formula(loss: Loss) -> bool:
    """Whether the formula of this very loss is known; a class of the user's own may share a name."""
    return loss.name in FORMULAS and LOSSES.has_class_of(loss)


def _read(loss: Loss, feedback: Any) -> Reading:
    if not has_formula(loss):
        raise ArgumentError(f"Loss {loss} has no formula; those with one: {', '.join(FORMULAS)}.")
    if isinstance(loss, Preorder | OrderPreserving):
        weights = pair_weights(loss, feedback)
        _refuse_floats(loss, weights.values())
        return weights
    found = readings(loss, feedback)
    _refuse_floats(loss, found)
    loss.check_targets(np.array([float(u.middle if isinstance(u, Interval) else u) for u in found]))
    return found


def _refuse_floats(loss: Loss, numbers: Iterable[Known]) -> None:
    """What a proof rests on is exact or enclosed; a float would have been rounded somewhere."""
    if any(isinstance(x, float) for x in numbers):
        raise UnprovenError(f"Loss {loss} reads numbers that are known to float precision only.")


def _call(loss: Function, scores: Sequence[Any], feedback: Feedback) -> Any:
    """A user's function on numbers of any kind."""
    plain = all(isinstance(s, float) for s in scores)
    try:
        return loss.function(np.array(scores, dtype=np.float64 if plain else object), feedback)
    except UnprovenError:
        raise
    except Exception as error:
        raise UnprovenError(
            f"Loss {loss} cannot be run on {type(scores[0]).__name__} ({type(error).__name__}: {error}). "
            "Write it with arithmetic and the functions of rankproof.theory.arithmetic.functions."
        ) from error


def _of_reading(loss: Loss, scores: Sequence[Any], reading: Reading) -> Any:
    if isinstance(reading, Mapping):
        return FORMULAS[loss.name](loss, scores, reading)
    if len(reading) != len(scores):
        raise ArgumentError(f"The feedback is on {len(reading)} items, but there are {len(scores)} scores.")
    plain = [as_number_like(scores, u) for u in reading] if loss.name not in _READ_GRADES else reading
    return FORMULAS[loss.name](loss, scores, plain)


# Their weights are functions of the exact grades.
_READ_GRADES = ("lambdaloss", "lambdarank")


class MeanLoss:
    """E[loss(s, Y)] under a law, with what the loss reads of every feedback worked out once.

    Weights of pairs are averaged before the margins are summed, which is the same number.
    """

    def __init__(self, loss: Loss | Function, law: Law) -> None:
        self.loss = loss
        self.law = law
        self.items = law.items
        self.terms: list[tuple[Reading, Fraction]] = []
        self.pairs: dict[tuple[int, int], Known] = {}
        if not isinstance(loss, Loss):
            return
        for y, p in law.pairs():
            reading = _read(loss, y)
            if not isinstance(reading, Mapping):
                self.terms.append((reading, p))
                continue
            for pair, weight in reading.items():
                self.pairs[pair] = self.pairs.get(pair, 0) + weight * p
        if isinstance(loss, Preorder | OrderPreserving):
            self.terms.append((self.pairs, Fraction(1)))

    def at(self, scores: Sequence[Any]) -> Any:
        """The expected loss at scores of any arithmetic."""
        if len(scores) != self.items:
            raise ArgumentError(f"The law is on {self.items} items, but there are {len(scores)} scores.")
        loss = self.loss
        if not isinstance(loss, Loss):
            return items.total([_call(loss, scores, y) * p for y, p in self.law.pairs()])
        return items.total([_of_reading(loss, scores, reading) * p for reading, p in self.terms])

    def jet(self, center: Sequence[Fraction], radius: Fraction) -> Jet:
        """Value, gradient and Hessian over the box of half-width ``radius`` around the center."""
        found = self.at(variables([Interval.between(c - radius, c + radius) for c in center]))
        return found if isinstance(found, Jet) else Jet(Interval.of(found), {}, {})

    def mean(self) -> list[Known]:
        """E[what the loss reads], one number per item."""
        if self.pairs or not self.terms:
            raise ArgumentError(f"Loss {self.loss} does not read one number per item, so there is no mean.")
        n, found = self.items, []
        for i in range(n):
            mean: Known = 0
            for reading, p in self.terms:
                mean = mean + reading[i] * p  # type: ignore[index]
            found.append(mean)
        return found
