"""Relabelling items: a permutation p of 0..n-1 makes new feedback with ``new[i] = old[p[i]]``.

Item i of the new feedback is item p[i] of the old. So relabelling by p and then by q is relabelling by
``p after q``, that is ``[p[q[0]], p[q[1]], ...]``. Metrics that look only at ranks and feedback do not
change when scores and feedback are relabelled alike.

>>> as_relabelling((2, 0, 1), items=3)
(2, 0, 1)
>>> inverse((2, 0, 1))
(1, 2, 0)
>>> as_relabelling((1, 2, 3), items=3)
Traceback (most recent call last):
    ...
rankproof.errors.ArgumentError: A relabelling must list each of 0..2 once, got (1, 2, 3).
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable

from rankproof.errors import ArgumentError

__all__ = ["as_relabelling", "inverse"]


def as_relabelling(permutation: Iterable[int], items: int) -> tuple[int, ...]:
    """``permutation`` as a tuple that lists each of 0..items-1 once."""
    if not isinstance(permutation, Iterable):
        raise ArgumentError(f"A relabelling must list each of 0..{items - 1} once, got {permutation!r}.")
    listed = tuple(permutation)
    if not all(isinstance(i, numbers.Integral) and not isinstance(i, bool) for i in listed) or sorted(
        listed
    ) != list(range(items)):
        raise ArgumentError(f"A relabelling must list each of 0..{items - 1} once, got {listed!r}.")
    return tuple(map(int, listed))


def inverse(permutation: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes ``permutation``."""
    places = [0] * len(permutation)
    for place, item in enumerate(permutation):
        places[item] = place
    return tuple(places)
