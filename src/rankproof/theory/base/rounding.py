"""Differences of a user's floats: which are none, which are real, and which cannot be told.

A value in floats is known up to the `slack` of its table, a few units in the last place of the type that
made it. A difference of up to `ROUNDED` slacks is none, one of `DISTINCT` slacks (and `LEAST` of the largest
value) is real, and between the two nothing is said. That a loss or a metric fails is shown only by
differences above `SURE` of the largest value: more than what a computation in float32 leaves, even where it
does not show.

That something holds needs differences that are *exactly* 0. Floats say so up to their rounding, which must be
next to nothing beside what rankings differ by (`too_coarse`); a constant that all rankings of a feedback
share counts for the rounding, but not for the differences. And where small differences must be multiples of
large ones, it must be next to nothing beside the small ones too (`fine_beside`): a millionth is known to a
millionth as many digits.
"""

from __future__ import annotations

from fractions import Fraction

from rankproof.errors import PrecisionError
from rankproof.theory.base.values import ValueTable

__all__ = ["FLOATS", "ROUNDED", "fine_beside", "sign_of", "spread_of", "sure_of", "too_coarse"]

ROUNDED, DISTINCT = 10, 10_000
LEAST, SURE = Fraction(1, 10**8), Fraction(2, 10**5)
# The rounding of floats beside the largest difference of rankings, at most.
FINE = Fraction(1, 10**10)
# What a verdict that holds on floats holds under.
FLOATS = "differences of the metric's floats below 1e-10 of its largest difference are rounding"


def sign_of(table: ValueTable, difference: Fraction) -> int:
    """-1, 0 or 1 for a difference of (means of) values, with the rounding of a user's floats in mind."""
    if difference and table.slack:
        if abs(difference) <= ROUNDED * table.slack:
            return 0
        if abs(difference) < max(DISTINCT * table.slack, LEAST * table.size):
            raise _unclear(table, difference)
    return (difference > 0) - (difference < 0)


def sure_of(table: ValueTable, difference: Fraction) -> None:
    """Refuses a difference that may be the rounding of a narrower type than the one that shows."""
    if sign_of(table, difference) and abs(difference) < SURE * table.size:
        raise _unclear(table, difference)


def spread_of(table: ValueTable) -> Fraction:
    """The largest difference of two rankings on one feedback."""
    spread: Fraction = max(max(column) - min(column) for column in zip(*table.values, strict=True))
    return spread


def too_coarse(table: ValueTable) -> str | None:
    """Why equal floats do not show that the values are equal; None for exact values and for fine floats."""
    if not table.slack:
        return None
    spread = spread_of(table)
    if not spread or fine_beside(table, spread):
        return None
    return (
        f"the floats of {table.metric} are known up to {float(ROUNDED * table.slack):.1g} only, while "
        f"rankings differ by {float(spread):.3g}: they are of a narrow type such as float32, or all share a "
        "large constant. Let it compute with fractions.Fraction (or in float64, without the constant)"
    )


def fine_beside(table: ValueTable, difference: Fraction) -> bool:
    """Whether the rounding of the floats is next to nothing beside a difference."""
    return ROUNDED * table.slack <= FINE * difference


def _unclear(table: ValueTable, difference: Fraction) -> PrecisionError:
    return PrecisionError(
        f"Values of {table.metric} differ by {float(difference):.3g}, which may be the rounding of its "
        "floats. Let it compute with fractions.Fraction, or move the probabilities a little."
    )
