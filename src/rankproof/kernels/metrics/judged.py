"""The share of the top of a list that has a judgment, exact under ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.precision import hits_in_top

__all__ = ["judged_share"]


@kernel
def judged_share(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    cutoff: int,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """Judged items in the top of queries low..high, as a share; NaN where nothing was retrieved."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        last = min(depth[q], cutoff)
        if last == 0:
            out[q] = np.nan
            continue
        # Every number reaches -inf, NaN does not.
        out[q] = hits_in_top(labels[start:stop], ends[start:stop], last, -np.inf) / last
