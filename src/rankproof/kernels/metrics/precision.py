"""Metrics made of the number of relevant items above a rank, exact under ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["average_precision", "count_relevant", "group_start", "hit_share", "hits_in_top"]


@kernel
def count_relevant(ideal: NDArray[np.float64], start: int, stop: int, rel: float) -> int:
    """How many labels of ``ideal[start:stop]`` (from the best down) reach ``rel``: by bisection."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if ideal[middle] >= rel:
            low = middle + 1
        else:
            high = middle
    return low - start


@kernel
def group_start(ends: NDArray[np.int32], place: int) -> int:
    """The first place of the tie group that ``place`` is in: group ends never fall, so by bisection."""
    end = ends[place]
    if place == 0 or ends[place - 1] != end:
        return place
    low, high = 0, place - 1
    while low < high:
        middle = (low + high) // 2
        if ends[middle] < end:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def hits_in_top(labels: NDArray[np.float64], ends: NDArray[np.int32], last: int, rel: float) -> float:
    """The mean number of labels >= ``rel`` in the first ``last`` places of one query (``last`` <= depth).

    Only the tie group that the last place cuts matters: of its items, each is above the cut equally often.
    """
    if last == 0:
        return 0.0
    end = int(ends[last - 1])
    whole = last if end == last else group_start(ends, last - 1)
    hits = 0
    for y in labels[:whole]:
        hits += y >= rel
    if whole == last:
        return float(hits)
    inside = 0
    for y in labels[whole:end]:
        inside += y >= rel
    return hits + inside * (last - whole) / (end - whole)


@kernel
def hit_share(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    rel: float,
    cutoff: int,
    part_relevant: float,
    part_places: float,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """Hits in the top K, divided by ``part_relevant`` * R + ``part_places`` * K; NaN where R = 0.

    The parts sum to 1. (0, 1) is precision, (1, 0) recall, anything between an F measure. K is ``cutoff``; 0
    stands for the number of retrieved items, -1 for the number R of relevant items.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        relevant = count_relevant(ideal, start, stop, rel)
        if relevant == 0:
            out[q] = np.nan
            continue
        places = cutoff if cutoff > 0 else (depth[q] if cutoff == 0 else relevant)
        hits = hits_in_top(labels[start:stop], ends[start:stop], min(depth[q], places), rel)
        # No hits also covers precision when nothing was retrieved: 0, not 0/0.
        # With F, rounding of the parts could lift a perfect list above 1.
        out[q] = min(hits / (part_relevant * relevant + part_places * places), 1.0) if hits > 0.0 else 0.0


@kernel
def average_precision(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    rel: float,
    cutoff: int,
    at_most_cutoff: bool,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """AP of queries low..high; NaN where nothing is relevant."""
    for q in range(low, high):
        start = offsets[q]
        relevant = count_relevant(ideal, start, offsets[q + 1], rel)
        if relevant == 0:
            out[q] = np.nan
            continue
        mine, mine_ends = labels[start : start + depth[q]], ends[start : start + depth[q]]
        last = min(depth[q], cutoff)
        above = 0.0
        total = 0.0
        i = 0
        while i < last and above < relevant:
            if mine_ends[i] == i + 1:
                # A factor, not a branch: whether an item is relevant cannot be predicted.
                hit = 1.0 if mine[i] >= rel else 0.0
                above += hit
                total += above * hit / (i + 1)
                # Not i = mine_ends[i], which would make every step wait for a load.
                i += 1
            else:
                end = int(mine_ends[i])
                size = end - i
                inside = 0
                for y in mine[i:end]:
                    inside += y >= rel
                if inside > 0:
                    # A relevant item at the j-th place of the group has (j-1)(r-1)/(t-1) of its own above it.
                    share = inside / size
                    step = (inside - 1) / (size - 1)
                    for j in range(min(end, last) - i):
                        total += share * (above + 1 + j * step) / (i + j + 1)
                    above += inside
                i = end
        out[q] = total / (min(relevant, cutoff) if at_most_cutoff else relevant)
