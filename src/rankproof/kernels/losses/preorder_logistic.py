"""The preorder loss with the logistic margin (RankNet), query by query, for any labels.

Its pairs are visited one by one. The lowest grade is split off, then the next one: the items of a grade weigh
the same against all better ones, and no pair is visited twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.losses.order_preserving import HUGE, bounded
from rankproof.kernels.losses.pairwise_logistic import logistic_sums
from rankproof.kernels.losses.preorder import (
    ONE,
    add_to_items,
    close_up,
    grade_worths,
    pair_count,
    partition,
    weigh,
)
from rankproof.kernels.metrics.grades import Grades, longest_query

__all__ = ["preorder_logistic"]

_SAME = False


@kernel
def preorder_logistic(
    scores: NDArray[np.float64],
    labels: NDArray[np.float64],
    numbers: Grades,
    offsets: NDArray[np.int64],
    weight: int,
    per_pair: bool,
    low: int,
    high: int,
    values: NDArray[np.float64],
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
) -> None:
    """Queries low..high; ``numbers`` are the grades by item."""
    size = longest_query(offsets, low, high) + 2
    grades, items, spare = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    counts = np.empty(max(size, 66), np.int64)
    y, x, worths, slopes, bends = (
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
    )
    upper, lower, a, rows = np.empty(size), np.empty(size), np.ones(size), np.empty((7, size))
    upper[0], lower[0] = np.inf, np.inf
    for q in range(low, high):
        start = offsets[q]
        n = offsets[q + 1] - start
        for i in range(n):
            x[i] = min(max(scores[start + i], -HUGE), HUGE)
            y[i] = labels[start + i]
            grades[i] = numbers[start + i]
            items[i] = i
            slopes[i], bends[i] = 0.0, 0.0
        number = close_up(grades, n, counts)
        if number < 2:
            continue
        grade_worths(y, grades, n, number, weight, worths)
        total = 0.0
        for cut in range(1, number):
            first, middle, last = counts[cut - 1], counts[cut], counts[number]
            below, above = middle - first, last - middle
            partition(items, first, last, spare, grades, x, cut, upper, lower)
            if weight != ONE:
                weigh(worths, grades, items, middle, above, cut - 1, weight != ONE, a)
            total += logistic_sums(
                *(upper[1:], a, above, lower[1:], below, _SAME),
                *(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6]),
            )
            add_to_items(items, middle, above, rows[3], rows[4], slopes, bends)
            add_to_items(items, first, below, rows[5], rows[6], slopes, bends)
        scale = 1.0 / pair_count(counts, number) if per_pair else 1.0
        values[q] = bounded(scale * total)
        for i in range(n):
            gradient[start + i] = bounded(scale * slopes[i])
            if hessian.size > 0:
                hessian[start + i] = bounded(scale * max(bends[i], 0.0))
