"""Minimisers of expected losses, in floats; `rankproof.theory.minima.enclosure` proves them.

Newton's method on many laws at once, with line search; from several starts where the loss is not convex. For
the hinge the minimiser is one of finitely many score vectors, and all are tried. Where scores would spread
without end (the infimum is not attained) the pairs that do are named.

>>> from rankproof.feedback import Law
>>> from rankproof.losses.parse import loss
>>> p = Law({(1, 0): "3/4", (0, 1): "1/4"})
>>> found = minimise(loss("RankNet"), p)  # the difference is the logarithm of 3
>>> found.scores[0] - found.scores[1], found.infinite
(np.float64(1.098612...), ())
>>> minimise(loss("RankNet"), Law.point((1, 0))).infinite
((0, 1),)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.minima.expected import ExpectedLosses
from rankproof.theory.minima.hinges import corners, hinge_step

__all__ = ["Minimised", "minimise", "minimise_many"]

MOST_STEPS = 60
MOST_HALVINGS = 40
# A step changes no score by more than this, so that exponentials stay in range.
LONGEST_STEP = 4.0
# Beyond this distance exponentials of differences are lost in rounding.
FAR = 25.0
# From this gap on it is looked at whether it is a minimum or an infimum that is not attained; and how.
WIDE, PUSH = 8.0, 25.0
# Slopes below this share of the largest slope of a single feedback are rounding.
FLAT, FLAT_DIFFERENCES = 1e-12, 1e-7
# How far starts are spread where the loss is not convex.
WIDTHS = (0.1, 1.0)


@dataclass(frozen=True, eq=False)
class Minimised:
    """Scores of the least expected loss.

    Attributes
    ----------
    scores : one number per item; where the infimum is not attained, scores on the way
    value : the expected loss there
    slope : the largest slope there, 0 at a minimum of a smooth loss
    infinite : the pairs (i, j) with s_i - s_j growing without end
    reached : whether the slope is 0 up to rounding (for hinges: whether it is a minimum, always)
    """

    scores: Float64s
    value: float
    slope: float
    infinite: tuple[tuple[int, int], ...]
    reached: bool


def minimise(loss: Loss | UserLoss, law: Law) -> Minimised:
    """The minimiser of the expected loss under a law."""
    if not isinstance(law, Law):
        raise ArgumentError(f"Argument law must be a Law, got {law!r:.80}.")
    expected = ExpectedLosses(loss, law.support)
    p = np.array([[float(q) for q in law.probabilities]])
    scores, values, slopes, reached = minimise_many(expected, p)
    # A convex loss that is exactly flat is at its minimum, however wide that is.
    attained = hinge_step(loss) is not None or (_convex(loss) and slopes[0] == 0.0)
    infinite = () if attained else _spreading(expected, p, scores[0])
    return Minimised(scores[0], float(values[0]), float(slopes[0]), infinite, bool(reached[0]))


def minimise_many(
    expected: ExpectedLosses, probabilities: Float64s, starts: Float64s | None = None
) -> tuple[Float64s, Float64s, Float64s, NDArray[np.bool_]]:
    """Minimisers of one law per row: scores, values, largest slopes, and whether those are 0 up to rounding.

    ``starts`` are scores to start from, one row per law, for losses of which every minimum is the minimum.
    """
    step = hinge_step(expected.loss)
    many, n = len(probabilities), expected.items
    if step is not None:
        points = step * corners(n)
        at: Float64s = probabilities @ expected.values_at(points).T
        # The first of equal ones in the order of the corners, whatever rounding says.
        least = (at <= at.min(axis=1, keepdims=True) + 1e-12).argmax(axis=1)
        return points[least].astype(float), at.min(axis=1), np.zeros(many), np.ones(many, dtype=bool)
    if _convex(expected.loss):
        return _newton(expected, probabilities, _first(expected, probabilities) if starts is None else starts)
    every = _many_starts(expected, probabilities)
    ends = _newton(expected, np.tile(probabilities, (len(every), 1)), np.concatenate(every))
    kinds = len(every)
    scores, values = ends[0].reshape(kinds, many, n), ends[1].reshape(kinds, many)
    slopes, reached = ends[2].reshape(kinds, many), ends[3].reshape(kinds, many)
    # The first of equal ones, whatever rounding says.
    least = (values <= values.min(axis=0) + 1e-13 * (1.0 + np.abs(values.min(axis=0)))).argmax(axis=0)
    rows = np.arange(many)
    return scores[least, rows], values[least, rows], slopes[least, rows], reached[least, rows]


def _convex(loss: Loss | UserLoss) -> bool:
    return bool(loss.claims.value("convex") if isinstance(loss, Loss) else loss.convex)


def _first(expected: ExpectedLosses, probabilities: Float64s) -> Float64s:
    return np.zeros((len(probabilities), expected.items))


def _many_starts(expected: ExpectedLosses, probabilities: Float64s) -> list[Float64s]:
    """Downhill from 0, and spread in every order."""
    n = expected.items
    zero = _first(expected, probabilities)
    downhill = -expected.evaluate(zero, probabilities)[1]
    sizes = np.linalg.norm(downhill, axis=1, keepdims=True)
    starts = [np.where(sizes > 0, downhill / np.where(sizes > 0, sizes, 1.0), 1.0)]
    for order in permutations(range(n)):
        starts += [zero + width * np.array(order, dtype=float) for width in WIDTHS]
    return starts


def _newton(
    expected: ExpectedLosses, p: Float64s, starts: Float64s
) -> tuple[Float64s, Float64s, Float64s, NDArray[np.bool_]]:
    s = np.array(starts, dtype=float)
    many = len(s)
    values, slopes = np.full(many, np.inf), np.full(many, np.inf)
    scale = _slope_scale(expected, p)
    flat = (FLAT if expected.differentiable else FLAT_DIFFERENCES) * scale
    active = np.arange(many)
    for _ in range(MOST_STEPS):
        v, g, h = expected.derivatives(s[active], p[active])
        values[active], slopes[active] = v, np.abs(g).max(axis=1)
        going = (slopes[active] > flat[active]) & (np.abs(s[active]).max(axis=1) < FAR)
        active, v, g, h = active[going], v[going], g[going], h[going]
        if active.size == 0:
            break
        moved = _search(expected, p[active], s[active], v, g, _directions(g, h, flat[active]))
        stuck = (moved == s[active]).all(axis=1)
        s[active] = moved
        active = active[~stuck]
        if active.size == 0:
            break
    # The last halvings are lost in the rounding of values long before the slope is large.
    return s, values, slopes, slopes <= 1e4 * flat


def _slope_scale(expected: ExpectedLosses, p: Float64s) -> Float64s:
    """The size of the slopes that cancel at the minimum: the mean over feedback of the largest one at 0."""
    n = expected.items
    each = np.abs(expected.slopes(np.zeros((1, n)))[0]).max(axis=1)
    scale: Float64s = np.maximum(p @ each, 1e-300)
    return scale


def _directions(g: Float64s, h: Float64s, flat: Float64s) -> Float64s:
    """Newton steps with the absolute values of the curvatures, so that they go down, of limited length."""
    eigenvalues, axes = np.linalg.eigh(h)
    size = np.abs(eigenvalues)
    along = np.einsum("kij,ki->kj", axes, g)
    steps = along / np.maximum(np.maximum(size, np.abs(along) / LONGEST_STEP), 1e-200)
    # Where nothing bends, what is left of the slope is rounding.
    straight = size <= 1e-9 * size.max(axis=1, keepdims=True)
    steps[straight & (np.abs(along) <= flat[:, None])] = 0.0
    directions: Float64s = -np.einsum("kij,kj->ki", axes, steps)
    return directions


def _search(
    expected: ExpectedLosses, p: Float64s, s: Float64s, v: Float64s, g: Float64s, d: Float64s
) -> Float64s:
    """Scores after a step of each law that lowers its value, or its slope where the value stays."""
    moved = s.copy()
    waiting = np.arange(len(s))
    fall = np.einsum("ki,ki->k", g, d)
    slope = np.abs(g).max(axis=1)
    length = 1.0
    for _ in range(MOST_HALVINGS):
        points = s[waiting] + length * d[waiting]
        values, gradients = expected.evaluate(points, p[waiting])
        lower = values <= v[waiting] + 1e-4 * length * fall[waiting]
        level = values <= v[waiting] + 1e-14 * (1.0 + np.abs(v[waiting]))
        good = lower | (level & (np.abs(gradients).max(axis=1) < 0.9 * slope[waiting]))
        moved[waiting[good]] = points[good]
        waiting = waiting[~good]
        if waiting.size == 0:
            break
        length *= 0.5
    return moved


def _spreading(expected: ExpectedLosses, p: Float64s, scores: Float64s) -> tuple[tuple[int, int], ...]:
    """The pairs across gaps that could be wider without a rise of the loss."""
    order = np.argsort(-scores, kind="stable")
    scale = float(_slope_scale(expected, p)[0])
    # What the loss divides differences by, where it does.
    unit = float(getattr(expected.loss, "temperature", 1.0))
    pairs = set()
    for cut in range(1, scores.size):
        upper, lower = order[:cut], order[cut:]
        if scores[upper[-1]] - scores[lower[0]] < WIDE * unit:
            continue
        for block, way in ((upper, PUSH * unit), (lower, -PUSH * unit)):
            pushed = scores.copy()
            pushed[block] += way
            slope = expected.evaluate(pushed[None], p)[1][0][block].sum() * np.sign(way)
            if slope <= 1e-9 * scale:
                pairs |= {(int(i), int(j)) for i in upper for j in lower}
                break
    return tuple(sorted(pairs))
