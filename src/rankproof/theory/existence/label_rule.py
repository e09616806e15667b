"""What labels are worth, read off a table of targets."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from rankproof.feedback import Graded
from rankproof.feedback.spaces import Space
from rankproof.metrics.own.rule import LabelRule

__all__ = ["ROUNDED", "label_rule", "simple"]

# Rounding of targets that come from floats, beside the largest.
ROUNDED = Fraction(1, 10**9)


def label_rule(space: Space, rows: Any, tolerance: Fraction = Fraction(0)) -> LabelRule | None:
    """The worths of labels that a table of targets is, up to a factor >= 0 per feedback; None if it is not.

    >>> from rankproof.feedback.spaces import graded_space
    >>> space = graded_space(3, 3)
    >>> print(label_rule(space, [[Fraction(0, 1) if y == 0 else Fraction(y) / sum(f) for y in f]
    ...                          for f in space.feedback]))
    0 -> 0, 1 -> 1, 2 -> 2, times a factor per query
    """
    grades = space.labels
    by = {y: row for y, row in zip(space.feedback, rows, strict=True) if isinstance(y, Graded)}
    zero, n = grades[0], space.items

    def apart(y: tuple[Any, ...], i: int) -> Fraction:
        # What item i is worth more than the last item, which has the lowest label.
        row = by[Graded(y)]
        return Fraction(row[i] - row[-1])

    def alone(grade: Any) -> Fraction:
        return apart((grade, *[zero] * (n - 1)), 0)

    unit = next((grade for grade in grades[1:] if abs(alone(grade)) > tolerance), None)
    if unit is None or (n < 3 and len(grades) > 2):
        return None
    sign = 1 if alone(unit) > 0 else -1
    worths = {zero: Fraction(0), unit: Fraction(sign)}
    for grade in grades[1:]:
        if grade not in worths:
            both = (unit, grade, *[zero] * (n - 2))
            base = apart(both, 0)
            if not base:
                return None
            worths[grade] = simple(sign * apart(both, 1) / base)
    factors = {}
    for y, row in by.items():
        ahead = [(row[i] - row[j], worths[y[i]] - worths[y[j]]) for i, j in pairwise(range(n))]
        widest = max(ahead, key=lambda pair: abs(pair[1]))
        factor = widest[0] / widest[1] if widest[1] else Fraction(0)
        slack = tolerance * max([Fraction(1), *(abs(w) for w in worths.values())])
        if factor < 0 or any(abs(u - factor * w) > slack for u, w in ahead):
            return None
        if widest[1]:
            factors[y] = factor
    largest, least = max(factors.values()), min(factors.values())
    scale = abs(alone(unit))
    rule = tuple(worths[grade] for grade in grades)
    slack = 2 * tolerance + ROUNDED * scale * bool(tolerance)
    return LabelRule(grades, rule, factored=largest - least > slack)


def simple(value: Any) -> Any:
    near = Fraction(value).limit_denominator(1000)
    return near if abs(float(near) - float(value)) <= 1e-12 * abs(float(value)) else value
