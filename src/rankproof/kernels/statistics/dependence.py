"""Permutations of the grades of every item among its judges, and how much judges then go together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.statistics.resample import mix

__all__ = ["permuted_agreement"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def permuted_agreement(
    deviations: NDArray[np.float64],
    judged: NDArray[np.bool_],
    of_query: NDArray[np.int64],
    starts: NDArray[np.int64],
    permutations: int,
    seed: int,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """Fill ``out[q, b]``: b = 0 as it is, b >= 1 after every item's deviations were dealt anew to its judges.

    The statistic is the sum over pairs of sheets of the squared inner product of their deviations. It is the
    sum of the squared covariances of all pairs of items, but for what no dealing changes.
    """
    for q in range(low, high):
        sheets = of_query[q + 1] - of_query[q]
        first = starts[of_query[q]]
        n = (starts[of_query[q + 1]] - first) // max(sheets, 1)
        dealt = np.empty((sheets, n))
        for j in range(sheets):
            for i in range(n):
                dealt[j, i] = deviations[first + j * n + i]
        # Random numbers of the query's own (SplitMix64), so that nothing depends on the range it is in.
        state = mix(mix(np.uint64(seed) + _GOLDEN) + np.uint64(q) * _GOLDEN)
        holders = np.empty(sheets, np.int64)
        for b in range(permutations + 1):
            if b > 0:
                for i in range(n):
                    many = 0
                    for j in range(sheets):
                        if judged[first + j * n + i]:
                            holders[many] = j
                            many += 1
                    for k in range(many - 1, 0, -1):
                        state += _GOLDEN
                        # A float below 1 of the upper 53 bits.
                        draw = np.float64(mix(state) >> np.uint64(11)) * 2.0**-53
                        a, c = holders[k], holders[min(int(draw * (k + 1)), k)]
                        dealt[a, i], dealt[c, i] = dealt[c, i], dealt[a, i]
            total = 0.0
            # The same sum over pairs of sheets or, where these are fewer, over pairs of items.
            if sheets <= n:
                for j in range(sheets):
                    for other in range(j + 1):
                        inner = 0.0
                        for i in range(n):
                            inner += dealt[j, i] * dealt[other, i]
                        total += inner * inner * (1.0 if other == j else 2.0)
            else:
                for i in range(n):
                    for other in range(i + 1):
                        inner = 0.0
                        for j in range(sheets):
                            inner += dealt[j, i] * dealt[j, other]
                        total += inner * inner * (1.0 if other == i else 2.0)
            out[q, b] = total
