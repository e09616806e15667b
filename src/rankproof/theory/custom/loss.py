"""A loss of the user's own: a plain function ``(scores, feedback) -> number``, perhaps with its gradient.

The scores are an array of one number per item; the feedback gives the grade of an item by ``feedback[item]``
(see `rankproof.feedback`). The functions are tried on scores and feedback of a space before they are used:
they must give numbers, the same when called again, treat all items alike, and the gradient must be that of
the function. Without a gradient, it is taken from differences of the function. A file may say both as
attributes of the function: ``pairs.gradient = pairs_gradient`` and ``pairs.convex = True``.

>>> from rankproof.feedback import Graded
>>> def pairs(scores, feedback):
...     n = len(scores)
...     return sum(np.logaddexp(0, scores[j] - scores[i]) for i in range(n) for j in range(n)
...                if feedback[i] > feedback[j])
>>> loss = as_user_loss(pairs, convex=True)
>>> loss, loss.value([0.0, 0.0], Graded((1, 0))) / np.log(2)
(pairs, np.float64(1.0))
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, RankproofError
from rankproof.feedback import Feedback, Law
from rankproof.feedback.spaces import Space

__all__ = ["UserLoss", "as_user_loss"]

# Steps of central differences: the error of the derivative is least near the cube root of the rounding.
STEP = 6e-6
# How far a stated derivative may be from the differences, relative to the size of what is compared.
SAME_SLOPE = 1e-4
# Rounding of a few dozen floating-point operations.
SAME_VALUE = 1e-9
MOST_FEEDBACK = 30
POINTS = 4


@dataclass(frozen=True, repr=False)
class UserLoss:
    """A function with its name; see the module docstring.

    Attributes
    ----------
    function : ``(scores, feedback) -> number``
    name : what it is called in texts
    gradient : ``(scores, feedback) -> numbers, one per item``, or None
    convex : whether it is convex in the scores, or None when that is not known
    """

    function: Callable[[Any, Any], Any]
    name: str
    gradient: Callable[[Any, Any], Any] | None = None
    convex: bool | None = None

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def value(self, scores: ArrayLike, feedback: Feedback) -> float:
        """The loss, a number; infinite where it overflows."""
        s = np.array(scores, dtype=np.float64)
        result = self._call("function", self.function, s, feedback)
        number = _number(result)
        if number is None or number != number or number == -np.inf:
            raise ArgumentError(
                f"Loss {self} gave {result!r} on {_call(s, feedback)}; it must give a number for all scores "
                "and every feedback."
            )
        return number

    def slope(self, scores: ArrayLike, feedback: Feedback) -> Float64s:
        """The gradient: the user's, or central differences."""
        s = np.array(scores, dtype=np.float64)
        if self.gradient is None:
            return self._differences(s, feedback)
        result = self._call("gradient", self.gradient, s, feedback)
        try:
            slope = np.asarray(result, dtype=np.float64)
        except (TypeError, ValueError):
            slope = np.empty(0)
        if slope.shape != s.shape or np.isnan(slope).any():
            raise ArgumentError(
                f"The gradient of loss {self} gave {result!r:.80} on {_call(s, feedback)}; it must give one "
                f"number per item ({s.size})."
            )
        return slope

    def expected(self, law: Law, scores: ArrayLike) -> tuple[float, Float64s]:
        """The mean of the loss under a law, and its gradient."""
        terms = [(float(p), self.value(scores, y), self.slope(scores, y)) for y, p in law.pairs()]
        return sum(p * v for p, v, _ in terms), sum((p * g for p, _, g in terms), np.zeros(law.items))

    def check(self, space: Space, seed: int = 0) -> None:
        """Try the functions on the space; the first rule that is broken is raised."""
        rng = np.random.default_rng(seed)
        feedback: Sequence[Feedback] = space.feedback
        if len(feedback) > MOST_FEEDBACK:
            kept = sorted(rng.choice(len(feedback), MOST_FEEDBACK, replace=False).tolist())
            feedback = [space.feedback[k] for k in kept]
        points = [rng.normal(size=space.items) * scale for scale in np.geomspace(0.3, 2.0, POINTS)]
        calls = [(s, y) for y in feedback for s in points]
        values = [self._finite(s, y) for s, y in calls]
        # The other way round, so that a function that counts its calls shows.
        for (s, y), before in zip(reversed(calls), reversed(values), strict=True):
            again = self.value(s, y)
            if again != before:
                raise ArgumentError(
                    f"Loss {self} is not deterministic: on {_call(s, y)} it gave {before:.12g}, then "
                    f"{again:.12g}. Take out what is random or remembered."
                )
        for (s, y), value in zip(calls, values, strict=True):
            self._check_symmetry(s, y, value)
            if self.gradient is not None:
                self._check_gradient(s, y, value)
        if self.convex:
            self._check_convex(feedback, points)

    def _finite(self, scores: Float64s, feedback: Feedback) -> float:
        value = self.value(scores, feedback)
        if not np.isfinite(value):
            raise ArgumentError(
                f"Loss {self} gave {value} on {_call(scores, feedback)}; it must give a finite number there."
            )
        return value

    def _check_symmetry(self, scores: Float64s, feedback: Feedback, value: float) -> None:
        # Exchanges of neighbours generate all relabellings.
        for i in range(scores.size - 1):
            order = list(range(scores.size))
            order[i], order[i + 1] = i + 1, i
            other, there = scores[order], feedback.relabel(order)
            renamed = self.value(other, there)
            if abs(renamed - value) > SAME_VALUE * (1.0 + abs(value)):
                raise ArgumentError(
                    f"Loss {self} does not treat all items alike: it gives {value:.9g} on "
                    f"{_call(scores, feedback)}, but {renamed:.9g} on {_call(other, there)}, which is the "
                    f"same with items {i} and {i + 1} renamed. A loss must look at the feedback of an item, "
                    "not at its number; put what distinguishes items into the feedback."
                )

    def _check_gradient(self, scores: Float64s, feedback: Feedback, value: float) -> None:
        stated = self.slope(scores, feedback)
        for i, slope in enumerate(stated):
            step = np.zeros(scores.size)
            step[i] = STEP * max(1.0, abs(scores[i]))
            after = (self.value(scores + step, feedback) - value) / step[i]
            before = (value - self.value(scores - step, feedback)) / step[i]
            # Between the slopes of the two sides, which differ at a kink.
            slack = SAME_SLOPE * (1.0 + abs(value) + abs(before) + abs(after))
            if not min(before, after) - slack <= slope <= max(before, after) + slack:
                raise ArgumentError(
                    f"The gradient of loss {self} is not that of the function: on {_call(scores, feedback)} "
                    f"it gives {slope:.6g} for item {i}, where the function has slope "
                    f"{(before + after) / 2:.6g}."
                )

    def _check_convex(self, feedback: Sequence[Feedback], points: Sequence[Float64s]) -> None:
        for y in feedback:
            for a, b in zip(points, [*points[1:], points[0]], strict=True):
                ends = self.value(a, y), self.value(b, y)
                for share in (0.25, 0.5, 0.75):
                    between = share * a + (1.0 - share) * b
                    chord = share * ends[0] + (1.0 - share) * ends[1]
                    value = self.value(between, y)
                    if value > chord + SAME_VALUE * (1.0 + abs(ends[0]) + abs(ends[1])):
                        raise ArgumentError(
                            f"Loss {self} is said to be convex, but on {_call(between, y)} it is "
                            f"{value:.9g}, above the chord from {_shown(a)} to {_shown(b)} ({chord:.9g})."
                        )

    def _differences(self, scores: Float64s, feedback: Feedback) -> Float64s:
        slope = np.empty(scores.size)
        for i in range(scores.size):
            step = np.zeros(scores.size)
            step[i] = STEP * max(1.0, abs(scores[i]))
            rise = self.value(scores + step, feedback) - self.value(scores - step, feedback)
            slope[i] = rise / (2.0 * step[i])
        return slope

    def _call(self, what: str, function: Callable[[Any, Any], Any], scores: Float64s, y: Feedback) -> Any:
        try:
            with np.errstate(all="ignore"):
                # A copy: the function may not change the scores.
                return function(scores.copy(), y)
        except RankproofError:
            raise
        except OverflowError:
            return np.inf if what == "function" else np.zeros(scores.size)
        except Exception as error:
            whose = "Loss" if what == "function" else "The gradient of loss"
            raise ArgumentError(
                f"{whose} {self} failed on {_call(scores, y)}: {type(error).__name__}: {error}. It must give "
                "a number (the gradient: one per item) for all scores and every feedback."
            ) from error


