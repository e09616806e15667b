"""Bpref, exact under ties: relevant items against the judged nonrelevant items above them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["bpref"]


@kernel
def _mean_capped(above: float, tied: int, cap: int) -> float:
    """Mean of min(above + X, cap), X uniform on 0..tied: how often tied nonrelevant items come first."""
    if above >= cap:
        return float(cap)
    if above + tied <= cap:
        return above + 0.5 * tied
    free = cap - above
    return (free * (above + cap - 1) / 2 + cap * (tied - free + 1)) / (tied + 1)


@kernel
def bpref(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    rel: float,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """Bpref of queries low..high; NaN where nothing is relevant. A NaN label is no judgment."""
    for q in range(low, high):
        start = offsets[q]
        relevant, nonrelevant = 0, 0
        # Counted here, not in the sorted labels: those are slow to make when labels are missing.
        for y in labels[start : offsets[q + 1]]:
            relevant += y >= rel
            nonrelevant += y < rel
        if relevant == 0:
            out[q] = np.nan
            continue
        last = depth[q]
        mine, mine_ends = labels[start : start + last], ends[start : start + last]
        hits, above, capped = 0.0, 0.0, 0.0
        i = 0
        # Once R nonrelevant items are above, a relevant item adds nothing.
        while i < last and above < relevant:
            if mine_ends[i] == i + 1:
                # Sums, not branches: what the next item is cannot be predicted.
                hit = 1.0 if mine[i] >= rel else 0.0
                hits += hit
                capped += above * hit
                above += 1.0 if mine[i] < rel else 0.0
                i += 1
            else:
                end = int(mine_ends[i])
                inside, tied = 0, 0
                for y in mine[i:end]:
                    inside += y >= rel
                    tied += y < rel
                hits += inside
                capped += inside * _mean_capped(above, tied, relevant)
                above += tied
                i = end
        if nonrelevant == 0:
            out[q] = hits / relevant
        else:
            out[q] = (hits - capped / min(relevant, nonrelevant)) / relevant
