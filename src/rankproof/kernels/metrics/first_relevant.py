"""Where the first relevant item stands, exact under ties: reciprocal rank and success.

In a tie group of t items, r of them relevant, the first relevant one stands at the j-th place with chance
C(t-j, r-1) / C(t, r). The chances follow one from another, P(1) = r/t and
P(j+1) = P(j) (t-j-r+1) / (t-j): products of numbers in [0, 1], no factorials, nothing to cancel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.precision import group_start

__all__ = ["first_relevant"]

# The chance that the first relevant item comes later, from where on later places are left out.
_NEGLIGIBLE = 1e-18


@kernel
def _in_group(before: int, size: int, inside: int, places: int, reciprocal: bool) -> float:
    """Sum over the group's first ``places`` places of P(first there) times 1 or 1 / rank.

    The sum may stop early. With P(later) = q, what is left adds at most q / (before + j + 1), while the sum
    is at least (1 - q) / (before + j): the relative error is below q / (1 - q).
    """
    total = 0.0
    chance = inside / size
    for j in range(1, min(places, size - inside + 1) + 1):
        total += chance / (before + j) if reciprocal else chance
        chance *= (size - j - inside + 1) / (size - j) if j < size else 0.0
        if chance * (size - j) < _NEGLIGIBLE * inside:
            break
    return total


@kernel
def first_relevant(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    rel: float,
    cutoff: int,
    reciprocal: bool,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """RR of queries low..high, or success when not ``reciprocal``; NaN where nothing is relevant."""
    for q in range(low, high):
        start = offsets[q]
        if start == offsets[q + 1] or not ideal[start] >= rel:
            out[q] = np.nan
            continue
        out[q] = 0.0
        last = min(depth[q], cutoff)
        if last == 0:
            continue
        # Items tied with the last place of the top may stand in it.
        end = int(ends[start + last - 1])
        for i in range(end):
            if labels[start + i] >= rel:
                end = int(ends[start + i])
                first = group_start(ends[start : start + end], i)
                inside = min(first, 0)
                for y in labels[start + i : start + end]:
                    inside += y >= rel
                value = _in_group(first, end - first, inside, last - first, reciprocal)
                # Chances that sum to 1 may round to a little more.
                out[q] = min(value, 1.0)
                break
