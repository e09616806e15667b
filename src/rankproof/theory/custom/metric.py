"""A metric of the user's own: a plain function ``(ranking, feedback) -> number``.

The ranking is a tuple of items, best first; the feedback gives the grade of an item by ``feedback[item]``
(see `rankproof.feedback`). The function is called on every ranking and every feedback, and checked: it must
give finite numbers, the same when called again, and treat all items alike.

Floats are read with the rounding of the type that made them in mind (`rankproof.theory.custom.floats`): as
simple fractions where they are such to the last digits, else as they are, with a slack. That is relative to
the largest value, so floats that differ on some feedback by next to nothing beside it are refused.

>>> def clicks_at_2(ranking, feedback):
...     return feedback[ranking[0]] + 0.5 * feedback[ranking[1]]
>>> as_user_metric(clicks_at_2)
clicks_at_2
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.errors import ArgumentError, RankproofError
from rankproof.feedback import Feedback
from rankproof.feedback.numbers import fraction_text
from rankproof.feedback.spaces import FEEDBACK_KINDS, Space
from rankproof.theory.custom.floats import NarrowFloat, Rows, as_fractions, narrow_bits

__all__ = ["DIRECTIONS", "UserMetric", "as_user_metric", "drowned"]

DIRECTIONS = ("higher", "lower")
# Rounding of the values of one feedback, relative to the largest of them.
ROUNDING = Fraction(1, 10**12)
# Values that are smaller than the first on some feedback and differ by less than the second there, relative
# to the largest value, drown in that rounding.
SMALL, LEAST_SPREAD = Fraction(1, 10**3), Fraction(1, 10**6)


@dataclass(frozen=True, repr=False)
class UserMetric:
    """A function with its name and direction; see the module docstring."""

    function: Callable[[tuple[int, ...], Any], Any]
    name: str
    direction: str = "higher"
    feedback_kinds: ClassVar[tuple[str, ...]] = FEEDBACK_KINDS

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def table(self, space: Space, rankings: Sequence[tuple[int, ...]]) -> tuple[Rows, Fraction]:
        """The values in gain form on a space, checked, and how far they may be from the true ones."""
        raw = [[self._value(ranking, y) for y in space.feedback] for ranking in rankings]
        self._check_empty(space, rankings, raw)
        rows, slack = as_fractions(raw)
        self._check_again(space, rankings, raw)
        self._check_symmetry(space, rankings, raw, slack)
        self._check_sizes(space, rows, slack)
        if self.direction == "higher":
            return rows, slack
        return tuple(tuple(-value for value in row) for row in rows), slack

    def _value(self, ranking: tuple[int, ...], feedback: Feedback) -> float | Fraction | None:
        try:
            value = self.function(ranking, feedback)
        except RankproofError:
            raise
        except Exception as error:
            raise ArgumentError(
                f"Metric {self} failed on {_call(ranking, feedback)}: {type(error).__name__}: {error}. "
                "It must give a number for every ranking and every feedback."
            ) from error
        number = None if value is None else _number(value)
        if value is None or number is not None:
            return number
        raise ArgumentError(
            f"Metric {self} gave {value!r} on {_call(ranking, feedback)}; it must give a finite number "
            "(or None, always, on feedback that says nothing)."
        )

    def _check_empty(self, space: Space, rankings: Sequence[tuple[int, ...]], raw: list[list[Any]]) -> None:
        for place, y in enumerate(space.feedback):
            column = [row[place] for row in raw]
            if None in column and any(value is not None for value in column):
                at = column.index(None)
                raise ArgumentError(
                    f"Metric {self} gave None on {_call(rankings[at], y)} but a number for another ranking "
                    "of the same feedback. None means that the feedback says nothing about any ranking."
                )
            if None in column:
                for row in raw:
                    row[place] = Fraction(0)

    def _check_again(self, space: Space, rankings: Sequence[tuple[int, ...]], raw: list[list[Any]]) -> None:
        # The other way round, so that a function that counts its calls shows.
        for ranking, row in zip(reversed(rankings), reversed(raw), strict=True):
            for y, before in zip(reversed(space.feedback), reversed(row), strict=True):
                value = self._value(ranking, y)
                again = Fraction(0) if value is None else value
                if again != before:
                    raise ArgumentError(
                        f"Metric {self} is not deterministic: on {_call(ranking, y)} it gave "
                        f"{_shown(before)}, then {_shown(again)}. Take out what is random or remembered."
                    )

    def _check_sizes(self, space: Space, rows: Rows, slack: Fraction) -> None:
        place = drowned(rows, slack)
        if place is not None:
            raise ArgumentError(
                f"Metric {self} gave floats of very different sizes: on feedback {space.feedback[place]!r} "
                f"its values differ by less than {float(LEAST_SPREAD):.0e} of its largest value, which may "
                "not be told from rounding. Let it compute with fractions.Fraction."
            )

    def _check_symmetry(
        self, space: Space, rankings: Sequence[tuple[int, ...]], raw: list[list[Any]], slack: Fraction
    ) -> None:
        # Exchanges of neighbours generate all relabellings.
        rows = dict(zip(rankings, raw, strict=True))
        for i in range(space.items - 1):
            swap = {i: i + 1, i + 1: i}
            order = tuple(swap.get(k, k) for k in range(space.items))
            for ranking, row in rows.items():
                other = tuple(swap.get(k, k) for k in ranking)
                renamed = self._renamed(space, order, other, rows[other])
                if renamed == row:
                    continue
                for y, value, same in zip(space.feedback, row, renamed, strict=True):
                    if abs(Fraction(value) - Fraction(same)) > max(2 * slack, _last_digits(value)):
                        raise ArgumentError(
                            f"Metric {self} does not treat all items alike: it gives {_shown(value)} on "
                            f"{_call(ranking, y)}, but {_shown(same)} on "
                            f"{_call(other, y.relabel(order))}, which is the same with items {i} and "
                            f"{i + 1} renamed. A metric must look at the feedback of an item, not at its "
                            "number; put what distinguishes items into the feedback."
                        )

    def _renamed(
        self, space: Space, order: tuple[int, ...], ranking: tuple[int, ...], row: list[Any]
    ) -> list[Any]:
        """The values of a ranking on the renamed feedback: from its row, or where that lacks any, asked."""
        try:
            return [row[place] for place in space.relabelled(order)]
        except KeyError:
            values = (self._value(ranking, y.relabel(order)) for y in space.feedback)
            return [Fraction(0) if value is None else value for value in values]


def drowned(rows: Rows, slack: Fraction) -> int | None:
    """The first feedback on which values differ, but little beside the rounding of the largest value."""
    if slack:
        ends = [(min(column), max(column)) for column in zip(*rows, strict=True)]
        sizes = [max(-low, high) for low, high in ends]
        largest = max(sizes)
        for place, ((low, high), size) in enumerate(zip(ends, sizes, strict=True)):
            if size < SMALL * largest and 2 * ROUNDING * size < high - low < LEAST_SPREAD * largest:
                return place
    return None


def as_user_metric(
    function: Callable[[tuple[int, ...], Any], Any], direction: str = "higher", name: str | None = None
) -> UserMetric:
    """The user's function as a metric; ``direction`` says whether more or less of it is better."""
    if direction not in DIRECTIONS:
        raise ArgumentError(f"Argument direction must be one of {', '.join(DIRECTIONS)}, got {direction!r}.")
    return UserMetric(function, name or str(getattr(function, "__name__", "metric")), direction)


def _number(value: Any) -> float | Fraction | None:
    """A finite number as a float or a fraction of Python's own integers; None for anything else."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    imaginary = isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)
    if imaginary or getattr(value, "ndim", 0) != 0 or not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number):
        return None
    bits = narrow_bits(value)
    return number if bits is None else NarrowFloat(number, bits)


def _last_digits(value: Any) -> Fraction:
    """What sums of the same floats in another order may differ by."""
    return 4 * Fraction(math.ulp(value)) if isinstance(value, float) else Fraction(0)


def _call(ranking: tuple[int, ...], feedback: Feedback) -> str:
    return f"ranking {ranking}, feedback {feedback!r}"


def _shown(value: Any) -> str:
    return fraction_text(value, digits=12, longest=10**6)
