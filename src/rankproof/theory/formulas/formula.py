"""The textbook formula of every loss on one query, in whatever arithmetic the scores are.

`formula` is independent of the kernels: the definition of the loss written out once more, on floats (gives a
float), on Fractions (exact where the loss is rational, else an interval that contains the value) and on jets
(bounds of value, gradient and Hessian over a box of scores). What the loss reads of the feedback is exact or
enclosed, see `rankproof.theory.formulas.inputs`.

>>> import math
>>> from rankproof.losses import Preorder, Softmax, Squared
>>> formula(Squared(), [Fraction(1, 2), Fraction(3)], (0, 1))  # 1/4 + 4
Fraction(17, 4)
>>> formula(Softmax(), [0.0, 0.0], (1, 0)) / math.log(2)
1.0
>>> x = variables([Enclosure.from_number(0), Enclosure.from_number(0)])
>>> formula(Preorder(margin="exponential"), x, (1, 0)).slope(0)  # the derivative of exp(s_1 - s_0)
Enclosure(-1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Law, as_feedback
from rankproof.losses.base import Loss
from rankproof.theory.arithmetic.functions import as_number_like, variables
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.arithmetic.jets import Jet
from rankproof.theory.formulas import items
from rankproof.theory.formulas.inputs import exact_inputs
from rankproof.theory.formulas.table import LOSS_THEORY, theory_of
from rankproof.theory.formulas.target_numbers import ExactOrInterval

__all__ = ["Function", "MeanLoss", "formula", "has_formula"]

# One number per item, or the weights of ordered pairs.
Inputs = Sequence[ExactOrInterval] | Mapping[tuple[int, int], ExactOrInterval]


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
    return _of_inputs(loss, scores, _read(loss, labels))


def has_formula(loss: Loss) -> bool:
    """Whether the formula of this very class is known, or it brings one."""
    return theory_of(loss).formula is not None


def _read(loss: Loss, feedback: Any) -> Inputs:
    theory = theory_of(loss)
    if theory.formula is None:
        names = ", ".join(sorted(kind.name for kind in LOSS_THEORY))
        raise ArgumentError(
            f"Loss {loss} has no formula; those with one: {names}. Give its class a method "
            "formula(self, scores, targets), written with the functions of "
            "rankproof.arithmetic."
        )
    if theory.pair_weights is not None:
        weights = theory.pair_weights(loss, feedback)
        _refuse_floats(loss, weights.values())
        return weights
    numbers = exact_inputs(loss, feedback, theory.graph_numbers)
    _refuse_floats(loss, numbers)
    loss.check_targets(np.array([float(u.middle if isinstance(u, Enclosure) else u) for u in numbers]))
    return numbers


def _refuse_floats(loss: Loss, numbers: Iterable[ExactOrInterval]) -> None:
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
            "Write it with arithmetic and the functions of rankproof.arithmetic."
        ) from error


def _of_inputs(loss: Loss, scores: Sequence[Any], inputs: Inputs) -> Any:
    theory = theory_of(loss)
    if theory.formula is None:
        raise ArgumentError(f"Loss {loss} has no formula.")
    if isinstance(inputs, Mapping):
        return theory.formula(loss, scores, inputs)
    if len(inputs) != len(scores):
        raise ArgumentError(f"The feedback is on {len(inputs)} items, but there are {len(scores)} scores.")
    plain = inputs if theory.reads_grades else [as_number_like(scores, u) for u in inputs]
    return theory.formula(loss, scores, plain)


class MeanLoss:
    """E[loss(s, Y)] under a law, with what the loss reads of every feedback worked out once.

    Weights of pairs are averaged before the margins are summed, which is the same number.
    """

    def __init__(self, loss: Loss | Function, law: Law) -> None:
        self.loss = loss
        self.law = law
        self.items = law.items
        self.terms: list[tuple[Inputs, Fraction]] = []
        self.pairs: dict[tuple[int, int], ExactOrInterval] = {}
        if not isinstance(loss, Loss):
            return
        for y, p in law.pairs():
            inputs = _read(loss, y)
            if not isinstance(inputs, Mapping):
                self.terms.append((inputs, p))
                continue
            for pair, weight in inputs.items():
                self.pairs[pair] = self.pairs.get(pair, 0) + weight * p
        if theory_of(loss).pair_weights is not None:
            self.terms.append((self.pairs, Fraction(1)))

    def at(self, scores: Sequence[Any]) -> Any:
        """The expected loss at scores of any arithmetic."""
        if len(scores) != self.items:
            raise ArgumentError(f"The law is on {self.items} items, but there are {len(scores)} scores.")
        loss = self.loss
        if not isinstance(loss, Loss):
            return items.total([_call(loss, scores, y) * p for y, p in self.law.pairs()])
        return items.total([_of_inputs(loss, scores, inputs) * p for inputs, p in self.terms])

    def jet(self, center: Sequence[Fraction], radius: Fraction) -> Jet:
        """Value, gradient and Hessian over the box of half-width ``radius`` around the center."""
        value = self.at(variables([Enclosure.from_bounds(c - radius, c + radius) for c in center]))
        return value if isinstance(value, Jet) else Jet(Enclosure.from_number(value), {}, {})

    def mean(self) -> list[ExactOrInterval]:
        """E[what the loss reads], one number per item."""
        if self.pairs or not self.terms:
            raise ArgumentError(f"Loss {self.loss} does not read one number per item, so there is no mean.")
        n, means = self.items, []
        for i in range(n):
            mean: ExactOrInterval = 0
            for inputs, p in self.terms:
                mean = mean + inputs[i] * p  # type: ignore[index]
            means.append(mean)
        return means
