"""Where losses converge: for many laws at once, scores in the order of the minimiser of the expected loss.

A loss whose minimiser sorts as a mean E[v(Y)] is read off that mean (`mean_vectors`); one with the hinge as
its margin is tried at finitely many points; any other is minimised. All in floats: what is found here still
has to be proven.

>>> from rankproof.losses.parse import loss
>>> from rankproof.feedback.spaces import graded_space
>>> mean_vectors(loss("pointwise-logistic(rel=2)"), graded_space(2, [1, 2]).feedback)
array([[0., 0.],
       [0., 1.],
       [1., 0.],
       [1., 1.]])
>>> mean_vectors(loss("RankNet"), graded_space(2).feedback) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.feedback import Feedback
from rankproof.feedback.spaces import Space
from rankproof.losses.base import Loss
from rankproof.theory.base.values import Ranking
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.formulas.table import theory_of
from rankproof.theory.minima.expected import ExpectedLosses, loss_inputs
from rankproof.theory.minima.hinges import corners, hinge_step
from rankproof.theory.minima.minimise import minimise_many

__all__ = ["Convergence", "has_minimiser", "mean_bounds", "mean_vectors"]

# Scores closer than this share of their spread are not told apart.
TIED = 1e-7
FARTHEST = 15.0


def has_minimiser(loss: Loss | UserLoss, items: int) -> bool:
    """Whether training ends at a minimum of the loss on that many items.

    The gradients of lambdas are those of no function, but on two items, where both orders weigh the same.
    """
    return items == 2 or theory_of(loss).follows_ranking is None


def mean_vectors(loss: Loss | UserLoss, feedback: Sequence[Feedback]) -> Float64s | None:
    """One row v(y) per feedback, for losses whose minimiser sorts as E[v(Y)] does; None for others."""
    if not isinstance(loss, Loss):
        return None
    own = theory_of(loss).mean_vectors
    if own is None and loss.claims.value("order_preserving") is not True:
        return None
    inputs = np.array([loss_inputs(loss, y) for y in feedback])
    loss.check_targets(inputs.reshape(-1))
    vectors = None if own is None else own(loss, inputs)
    if vectors is None and loss.claims.value("order_preserving") is True:
        return inputs
    return vectors


def mean_bounds(loss: Loss | UserLoss) -> tuple[float, float]:
    """Between which numbers each mean E[v_i] must lie for the minimum to be attained.

    Probabilities that are 0 or 1 ask for scores at infinity, and so does an item whose targets are all 0.
    """
    bounds = theory_of(loss).mean_bounds
    if bounds is not None:
        return bounds(loss)
    nothing = isinstance(loss, Loss) and loss.needs == "nonnegative target"
    return (0.0, np.inf) if nothing else (-np.inf, np.inf)


class Convergence:
    """Where one loss converges on one space, and what the metric loses there.

    Attributes
    ----------
    kind : "mean", "corner" or "newton", the way it is computed
    vectors : v of every feedback ("mean")
    points, at_points : the points that are tried, and the loss there of every feedback ("corner")
    bounds : between which the means must lie for a minimum ("mean")
    expected : the expected loss
    compared : at how many laws the loss was followed and the metric compared, so far
    """

    def __init__(
        self, loss: Loss | UserLoss, space: Space, values: Float64s, rankings: Sequence[Ranking]
    ) -> None:
        self.space, self.values = space, values
        self._codes = {ranking: k for k, ranking in enumerate(rankings)}
        self._index = self._table(space.items)
        self.loss = loss
        self.compared = 0
        self.vectors = mean_vectors(loss, space.feedback)
        self.bounds = mean_bounds(loss)
        self.expected = ExpectedLosses(loss, space.feedback)
        step = hinge_step(loss)
        self.kind = "mean" if self.vectors is not None else "newton" if step is None else "corner"
        self.points = step * corners(space.items) if step is not None else np.empty((0, space.items))
        self.at_points = np.empty((0, len(space)))
        if self.kind == "corner":
            self.at_points = self.expected.values_at(self.points)

    def scores(self, probabilities: Float64s, starts: Float64s | None = None) -> Float64s:
        """One row of scores per law, NaN where the minimiser was not reached."""
        if self.vectors is not None:
            means: Float64s = probabilities @ self.vectors
            low, high = self.bounds
            means[((means <= low + 1e-9) | (means >= high - 1e-9)).any(axis=1)] = np.nan
            return means
        return self._minimised(probabilities, starts)

    def minimisers(self, probabilities: Float64s, scores: Float64s) -> Float64s:
        """The minimisers themselves for `scores` that have their order; NaN where there are none."""
        convex = self.loss.claims.value("convex") if isinstance(self.loss, Loss) else self.loss.convex
        return self._minimised(probabilities) if self.kind == "mean" and convex else scores

    def _minimised(self, probabilities: Float64s, starts: Float64s | None = None) -> Float64s:
        scores, _, _, reached = minimise_many(self.expected, probabilities, starts)
        # Spread far apart: no minimum, or none that could be proven.
        reached &= np.abs(scores).max(axis=1) < FARTHEST
        scores[~reached] = np.nan
        return scores

    def costs(self, probabilities: Float64s, *, ties: bool = False) -> tuple[Float64s, Float64s]:
        """What the metric loses at the minimiser of every law, at least, and the scores there.

        Of rankings that sort the same scores the best one counts; with ``ties``, for corners, their mean.
        """
        worth = probabilities @ self.values.T
        best = worth.max(axis=1)
        self.compared += len(probabilities)
        if self.kind == "corner":
            return self._corner_costs(probabilities, worth, best, ties)
        scores = self.scores(probabilities)
        solved = np.nonzero(~np.isnan(scores).any(axis=1))[0]
        costs = np.zeros(len(probabilities))
        s = scores[solved]
        unit = TIED * np.maximum(np.ptp(s, axis=1, keepdims=True), 1e-9)
        rounded = np.round(s / unit)
        costs[solved] = best[solved] - worth[solved, self._rank(np.argsort(-rounded, axis=1, kind="stable"))]
        # Only those that seem to lose something, and have ties, are looked at again.
        tied = (np.diff(np.sort(rounded, axis=1), axis=1) == 0).any(axis=1) & (costs[solved] > 0)
        for row, scored in zip(solved[tied], rounded[tied], strict=True):
            costs[row] = best[row] - worth[row, self._sorts(scored)].max()
        return costs, scores

    def _corner_costs(
        self, probabilities: Float64s, worth: Float64s, best: Float64s, ties: bool
    ) -> tuple[Float64s, Float64s]:
        """Every corner that is a minimum counts, the one that loses least."""
        at = probabilities @ self.at_points.T
        least = at <= at.min(axis=1, keepdims=True) + 1e-12
        costs = np.full((len(probabilities), len(self.points)), np.inf)
        for place, point in enumerate(self.points):
            rows = np.nonzero(least[:, place])[0]
            if rows.size:
                sorts = worth[rows][:, self._sorts(point)]
                costs[rows, place] = best[rows] - (sorts.mean(axis=1) if ties else sorts.max(axis=1))
        where = costs.argmin(axis=1)
        return costs[np.arange(len(costs)), where], self.points[where].astype(float)

    def _sorts(self, point: Float64s) -> list[int]:
        return [k for ranking, k in self._codes.items() if (np.diff(point[list(ranking)]) <= 0).all()]

    def _table(self, n: int) -> Int64s:
        """The place of a ranking by its digits in base n."""
        table = np.zeros(n**n, dtype=np.int64)
        for ranking, place in self._codes.items():
            table[sum(item * n**k for k, item in enumerate(ranking))] = place
        return table

    def _rank(self, orders: Any) -> Int64s:
        n = self.space.items
        places: Int64s = self._index[orders @ (n ** np.arange(n))]
        return places
