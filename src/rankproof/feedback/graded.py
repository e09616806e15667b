"""Graded feedback: every item has a grade, and a higher grade is more relevant.

**Definition.** ``y ∈ {0, ..., gmax}ⁿ``; ``y[i]`` is the grade of item i, items counted from 0.

>>> y = Graded((2, 0, 1))
>>> y.items, y[0], max(y), y.exact
(3, 2, 2, True)
>>> y.relabel((1, 2, 0))
Graded((0, 1, 2))
>>> y.preferences()
PreferenceGraph([(0, 1), (0, 2), (2, 1)], items=3)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from rankproof.errors import ArgumentError
from rankproof.feedback.numbers import Number, NumberLike, as_number, is_exact, show_number
from rankproof.feedback.preferences import PreferenceGraph
from rankproof.feedback.relabel import as_relabelling

__all__ = ["Graded"]


@dataclass(frozen=True, init=False, repr=False)
class Graded:
    """One grade per item.

    Parameters
    ----------
    labels : numbers >= 0, one per item
        Ints, Fractions and strings such as ``"1/2"`` are kept exact; whole floats become ints; any other
        finite float is kept and makes `exact` False.

    Examples
    --------
    >>> Graded((2, 0, "1/2")).preferences()
    PreferenceGraph([(0, 1), (0, 2), (2, 1)], items=3)
    """

    kind: ClassVar[str] = "graded"
    labels: tuple[Number, ...]

    def __init__(self, labels: Iterable[NumberLike]) -> None:
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise ArgumentError(f"Argument labels of Graded must be a sequence of numbers, got {labels!r}.")
        grades = tuple(
            grade if type(grade) is int else as_number(f"labels[{i}] of Graded", grade)
            for i, grade in enumerate(labels)
        )
        if not grades:
            raise ArgumentError("Argument labels of Graded must hold at least one grade, got none.")
        for i, grade in enumerate(grades):
            if grade < 0:
                raise ArgumentError(
                    f"Argument labels of Graded must not be negative, got {grade} at item {i}."
                )
        object.__setattr__(self, "labels", grades)

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.labels)

    @property
    def exact(self) -> bool:
        """Whether every grade is an int or a Fraction."""
        return all(map(is_exact, self.labels))

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Number]:
        return iter(self.labels)

    def __getitem__(self, item: int) -> Number:
        return self.labels[item]

    def relabel(self, permutation: Iterable[int]) -> Graded:
        """The feedback with ``new[i] = old[permutation[i]]``."""
        return Graded(self.labels[i] for i in as_relabelling(permutation, self.items))

    def preferences(self) -> PreferenceGraph:
        """The graph with an edge i→j of weight 1 whenever item i has a higher grade than item j."""
        return PreferenceGraph(
            [(i, j) for i, a in enumerate(self.labels) for j, b in enumerate(self.labels) if a > b],
            items=self.items,
        )

    def __repr__(self) -> str:
        inside = ", ".join(map(show_number, self.labels))
        return f"Graded(({inside}{',' if self.items == 1 else ''}))"
