"""Where the minimisers of a user's expected loss lie: bounded by tangents, given that the loss is convex.

A convex function lies above its tangents. Around a center c take the box of half-width w. On every side of
the box the largest of a few tangents is bounded from below by a linear program; where the bound is not above
the value at c yet, a tangent is added at the place that the program names (Kelley's cutting planes). When all
sides lie above the value at c, so does everything outside, since a convex function that falls below on the
way out cannot rise in between: every minimiser is in the box. For a loss that is blind to a shift of all
scores, the same is done among the scores with the same sum.

At a kink there are many tangents, and neither central differences nor a gradient that splits a tie need give
one. But the slope of every tangent lies, item by item, between the differences of the two sides. So the
middle of the two is taken, and half of what is between them is its error, which the bound has to bear. Places
are moved a little, off the kinks that programs like to name.

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
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.custom.loss import STEP, UserLoss
from rankproof.theory.minima.minimise import minimise

__all__ = ["check_user_minimum", "enclose_user"]

MOST_TANGENTS = 40
# Rounding of values, and of slopes taken from differences, relative to their size.
VALUE_ROUNDING, DIFFERENCE_ROUNDING = 1e-11, 1e-7
# How far places are moved off the kinks, relative to the box.
MOVED = 1e-3
# A ball whose radius is this share of a gap tells the two scores apart.
SHARE = 0.65
SHIFTS = (-1.3, 0.7, 2.9)


def enclose_user(loss: UserLoss, law: Law, center: Sequence[float]) -> Minimum | None:
    """A ball near ``center`` that holds every minimiser, small enough to tell some items apart."""
    if not loss.convex:
        return None
    least = minimise(loss, law)
    near = least.scores if least.reached and not least.infinite else np.array(center, dtype=float)
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
        self.loss = loss
        self.terms = [(y, float(p)) for y, p in law.pairs()]
        self.center = np.array([float(x) for x in minimum.center])
        # The corners of the box lie within the ball, whatever the rounding.
        self.half = float(minimum.radius) / sqrt(law.items) * (1.0 - 1e-9)
        self.blind = _blind_to_shifts(loss, law, self.center)
        self.rng = np.random.default_rng(2012)
        # A tangent is at least its start plus its slope times the steps from the center, all over the box.
        self.starts: list[float] = []
        self.slopes: list[Float64s] = []
        self.level = self._add(self.center)[1]

    def _at(self, point: Float64s) -> tuple[float, float]:
        """The expected loss, and the size of what was added up."""
        values = [self.loss.value(point, y) for y, _ in self.terms]
        return sum(p * v for (_, p), v in zip(self.terms, values, strict=True)), max(map(abs, values))

    def _add(self, point: Float64s) -> tuple[float, float]:
        """Between which numbers the loss at a place is; the tangent there is remembered."""
        value, size = self._at(point)
        before, after = np.empty(point.size), np.empty(point.size)
        for item in range(point.size):
            step = np.zeros(point.size)
            step[item] = STEP * max(1.0, abs(point[item]))
            before[item] = (value - self._at(point - step)[0]) / step[item]
            after[item] = (self._at(point + step)[0] - value) / step[item]
        slope = (before + after) / 2.0
        size += 1.0 + float(np.abs(slope).max())
        rounding = VALUE_ROUNDING * size
        if np.isfinite(slope).all():
            error = np.abs(after - before) / 2.0 + DIFFERENCE_ROUNDING * size
            away = point - self.center
            worst = float(error @ (np.abs(away) + self.half))
            self.starts.append(value - float(slope @ away) - worst - rounding)
            self.slopes.append(slope)
        return value - rounding, value + rounding

    def side(self, item: int, way: float) -> str | None:
        """None when the loss is above its value at the center all over one side of the box."""
        x = self.center.copy()
        x[item] += way * self.half
        if self.blind:
            others = np.arange(x.size) != item
            x[others] -= way * self.half / (x.size - 1)
        for _ in range(MOST_TANGENTS):
            moved = x + MOVED * self.half * self.rng.uniform(-1.0, 1.0, x.size)
            if not self._add(moved)[0] > self.level:
                return f"the loss at {moved.tolist()} is not above that at the center"
            lowest, x = self._lowest(item, way)
            if lowest > self.level:
                return None
        return f"{MOST_TANGENTS} tangents do not bound the loss where item {item} is at the side of the box"

    def _lowest(self, item: int, way: float) -> tuple[float, Float64s]:
        """The least value of the largest tangent on a side, in steps from the center, and where it is."""
        from scipy.optimize import linprog

        n = self.center.size
        if not self.slopes:
            return -np.inf, self.center
        slopes, starts = np.array(self.slopes), np.array(self.starts)
        bounds = [(-self.half, self.half)] * n
        bounds[item] = (way * self.half, way * self.half)
        solution = linprog(
            np.concatenate([np.zeros(n), [1.0]]),
            A_ub=np.concatenate([slopes, -np.ones((len(slopes), 1))], axis=1),
            b_ub=self.level - starts,
            A_eq=np.concatenate([np.ones(n), [0.0]])[None] if self.blind else None,
            b_eq=[0.0] if self.blind else None,
            bounds=[*bounds, (None, None)],
            method="highs-ds",
        )
        if solution.status != 0 or solution.x is None:
            return -np.inf, self.center
        return self.level + float(solution.x[n]), self.center + solution.x[:n]


def _blind_to_shifts(loss: UserLoss, law: Law, center: Float64s) -> bool:
    """Whether adding a number to all scores changes nothing, tried at a few places."""
    rng = np.random.default_rng(2012)
    for y in law:
        for scores in (center, rng.normal(size=center.size)):
            value = loss.value(scores, y)
            for shift in SHIFTS:
                if abs(loss.value(scores + shift, y) - value) > VALUE_ROUNDING * (1.0 + abs(value)):
                    return False
    return True
