"""The states of counts: the classes of the best items of a query, how one more item changes them.

>>> table = count_states(classes=2, depth=2)  # classes 1 and 2, the best two items
>>> [tuple(row) for row in table.counts.tolist()]  # how many of class 1, of class 2
[(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
>>> table.after.tolist()[3]  # from two of class 1: to class 0, 1 and 2
[3, 3, 4]
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Int64s, frozen

__all__ = ["States", "count_states", "state_count"]


class States(NamedTuple):
    """States by number: ``counts`` (states × classes), ``after`` (states × classes and none), ``upto``."""

    counts: NDArray[np.int64]
    after: NDArray[np.int64]
    upto: Int64s


def state_count(classes: int, depth: int) -> int:
    """How many states there are of at most ``depth`` items in so many classes."""
    return comb(classes + depth, classes)


@lru_cache(maxsize=16)
def count_states(classes: int, depth: int) -> States:
    """All states of the best ``depth`` items; by number of items, then so that a better item comes later."""
    listed = [
        state
        for many in range(depth + 1)
        # Best first, so that a state in which an item gives way to a better one is later in this order.
        for state in sorted(
            tuple(reversed(one)) for one in combinations_with_replacement(range(1, classes + 1), many)
        )
    ]
    number = {state: s for s, state in enumerate(listed)}
    after = np.empty((len(listed), classes + 1), np.int64)
    for s, state in enumerate(listed):
        after[s, 0] = s
        for c in range(1, classes + 1):
            after[s, c] = number[tuple(sorted((*state, c), reverse=True)[:depth])]
    counts = np.array([[state.count(c) for c in range(1, classes + 1)] for state in listed], np.int64)
    upto = np.array([state_count(classes, many) for many in range(depth + 1)], np.int64)
    return States(frozen(counts.reshape(len(listed), classes)), frozen(after), frozen(upto))
