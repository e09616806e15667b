"""The three kinds of feedback, and the plain Python values that stand for them.

>>> as_feedback((1, 1, 0))
Graded((1, 1, 0))
>>> as_feedback({(0, 1): 1, (1, 2): 2})
PreferenceGraph({(0, 1): 1, (1, 2): 2}, items=3)
>>> as_feedback(((0, 1), (1, 2)), items=4)
PreferenceGraph([(0, 1), (1, 2)], items=4)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeAlias

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.feedback.graded import Graded
from rankproof.feedback.permutations import Permutation
from rankproof.feedback.preferences import PreferenceGraph

__all__ = ["KINDS", "Feedback", "as_feedback"]

Feedback: TypeAlias = Graded | PreferenceGraph | Permutation

KINDS: dict[str, type[Graded] | type[PreferenceGraph] | type[Permutation]] = {
    kind.kind: kind for kind in (Graded, PreferenceGraph, Permutation)
}


def as_feedback(thing: Any, *, items: int | None = None) -> Feedback:
    """The feedback that ``thing`` stands for.

    Parameters
    ----------
    thing : feedback, sequence of numbers, or edges
        Feedback is returned as it is. A tuple, list or one-dimensional array of numbers is `Graded`. A
        mapping ``{(i, j): weight}``, a set of pairs or a sequence of pairs or triples is a
        `PreferenceGraph`. A ranking looks like grades, so it must be given as a `Permutation`.
    items : int, optional
        The number of items the feedback must have; edges that leave out the last items are given them.
    """
    feedback = thing if isinstance(thing, Graded | PreferenceGraph | Permutation) else _read(thing, items)
    if items is None or feedback.items == items:
        return feedback
    raise ArgumentError(f"Feedback must have {items} items, got {feedback.items} in {feedback!r}.")


def _read(thing: Any, items: int | None) -> Feedback:
    if isinstance(thing, Mapping | Set):
        return PreferenceGraph(thing, items)
    if isinstance(thing, np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, Iterable) and not isinstance(thing, str):
        entries = tuple(thing)
        if entries and all(isinstance(entry, tuple | list) for entry in entries):
            return PreferenceGraph(entries, items)
        if entries:
            return Graded(entries)
    raise ArgumentError(
        "Feedback is a sequence of grades, a mapping or sequence of edges, or an object of class Graded, "
        f"PreferenceGraph or Permutation; got {thing!r}."
    )
