"""Means of targets over independent grades: the law of the counts of all items of a query but one.

A state is the classes of the best few items so far, as numbers that rise with what they hold; ``after[s, c]``
is the state after an item of class c came to state s, never before s. The law without item i is needed for
every i. Dividing an item out again loses digits, so the items are halved again and again instead: half a
query gets the law of the other half added, which is log2(n) times n additions, of numbers that are all >= 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["expected_factors"]


@kernel
def _add_item(
    chances: NDArray[np.float64],
    i: int,
    added: int,
    after: NDArray[np.int64],
    upto: NDArray[np.int64],
    law: NDArray[np.float64],
) -> None:
    """Add item i to a law of states of at most ``added`` items."""
    classes = after.shape[1]
    for s in range(upto[min(added, upto.size - 1)] - 1, -1, -1):
        mass = law[s]
        if mass == 0.0:
            continue
        law[s] = mass * chances[i, 0]
        for c in range(1, classes):
            if chances[i, c] > 0.0:
                law[after[s, c]] += mass * chances[i, c]


@kernel
def expected_factors(
    chances: NDArray[np.float64],
    offsets: NDArray[np.int64],
    worths: NDArray[np.float64],
    after: NDArray[np.int64],
    upto: NDArray[np.int64],
    factors: NDArray[np.float64],
    row_of: NDArray[np.int64],
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """``out[i]`` = the mean of worth(class of i) times the factor of the state of all items of its query.

    ``chances`` has the probability of every class of every item, ``factors[row_of[q]]`` the factors of query
    q, ``upto[t]`` how many states have at most t items.
    """
    states, classes = after.shape
    depth = 2
    for q in range(low, high):
        while 1 << (depth - 2) < offsets[q + 1] - offsets[q]:
            depth += 1
    laws = np.zeros((depth, states))
    first, last = np.empty(depth, np.int64), np.empty(depth, np.int64)
    stage, outside = np.empty(depth, np.int64), np.empty(depth, np.int64)
    for q in range(low, high):
        n = offsets[q + 1] - offsets[q]
        if n == 0:
            continue
        factor = factors[row_of[q]]
        laws[0, :] = 0.0
        laws[0, 0] = 1.0
        at = 0
        first[0], last[0], stage[0], outside[0] = offsets[q], offsets[q + 1], 0, 0
        while at >= 0:
            a, b = first[at], last[at]
            if b - a == 1:
                total = 0.0
                reached = upto[min(outside[at], upto.size - 1)]
                for c in range(1, classes):
                    weight = chances[a, c] * worths[c]
                    if weight != 0.0:
                        mean = 0.0
                        for s in range(reached):
                            mean += laws[at, s] * factor[after[s, c]]
                        total += weight * mean
                out[a] = total
                at -= 1
                continue
            if stage[at] == 2:
                at -= 1
                continue
            middle = (a + b) // 2
            # The half that is left, and the one whose items are added.
            if stage[at] == 0:
                first[at + 1], last[at + 1] = a, middle
                start, stop = middle, b
            else:
                first[at + 1], last[at + 1] = middle, b
                start, stop = a, middle
            stage[at] += 1
            added = outside[at]
            reached = upto[min(added + stop - start, upto.size - 1)]
            laws[at + 1, :reached] = laws[at, :reached]
            # What lies beyond the states of the parent is empty there, too.
            for s in range(upto[min(added, upto.size - 1)], reached):
                laws[at + 1, s] = 0.0
            for i in range(start, stop):
                _add_item(chances, i, added, after, upto, laws[at + 1])
                added += 1
            outside[at + 1], stage[at + 1] = added, 0
            at += 1
