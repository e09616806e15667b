"""The formula of cumulative logits whose intercepts are fitted to the query.

A level of the target adds T(s) = min_b sum_i log(1 + e^(s_i + b)) - sum_{i reached} (s_i + b). At the
minimum the derivative by b is 0, so by s_i it is sigma(s_i + b) - 1[i reached]; and b falls by c_i / sum c
when s_i rises, with c_i = sigma'(s_i + b), so the second derivatives are c_i 1[i = j] - c_i c_j / sum c. On
a box of scores, b is enclosed: the derivative of the sum by b rises with b and with every score, so signs
at two corners of the box show between which numbers b lies, whatever the scores of the box; interval Newton
steps narrow that down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from rankproof.losses.query_ordinal import QueryOrdinal
from rankproof.theory.arithmetic.functions import sigmoid, softplus
from rankproof.theory.arithmetic.intervals import ZERO, Enclosure, UnprovenError
from rankproof.theory.arithmetic.jets import Jet
from rankproof.theory.formulas.items import total

__all__ = ["query_ordinal"]

# How far beyond the floats at which the sum is 0 its sign is looked at.
_BESIDE = Fraction(1, 10**9)
_STEPS = 4
# More different targets are cut into bands.
_MOST = 32


def query_ordinal(loss: QueryOrdinal, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """The sum over levels of their rise times T(s)."""
    levels = _levels(u)
    if len(levels[0]) > _MOST + 1:
        raise UnprovenError(f"The formula is for queries of at most {_MOST + 1} different targets.")
    terms = [
        _of_level(scores, [places >= at for places in levels[1]]) * (high - low)
        for at, (low, high) in enumerate(pairwise(levels[0]), 1)
    ]
    return total(terms) if terms else scores[0] * 0


def _levels(u: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """The different targets in rising order, and at which of them each item is."""
    if not any(isinstance(x, Enclosure) for x in u):
        values = sorted(set(u))
        return values, [values.index(x) for x in u]
    boxes = [Enclosure.from_number(x) for x in u]
    # Numbers that were computed alike are one number; others must be known to differ.
    ends = sorted({(x.low, x.high) for x in boxes})
    if any(below[1] >= above[0] for below, above in pairwise(ends)):
        raise UnprovenError("Which of two targets is the larger one cannot be decided with these bounds.")
    return [Enclosure(*pair) for pair in ends], [ends.index((x.low, x.high)) for x in boxes]


def _of_level(scores: Sequence[Any], reached: Sequence[bool]) -> Any:
    """T(s) in the arithmetic of the scores."""
    if all(isinstance(s, float) for s in scores):
        b: Any = _intercept(scores, sum(reached))
        return total([softplus(-s - b if yes else s + b) for s, yes in zip(scores, reached, strict=True)])
    boxes = [s.value if isinstance(s, Jet) else Enclosure.from_number(s) for s in scores]
    b = _enclosed_intercept(boxes, sum(reached))
    shifted = [s + b if isinstance(s, Jet) else box + b for s, box in zip(scores, boxes, strict=True)]
    held = total([softplus(-x if yes else x) for x, yes in zip(shifted, reached, strict=True)])
    return held + _bend(scores, boxes, b) if isinstance(held, Jet) else held


def _bend(scores: Sequence[Any], boxes: Sequence[Enclosure], b: Enclosure) -> Jet:
    """What the change of the intercept adds to the second derivatives, and to nothing else."""
    curvatures = [_curvature(box + b) for box in boxes]
    mass = total(curvatures)
    pull: dict[int, Enclosure] = {}
    for s, c in zip(scores, curvatures, strict=True):
        for at, slope in (s.gradient if isinstance(s, Jet) else {}).items():
            pull[at] = pull.get(at, ZERO) + c * slope
    places = sorted(pull)
    hessian = {(i, j): -(pull[i] * pull[j] / mass) for i in places for j in places if i <= j}
    return Jet(ZERO, {}, hessian)


def _curvature(x: Enclosure) -> Enclosure:
    p = sigmoid(x)
    return Enclosure.from_number(p * (1 - p))


def _enclosed_intercept(boxes: Sequence[Enclosure], count: int) -> Enclosure:
    """Between which numbers the intercept is, for all scores of the boxes."""
    low = Fraction(_intercept([float(x.upper) for x in boxes], count)) - _BESIDE
    high = Fraction(_intercept([float(x.lower) for x in boxes], count)) + _BESIDE
    ends = [
        [Enclosure.from_number(x) for x in end]
        for end in zip(*((x.lower, x.upper) for x in boxes), strict=True)
    ]
    if not (_excess(ends[1], low, count) < 0 and _excess(ends[0], high, count) > 0):
        raise UnprovenError("The intercept of the query cannot be enclosed with these bounds.")
    b = Enclosure.from_bounds(low, high)
    for _ in range(_STEPS):
        middle = b.middle
        slope = total([_curvature(x + b) for x in boxes])
        nearer = Enclosure.from_number(middle) - _excess(boxes, middle, count) / slope
        low, high = max(b.lower, nearer.lower), min(b.upper, nearer.upper)
        b = Enclosure.from_bounds(low, high)
    return b


def _excess(boxes: Sequence[Enclosure], b: Fraction, count: int) -> Enclosure:
    """The sum of sigma(s_i + b), less the count."""
    return Enclosure.from_number(total([sigmoid(x + b) for x in boxes]) - count)


def _intercept(scores: Sequence[float], count: int) -> float:
    """The intercept in floats, by halving an interval that holds it."""
    middle = (max(scores) + min(scores)) / 2
    reach = (max(scores) - min(scores)) / 2 + abs(math.log(count / (len(scores) - count))) + 1
    low, high = -reach, reach
    while True:
        b = (low + high) / 2
        if b in (low, high):
            return b - middle
        if sum(sigmoid(s - middle + b) for s in scores) < count:
            low = b
        else:
            high = b
