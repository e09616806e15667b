"""Where the minimisers of a user's expected loss lie: bounded by tangents, given that the loss is convex.

A convex function lies above its tangents. Around a center c take the box of half-width w. On every side of
the box the largest of a few tangents is bounded from below by a linear program; where the bound is not above
the value at c yet, a tangent is added at the place that the program names (Kelley's cutting planes). When all
sides lie above the value at c, so does everything outside, since a convex function that falls below on the
way out cannot rise in between: every minimiser is in the box. For a loss that is blind to a shift of all
scores, the same is done among the scores with the same sum.

The numbers are floats, with room for their rounding, and that the loss is convex is the user's word. So this
is a computation that anyone can repeat, not a proof in intervals as for the losses of the registry.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

import numpy as np

from rankproof.arrays import Float64s
from rankproof.feedback import Law
from rankproof.theory.minima.expected import ExpectedLosses
from rankproof.theory.minima.minimise import minimise
from rankproof.theory.minima.minimum import Minimum
from rankproof.theory.user.loss import UserLoss

__all__ = ["check_user_minimum", "enclose_user"]

MOST_TANGENTS = 40
# Rounding of values, and of slopes that are given or taken from differences, relative to their size.
VALUE_ROUNDING, SLOPE_ROUNDING, DIFFERENCE_ROUNDING = 1e-11, 1e-11, 1e-7
# A ball whose radius is this share of a gap tells the two scores apart.
SHARE = 0.65
SHIFTS = (-1.3, 0.7, 2.9)


def enclose_user(loss: UserLoss, law: Law, center: Sequence[float]) -> Minimum | None:
    """A ball near ``center`` that holds every minimiser, small enough to tell some items apart."""
    if not loss.convex:
        return None
    found = minimise(loss, law)
    near = found.scores if found.reached and not found.infinite else np.array(center, dtype=float)
    exact = tuple(Fraction(float(x)) for x in near)
    gaps = sorted({float(gap) for gap in np.diff(np.sort(near)) if gap > 1e-6 * (1.0 + np.ptp(near))})
    for gap in gaps:
        minimum = Minimum("ball", exact, Fraction(SHARE * gap))
        if check_user_minimum(loss, law, minimum) is None:
            return minimum
    return None


def check_user_minimum(loss: UserLoss, law: Law, minimum: Minimum) -> str | None:
    """None when every minimiser lies in the ball (see the module docstring), else why that is open."""
    if not loss.convex:
        return f"the loss {loss} is not said to be convex"
    if minimum.method != "ball":
        return f"the minimum of a user's loss is bounded by a ball, not by the method {minimum.method}"
    if len(minimum.center) != law.items:
        return f"the center has {len(minimum.center)} numbers, but the law is on {law.items} items"
    box = _Box(loss, law, minimum)
    for item in range(law.items):
        for side in (-1.0, 1.0):
            wrong = box.side(item, side)
            if wrong is not None:
                return wrong
    return None


class _Box:
    """The box around the center, and the tangents known so far."""

    def __init__(self, loss: UserLoss, law: Law, minimum: Minimum) -> None:
        self.expected = ExpectedLosses(loss, law.support)
        self.shares = np.array([[float(p) for p in law.probabilities]])
        self.center = np.array([float(x) for x in minimum.center])
        # The corners of the box lie within the ball, whatever the rounding.
        self.half = float(minimum.radius) / sqrt(law.items) * (1.0 - 1e-9)
        self.blind = _blind_to_shifts(loss, law, self.center)
        self.points: list[Float64s] = []
        self.values: list[float] = []
        self.slopes: list[Float64s] = []
        self.level = self._add(self.center)
        exactly = loss.gradient is not None
        size = 1.0 + abs(self.level) + float(np.abs(self.expected.slopes(self.center[None])).max())
        slope_error = (SLOPE_ROUNDING if exactly else DIFFERENCE_ROUNDING) * size
        self.slack = VALUE_ROUNDING * size + 2.0 * self.half * law.items * slope_error

    def _add(self, point: Float64s) -> float:
        values, slopes = self.expected.evaluate(point[None], self.shares)
        self.points.append(point)
        self.values.append(float(values[0]))
        self.slopes.append(slopes[0])
        return float(values[0])

    def side(self, item: int, way: float) -> str | None:
        """None when the loss is above its value at the center all over one side of the box."""
        x = self.center.copy()
        x[item] += way * self.half
        if self.blind:
            others = np.arange(x.size) != item
            x[others] -= way * self.half / (x.size - 1)
        for _ in range(MOST_TANGENTS):
            if not self._add(x) > self.level + self.slack:
                return f"the loss at {x.tolist()} is not above that at the center"
            lowest, x = self._lowest(item, way)
            if lowest > self.level + self.slack:
                return None
        return f"{MOST_TANGENTS} tangents do not bound the loss where item {item} is at the side of the box"

    def _lowest(self, item: int, way: float) -> tuple[float, Float64s]:
        """The least value of the largest tangent on a side, in steps from the center, and where it is."""
        from scipy.optimize import linprog

        n = self.center.size
        slopes = np.array(self.slopes)
        starts = np.array(self.values) - np.einsum("ki,ki->k", slopes, np.array(self.points) - self.center)
        bounds = [(-self.half, self.half)] * n
        bounds[item] = (way * self.half, way * self.half)
        found = linprog(
            np.concatenate([np.zeros(n), [1.0]]),
            A_ub=np.concatenate([slopes, -np.ones((len(slopes), 1))], axis=1),
            b_ub=self.level - starts,
            A_eq=np.concatenate([np.ones(n), [0.0]])[None] if self.blind else None,
            b_eq=[0.0] if self.blind else None,
            bounds=[*bounds, (None, None)],
            method="highs-ds",
        )
        if found.status != 0 or found.x is None:
            return -np.inf, self.center
        return self.level + float(found.x[n]), self.center + found.x[:n]


def _blind_to_shifts(loss: UserLoss, law: Law, center: Float64s) -> bool:
    """Whether adding a number to all scores changes nothing, tried at a few places."""
    rng = np.random.default_rng(2012)
    for y in law:
        for scores in (center, rng.normal(size=center.size)):
            value = loss.value(scores, y)
            for shift in SHIFTS:
                if abs(loss.value(scores + shift, y) - value) > 1e-9 * (1.0 + abs(value)):
                    return False
    return True