def as_user_loss(
    function: Callable[[Any, Any], Any] | UserLoss,
    *,
    gradient: Callable[[Any, Any], Any] | None = None,
    convex: bool | None = None,
    name: str | None = None,
) -> UserLoss:
    """The user's function as a loss; ``convex`` says whether it is known to be convex in the scores.

    What is not given is looked for as an attribute of the function.
    """
    if isinstance(function, UserLoss):
        return function
    gradient = getattr(function, "gradient", None) if gradient is None else gradient
    convex = getattr(function, "convex", None) if convex is None else convex
    for role, thing in (("loss", function), ("gradient", gradient)):
        if not callable(thing) and (thing is not None or role == "loss"):
            raise ArgumentError(f"Argument {role} must be a function of scores and feedback, got {thing!r}.")
    if convex not in (True, False, None):
        raise ArgumentError(f"Argument convex must be True, False or None (not known), got {convex!r}.")
    return UserLoss(function, name or str(getattr(function, "__name__", "loss")), gradient, convex)


def _number(result: Any) -> float | None:
    if isinstance(result, numbers.Real):
        return float(result)
    if isinstance(result, np.ndarray) and result.size == 1 and result.dtype.kind in "fiub":
        return float(result.reshape(()))
    return None


def _call(scores: Float64s, feedback: Feedback) -> str:
    return f"scores {_shown(scores)}, feedback {feedback!r}"


def _shown(scores: Float64s) -> str:
    return f"[{', '.join(f'{s:.6g}' for s in scores)}]"
