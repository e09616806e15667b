"""The expected loss of many laws at once: value, gradient and Hessian in floats, for solvers and searches.

A law is a row of probabilities over the feedback of a space. Every feedback is one query of the loss (a
preference graph under a pairwise loss: one query of two items per edge), and all queries of all laws go
through the loss's compiled loop in one call. A user's loss is called feedback by feedback.

>>> from rankproof.losses.parse import loss
>>> from rankproof.feedback.spaces import graded_space
>>> mean = ExpectedLosses(loss("squared"), graded_space(2, 2).feedback)
>>> values, gradients = mean.evaluate([[0.5, 1.0]], [[0.0, 0.5, 0.5, 0.0]])  # labels 01 and 10
>>> values, gradients  # 0.25 and half of 0 + 1; 2 (s - 1/2)
(array([0.75]), array([[0., 1.]]))
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Permutation, PreferenceGraph
from rankproof.losses.base import Loss
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.formulas.table import theory_of
from rankproof.threads import using

__all__ = ["ExpectedLosses", "loss_inputs"]

# Steps of central differences of the gradient, and of the value where no gradient is given.
STEP, VALUE_STEP = 1e-5, 2e-4


def loss_inputs(loss: Loss, feedback: Feedback) -> list[float]:
    """What a loss reads for a feedback, one number per item.

    A permutation is read as the grades n, ..., 2, 1. A preference graph is read through the loss's target, or
    as the net weights of its items by Duchi's loss.
    """
    if isinstance(feedback, PreferenceGraph):
        if loss.target is not None:
            return [float(u) for u in loss.target.of_feedback(feedback)]
        graph_numbers = theory_of(loss).graph_numbers
        if graph_numbers is not None:
            return [float(u) for u in graph_numbers(feedback)]  # type: ignore[arg-type]
        raise ArgumentError(
            f"Loss {loss} reads one number per item, and a preference graph has none. Losses for graphs: "
            "preorder, duchi, and losses with a target that is defined on preferences, such as :balance."
        )
    if loss.target is not None and feedback.kind not in loss.target.feedback_kinds:
        # Raises, and says which kinds there are.
        loss.target.of_feedback(feedback)
    grades = feedback.grades() if isinstance(feedback, Permutation) else feedback
    labels = np.array([float(grade) for grade in grades])
    return [float(u) for u in loss.targets(labels, [0, labels.size])]


class ExpectedLosses:
    """The expected loss on a fixed list of feedback; see the module docstring."""

    def __init__(self, loss: Loss | UserLoss, feedback: Sequence[Feedback]) -> None:
        self.loss = loss
        self.feedback = tuple(feedback)
        self.items = self.feedback[0].items
        if isinstance(loss, Loss):
            self._read(loss)

    def _read(self, loss: Loss) -> None:
        """The queries that the feedback stands for: their items, targets, weights and feedback."""
        of, items, targets, weights = [], [], [], []
        for place, y in enumerate(self.feedback):
            if isinstance(y, PreferenceGraph) and theory_of(loss).reads_edges and loss.target is None:
                if getattr(loss, "weight", "one") != "one":
                    raise ArgumentError(
                        f"Loss {loss} weighs pairs by their labels, which a preference graph does not have. "
                        "Use weight=one, with which a pair weighs what its edge weighs."
                    )
                for i, j, weight in y.edges:
                    of.append(place)
                    items.append([i, j])
                    targets.append([1.0, 0.0])
                    weights.append(float(weight))
            else:
                of.append(place)
                items.append(list(range(self.items)))
                targets.append(loss_inputs(loss, y))
                weights.append(1.0)
        self._of = np.array(of, dtype=np.int64)
        size = 2 if items and len(items[0]) == 2 else self.items
        self._items = np.array(items, dtype=np.int64).reshape(len(of), size)
        self._targets = np.array(targets, dtype=np.float64).reshape(len(of), size)
        self._weights = np.array(weights)
        loss.check_targets(self._targets.reshape(-1))

    @property
    def differentiable(self) -> bool:
        """Whether gradients are exact, not differences of values."""
        return isinstance(self.loss, Loss) or self.loss.gradient is not None

    def evaluate(self, scores: ArrayLike, probabilities: ArrayLike) -> tuple[Float64s, Float64s]:
        """Values and gradients at one row of scores per row of probabilities."""
        s, p = np.asarray(scores, dtype=np.float64), np.asarray(probabilities, dtype=np.float64)
        if isinstance(self.loss, UserLoss):
            return self._evaluate_user(self.loss, s, p)
        rows, terms = np.nonzero(p[:, self._of])
        return self._through_loop(s, rows, terms, p[rows, self._of[terms]] * self._weights[terms])

    def slopes(self, scores: ArrayLike) -> Float64s:
        """The gradient of every single feedback at every row of scores: rows x feedback x items."""
        s = np.asarray(scores, dtype=np.float64)
        many, kinds = s.shape[0], len(self.feedback)
        each = np.tile(np.eye(kinds), (many, 1))
        return self.evaluate(np.repeat(s, kinds, axis=0), each)[1].reshape(many, kinds, self.items)

    def values_at(self, points: ArrayLike) -> Float64s:
        """The loss of every single feedback at every row of scores: rows x feedback."""
        s = np.asarray(points, dtype=np.float64)
        many, kinds = s.shape[0], len(self.feedback)
        each = np.tile(np.eye(kinds), (many, 1))
        return self.evaluate(np.repeat(s, kinds, axis=0), each)[0].reshape(many, kinds)

    def derivatives(self, scores: Float64s, probabilities: Float64s) -> tuple[Float64s, Float64s, Float64s]:
        """Values, gradients and Hessians, the last by central differences of gradients."""
        many, n = scores.shape
        step = STEP if self.differentiable else VALUE_STEP
        shifts = np.concatenate([np.zeros((1, n)), step * np.eye(n), -step * np.eye(n)])
        points = (scores[:, None, :] + shifts[None]).reshape(-1, n)
        values, gradients = self.evaluate(points, np.repeat(probabilities, 2 * n + 1, axis=0))
        slopes = gradients.reshape(many, 2 * n + 1, n)
        hessians = (slopes[:, 1 : n + 1] - slopes[:, n + 1 :]) / (2.0 * step)
        return (
            values.reshape(many, 2 * n + 1)[:, 0],
            slopes[:, 0],
            0.5 * (hessians + hessians.transpose(0, 2, 1)),
        )

    def _through_loop(
        self, scores: Float64s, rows: Int64s, terms: Int64s, weights: Float64s
    ) -> tuple[Float64s, Float64s]:
        many, n = scores.shape
        if not isinstance(self.loss, Loss) or rows.size == 0:
            return np.zeros(many), np.zeros((many, n))
        items = self._items[terms]
        flat = scores[rows[:, None], items].reshape(-1)
        offsets = np.arange(rows.size + 1, dtype=np.int64) * items.shape[1]
        # Many small calls: threads would cost more than they save.
        with using(1):
            result = self.loss.fast(flat, self._targets[terms].reshape(-1), offsets, weights)
        values: Float64s = np.bincount(rows, result.per_query, minlength=many).astype(np.float64)
        places = (rows[:, None] * n + items).reshape(-1)
        gradients: Float64s = np.bincount(places, result.gradient, minlength=many * n).astype(np.float64)
        return values, gradients.reshape(many, n)

    def _evaluate_user(self, loss: UserLoss, scores: Float64s, p: Float64s) -> tuple[Float64s, Float64s]:
        values, gradients = np.zeros(len(scores)), np.zeros(scores.shape)
        for row, (s, shares) in enumerate(zip(scores, p, strict=True)):
            for place in np.nonzero(shares)[0]:
                values[row] += shares[place] * loss.value(s, self.feedback[place])
                gradients[row] += shares[place] * loss.slope(s, self.feedback[place])
        return values, gradients
