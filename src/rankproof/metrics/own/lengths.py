"""Is a target of short lists one on longer lists? Tried on many exchanges of neighbours.

If u is a target on lists of n items, what item i directly above item j gains over the two exchanged is
lambda_k (u_i - u_j), with a number lambda_k >= 0 for the rank k that all labels share. All rankings of long
lists cannot be tried, so labels, rankings and ranks are drawn. One exchange that does not fit proves that u
is no target on lists of that length; that none was found does not prove that it is one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.metrics.own.rule import Valued

__all__ = ["LENGTHS", "Misfit", "find_misfit"]

# The lengths that are tried before any data are read.
LENGTHS = (5, 6, 8, 10, 11, 12, 15, 20, 21, 30, 50)
# Label vectors per length, and exchanges per label vector.
DRAWS, EXCHANGES = 24, 6
# Rounding of a difference of two values in floats, beside the largest value.
ROUNDING = 1e-10


@dataclass(frozen=True)
class Misfit:
    """An exchange that contradicts the target.

    Attributes
    ----------
    labels : from the top down
    rank : of the upper of the two items, from 1
    gain : what this order gains over the exchanged one
    expected : what it would gain with the target
    """

    labels: tuple[Any, ...]
    rank: int
    gain: float
    expected: float

    def __str__(self) -> str:
        return (
            f"with the labels {', '.join(map(str, self.labels))} from the top down, the order of ranks "
            f"{self.rank} and {self.rank + 1} gains {self.gain:.6g} over the exchanged one, and "
            f"{self.expected:.6g} if the target held"
        )


def find_misfit(
    valued: Valued,
    target: Callable[[Sequence[Any]], Sequence[Any]],
    grades: Sequence[Any],
    n: int,
    more_lists: Sequence[Sequence[Any]] = (),
) -> Misfit | None:
    """An exchange on lists of n items that does not fit the target; None when none was found.

    Labels are drawn from the grades; ``more_lists`` are others to try, each in an order that is drawn.
    """
    seen = _samples(valued, target, grades, n, more_lists)
    slack = ROUNDING * max((size for *_, size in seen), default=0.0)
    steps: dict[int, float] = {}
    for _, k, gain, ahead, _ in sorted(seen, key=lambda sample: -abs(sample[3])):
        if ahead and k not in steps:
            steps[k] = gain / ahead
    for labels, k, gain, ahead, _ in seen:
        step = steps.get(k, 0.0)
        expected = step * ahead
        if abs(gain - expected) > slack + 1e-9 * abs(expected):
            return Misfit(labels, k + 1, gain, expected)
        if step < 0 and abs(expected) > slack:
            return Misfit(labels, k + 1, gain, 0.0)
    return None


def _samples(
    valued: Valued,
    target: Callable[[Sequence[Any]], Sequence[Any]],
    grades: Sequence[Any],
    n: int,
    more_lists: Sequence[Sequence[Any]],
) -> list[tuple[tuple[Any, ...], int, float, float, float]]:
    """(labels from the top, place, gain, u_i - u_j, size of the value), drawn alike every time."""
    draw = random.Random(f"{n} {len(grades)}")  # noqa: S311 - not for secrets
    samples = []
    drawn = [_labels(draw, grades, n, number) for number in range(DRAWS)]
    for labels in (*drawn, *(draw.sample(list(own), n) for own in more_lists)):
        u = target(labels)
        # The places at the top, where most metrics look, and any others.
        likely = [k for k in range(n - 1) if k < 3 or draw.random() < 3 / n]
        draw.shuffle(likely)
        places = likely[:EXCHANGES]
        value = float(valued(labels))
        for k in places:
            if u[k] == u[k + 1] and labels[k] == labels[k + 1]:
                continue
            other = [*labels[:k], labels[k + 1], labels[k], *labels[k + 2 :]]
            gain = value - float(valued(other))
            samples.append((tuple(labels), k, gain, float(u[k]) - float(u[k + 1]), abs(value)))
    return samples


def _labels(draw: random.Random, grades: Sequence[Any], n: int, number: int) -> list[Any]:
    """Labels in a random order: many of the lowest grade and few others, or all grades alike."""
    if number < len(grades) * (len(grades) - 1) // 2:
        # Every two grades, each on half of the list.
        pairs = [(a, b) for a in range(len(grades)) for b in range(a)]
        a, b = pairs[number]
        labels = [grades[a]] * max(1, n // 2) + [grades[b]] * (n - max(1, n // 2))
    elif number % 2:
        few = min(n, 1 + math.floor(draw.random() * 4))
        labels = [draw.choice(grades) for _ in range(few)] + [grades[0]] * (n - few)
    else:
        labels = [draw.choice(grades) for _ in range(n)]
    draw.shuffle(labels)
    return labels
