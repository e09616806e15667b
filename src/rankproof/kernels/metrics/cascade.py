"""Expected reciprocal rank, exact under ties: a reader goes down the list and stops where it satisfies.

In a tie group every order is equally likely. With E_k the mean of the product of (1 - R) over all k-subsets
of the group (the reader passes k items) and D_k = E_{k-1} - E_k (he stops at the k-th place), adding an item
with chance R of stopping to a group, which makes it m items, puts that item at each place equally often:

    m E_k = (m - k) E_k' + k (1 - R) E_{k-1}'
    m D_k = (m - k) D_k' + R E_{k-1}' + (k - 1) (1 - R) D_{k-1}'

D_k has a recurrence of its own because the difference E_{k-1} - E_k loses all digits where R is small. Items
with R = 0 need no steps: a group of them has E_k = 1 and D_k = 0.

The cost is (items with R > 0) x (places that matter), at most 42 t / (their mean R) for a group of t items.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["expected_reciprocal_rank", "places_that_matter", "stop_chances"]

# The chance that a reader comes this far, from where on the rest of the list is left out. What is left adds
# at most q / (k + 1) when the k places above let him pass with chance q; they add at least (1 - q) / k. So
# the relative error is below q / (1 - q): less than one hundredth of the rounding of the last addition.
_NEGLIGIBLE = 1e-18
_GRADES = 64


@kernel
def _formula(y: float, scale: float) -> float:
    """(2^y - 1) * scale, 0 below grade 0: for grades that have no entry in the table."""
    return (np.exp2(y) - 1.0) * scale if y > 0.0 else 0.0


@kernel
def places_that_matter(mass: float, size: int, places: int) -> int:
    """How many of the first ``places`` places of a group of ``size`` items count; ``mass`` is the sum of R.

    Maclaurin's inequality bounds the chance to pass k of them: E_k <= E_1^k = (1 - mass / size)^k.
    """
    mean = mass / size
    if mean >= 1.0:
        return min(places, 1)
    enough = math.log(_NEGLIGIBLE) / math.log1p(-mean)
    return places if enough >= places else int(enough) + 1


@kernel
def stop_chances(
    stops: NDArray[np.float64],
    zeros: int,
    places: int,
    stopped: NDArray[np.float64],
    passed: NDArray[np.float64],
) -> None:
    """Fill ``stopped[1:places + 1]`` with D_k, ``passed`` with E_k: for ``stops`` and ``zeros`` more items.

    No place depends on the places below it, so asking for fewer costs less and changes nothing.
    """
    for k in range(places + 1):
        stopped[k] = 0.0
        passed[k] = 1.0 if k <= zeros else 0.0
    m = zeros
    for stop in stops:
        m += 1
        share, go_on = 1.0 / m, 1.0 - stop
        stopped_before, passed_before = stopped[0], passed[0]
        for k in range(1, min(m, places) + 1):
            stopped_here, passed_here = stopped[k], passed[k]
            # Written as a correction of the mean so far: it shrinks as the group grows, and its rounding too.
            # In (m - k) / m times the mean the rounding would be that of the mean, at each of m steps.
            stopped[k] = (
                stopped_here
                + (stop * passed_before + (k - 1) * (go_on * stopped_before) - k * stopped_here) * share
            )
            passed[k] = passed_here + (go_on * passed_before - passed_here) * (k * share)
            stopped_before, passed_before = stopped_here, passed_here


@kernel
def _group(
    labels: NDArray[np.float64],
    before: int,
    places: int,
    table: NDArray[np.float64],
    scale: float,
    counts: NDArray[np.int64],
    stops: NDArray[np.float64],
    stopped: NDArray[np.float64],
    passed: NDArray[np.float64],
) -> tuple[float, float]:
    """What the first ``places`` places of a tie group add, and the chance to pass all its items."""
    top, others, zeros = -1, 0, 0
    for y in labels:
        if y <= 0.0:
            zeros += 1
        elif y < _GRADES and np.int64(y) == y:
            counts[np.int64(y)] += 1
            top = max(top, int(y))
        else:
            stops[others] = _formula(y, scale)
            others += 1
    # Items in the order of their grades, so that the order of the rows cannot change a bit of the result.
    some = others
    for grade in range(1, top + 1):
        for _ in range(counts[grade]):
            stops[some] = table[grade]
            some += 1
        counts[grade] = 0
    mass, through = 0.0, 1.0
    for stop in stops[:some]:
        mass += stop
        through *= 1.0 - stop
    if mass == 0.0:
        return 0.0, through
    needed = places_that_matter(mass, labels.size, places)
    stop_chances(stops[:some], zeros, needed, stopped, passed)
    total = 0.0
    for k in range(1, needed + 1):
        total += stopped[k] / (before + k)
    return total, through


@kernel
def expected_reciprocal_rank(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    ideal: NDArray[np.float64],
    table: NDArray[np.float64],
    scale: float,
    cutoff: int,
    low: int,
    high: int,
    out: NDArray[np.float64],
) -> None:
    """ERR of queries low..high; NaN where no grade is above 0.

    A grade y stops the reader with chance (2^y - 1) * ``scale``; ``table`` has that for the grades 0..63.
    """
    longest = 0
    for q in range(low, high):
        longest = max(longest, depth[q])
    counts = np.zeros(_GRADES, np.int64)
    stops, stopped, passed = np.empty(longest), np.empty(longest + 1), np.empty(longest + 1)
    for q in range(low, high):
        start = offsets[q]
        if start == offsets[q + 1] or not ideal[start] > 0.0:
            out[q] = np.nan
            continue
        mine, mine_ends = labels[start : start + depth[q]], ends[start : start + depth[q]]
        last = min(depth[q], cutoff)
        reach, total = 1.0, 0.0
        i = 0
        while i < last and reach > _NEGLIGIBLE:
            if mine_ends[i] == i + 1:
                y = mine[i]
                # Written out: a function that takes the table would count references to it at every item.
                grade = np.int64(min(max(y, 0.0), _GRADES - 1.0))
                stop = table[grade]
                if grade != y:
                    stop = _formula(y, scale)
                total += reach * stop / (i + 1)
                reach *= 1.0 - stop
                i += 1
            else:
                end = int(mine_ends[i])
                places = min(end, last) - i
                here, through = _group(mine[i:end], i, places, table, scale, counts, stops, stopped, passed)
                total += reach * here
                reach *= through
                i = end
        out[q] = min(total, 1.0)
