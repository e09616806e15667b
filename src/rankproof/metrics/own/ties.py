"""The exact mean of a user's function over all rankings that sort tied scores.

Within a group of equal scores every order of the items is as likely as any other, so the label at a place of
the group is drawn from those that are left. The function is called with labels that are drawn only when it
reads them: a function that looks at the first three places is called once for every combination of labels
there, however long the tie. Each combination counts with its probability, so the mean is exact, not sampled.
A deterministic function gives the same value whatever the labels are that it did not read.

>>> mean_over_ties(lambda r, y: y[r[0]], "top", [1, 0, 0], ends=[3, 3, 3], ranked=3)
Fraction(1, 3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, prod
from typing import Any

from rankproof.errors import MetricCallError
from rankproof.feedback import Graded
from rankproof.metrics.own.calls import called

__all__ = ["MOST_CALLS", "Effort", "TooManyTiesError", "mean_over_ties"]

# Calls for one query: a second or less.
MOST_CALLS = 5_000


class TooManyTiesError(MetricCallError):
    """More combinations of labels can stand at the tied places than are averaged one by one."""


@dataclass
class Effort:
    """How many calls the ties of some queries have taken so far."""

    calls: int = 0


class _Drawn(Graded):
    """Labels of which those at tied places are drawn when they are read."""

    # The labels; what is left for places that were not read; choices, made and to make.
    _labels: list[Any]
    _left: dict[int, Counter[Any]]
    _script: list[int]
    path: list[tuple[int, int, int, int]]

    def __init__(self, labels: Sequence[Any], groups: Sequence[tuple[int, int]], script: list[int]) -> None:
        object.__setattr__(self, "_labels", list(labels))
        object.__setattr__(self, "_script", script)
        object.__setattr__(self, "path", [])
        left: dict[int, Counter[Any]] = {}
        for start, end in groups:
            # The places of a group share what is left of its labels.
            shared = Counter(labels[start:end])
            left |= dict.fromkeys(range(start, end), shared)
        object.__setattr__(self, "_left", left)

    def _read(self, place: int) -> Any:
        left = self._left.get(place)
        if left is None:
            return self._labels[place]
        # The first labels to be read follow the script, those after it take the first choice.
        step = len(self.path)
        options = sorted(left)
        chosen = self._script[step] if step < len(self._script) else 0
        label = options[chosen]
        self.path.append((chosen, len(options), left[label], left.total()))
        left[label] -= 1
        if not left[label]:
            del left[label]
        del self._left[place]
        self._labels[place] = label
        return label

    @property
    def labels(self) -> tuple[Any, ...]:
        return tuple(self._read(place) for place in range(len(self._labels)))

    @property
    def items(self) -> int:
        return len(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __getitem__(self, item: int) -> Any:
        if isinstance(item, slice):
            return tuple(self._read(place) for place in range(*item.indices(len(self._labels))))
        place = item.__index__()
        return self._read(place + len(self._labels) if place < 0 else range(len(self._labels))[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graded) and self.labels == other.labels

    def __hash__(self) -> int:
        return hash(self.labels)


def mean_over_ties(
    function: Callable[..., Any],
    name: str,
    labels: Sequence[Any],
    ends: Sequence[int],
    ranked: int,
    effort: Effort | None = None,
) -> Any:
    """The mean value over the orders of every tie group; ``ends`` has the end of the group of each place.

    None when the query says nothing. A group whose items all have one label is no tie.

    Raises
    ------
    TooManyTiesError
        When more than `MOST_CALLS` calls would be needed; ``effort`` counts them.
    """
    groups = []
    start = 0
    while start < ranked:
        end = min(int(ends[start]), ranked)
        if len(set(labels[start:end])) > 1:
            groups.append((start, end))
        start = end
    ranking = tuple(range(ranked))
    terms: list[Any] = []
    empty = False
    script: list[int] | None = []
    calls = 0
    while script is not None:
        calls += 1
        if effort is not None:
            effort.calls += 1
        if calls > MOST_CALLS:
            raise TooManyTiesError(
                f"Metric {name} has no exact mean here: more than {MOST_CALLS} combinations of labels can "
                f"stand at the tied places (up to {max(b - a for a, b in groups)} in a group), and each is a "
                "call of your function."
            )
        feedback = _Drawn(labels, groups, script)
        value = called(function, name, ranking, feedback)
        if value is None:
            empty = True
        else:
            share = Fraction(prod(step[2] for step in feedback.path), prod(step[3] for step in feedback.path))
            terms.append(value * (float(share) if isinstance(value, float) else share))
        if empty and terms:
            raise MetricCallError(
                f"Metric {name} gave None for some orders of tied items and a number for others. None means "
                "that the feedback says nothing about any ranking."
            )
        script = _next([(chosen, options) for chosen, options, *_ in feedback.path])
    if empty:
        return None
    return fsum(terms) if any(isinstance(term, float) for term in terms) else sum(terms)


def _next(path: list[tuple[int, int]]) -> list[int] | None:
    """The choices after these, in lexicographic order; None after the last."""
    while path and path[-1][0] + 1 == path[-1][1]:
        path.pop()
    if not path:
        return None
    return [*(chosen for chosen, _ in path[:-1]), path[-1][0] + 1]
