"""Sort every query's scores, best first, and mark the groups of equal scores.

How: a score becomes a 64-bit key whose unsigned order is the descending order of scores; its lowest bits are
replaced by the item's place in the query, and whole batches of such keys are sorted by numpy's vectorised
``sort`` (several times faster than any compiled loop over single queries). The few bits lost are settled
afterwards on the full scores, so the order is exact, and stable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import frozen
from rankproof.kernels.compiled import kernel

__all__ = ["break_ties", "gather", "sort_queries"]

_KEYS_PER_BATCH = 1 << 16
_INSERTION = 24


@kernel
def _pack(
    bits: NDArray[np.int64],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    queries: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> None:
    width = keys.shape[1]
    shift = np.int64(0)
    while (np.int64(1) << shift) < width:
        shift += 1
    keep = ~((np.int64(1) << shift) - np.int64(1))
    for row in range(queries.size):
        start, n = offsets[queries[row]], depth[queries[row]]
        for i in range(n):
            b = bits[start + i]
            # -0.0 ties with 0.0.
            b = np.int64(0) if b == np.int64(-0x8000000000000000) else b
            # Negative floats: the bits as they are already rise as the score falls.
            descending = b if b < 0 else ~b ^ np.int64(-0x8000000000000000)
            keys[row, i] = np.uint64((descending & keep) | i)
        for i in range(n, width):
            keys[row, i] = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _merge_run(
    scores: NDArray[np.float64], start: int, order: NDArray[np.int32], low: int, high: int
) -> None:
    """Stable descending sort of ``order[low:high]`` by score; bottom-up: long runs stay O(n log n)."""
    n = high - low
    spare = np.empty(n, np.int32)
    width = 1
    while width < n:
        left = 0
        while left < n:
            middle, right = min(left + width, n), min(left + 2 * width, n)
            a, b = left, middle
            for o in range(left, right):
                take_b = b < right and (
                    a >= middle or scores[start + order[low + b]] > scores[start + order[low + a]]
                )
                if take_b:
                    spare[o] = order[low + b]
                    b += 1
                else:
                    spare[o] = order[low + a]
                    a += 1
            left = right
        # A loop: assigning to a slice would compile numpy's broadcasting and its messages, for seconds.
        for i in range(n):
            order[low + i] = spare[i]
        width *= 2


@kernel
def _settle(scores: NDArray[np.float64], start: int, order: NDArray[np.int32], low: int, high: int) -> None:
    """Put a run whose keys agree up to the dropped bits into exact, stable order."""
    if high - low > _INSERTION:
        _merge_run(scores, start, order, low, high)
        return
    for i in range(low + 1, high):
        item = order[i]
        score = scores[start + item]
        j = i
        while j > low and scores[start + order[j - 1]] < score:
            order[j] = order[j - 1]
            j -= 1
        order[j] = item


@kernel
def _group(
    keys: NDArray[np.uint64],
    low_bits: int,
    scores: NDArray[np.float64],
    start: int,
    n: int,
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> bool:
    """Settle the runs of keys that agree, then mark the groups of equal scores; whether there is one."""
    # min(), not 0: numba would compile what it calls once more for the literal.
    run, rough = min(n, 0), False
    for i in range(1, n + 1):
        together = i < n and (np.int64(keys[i - 1] ^ keys[i]) & ~low_bits) == 0
        if together:
            rough = rough or scores[start + order[i - 1]] != scores[start + order[i]]
        else:
            if rough:
                _settle(scores, start, order, run, i)
                rough = False
            run = i
    first, any_tied = 0, False
    for i in range(1, n + 1):
        if i == n or scores[start + order[i - 1]] != scores[start + order[i]]:
            any_tied = any_tied or i - first > 1
            for j in range(first, i):
                ends[j] = i
            first = i
    return any_tied


@kernel
def _unpack(
    keys: NDArray[np.uint64],
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    queries: NDArray[np.int64],
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    tied: NDArray[np.bool_],
) -> None:
    width = keys.shape[1]
    shift = np.int64(0)
    while (np.int64(1) << shift) < width:
        shift += 1
    low_bits = (np.int64(1) << shift) - np.int64(1)
    for row in range(queries.size):
        q = queries[row]
        start, n, total = offsets[q], depth[q], offsets[q + 1] - offsets[q]
        mine, mine_ends = order[start : start + total], ends[start : start + total]
        alike = 0
        for i in range(n):
            mine[i] = np.int64(keys[row, i]) & low_bits
            mine_ends[i] = i + 1
        for i in range(1, n):
            alike += (np.int64(keys[row, i - 1] ^ keys[row, i]) & ~low_bits) == 0
        tied[q] = alike > 0 and _group(keys[row], low_bits, scores, start, n, mine, mine_ends)
        # Judged items that were not retrieved: one group after all others, in no order.
        for i in range(n, total):
            mine[i] = i
            mine_ends[i] = total


def sort_queries(
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    tied: NDArray[np.bool_],
    low: int,
    high: int,
) -> None:
    """Fill ``order`` (item places, best first), ``ends`` (of tie groups), ``tied`` for queries low..high."""
    if low >= high:
        return
    first, last = int(offsets[low]), int(offsets[high])
    part = scores[first:last]
    local = offsets[low : high + 1] - first
    sizes = frozen(depth[low:high])
    by_size = np.argsort(sizes, kind="stable")
    sorted_sizes = sizes[by_size]
    # One buffer for all batches: memory that a thread frees goes back to the system, page by page.
    buffer = np.empty(max(_KEYS_PER_BATCH, int(sorted_sizes[-1]), 1), np.uint64)
    at = 0
    while at < by_size.size:
        smallest = int(sorted_sizes[at])
        # Rows of a batch are padded to its longest list: at most an eighth is wasted.
        longest = max(smallest + (smallest >> 3), 8)
        rows = max(1, _KEYS_PER_BATCH // longest)
        stop = min(at + rows, int(np.searchsorted(sorted_sizes, longest, side="right")))
        queries = by_size[at:stop]
        width = int(sorted_sizes[stop - 1])
        keys = buffer[: queries.size * max(width, 1)].reshape(queries.size, max(width, 1))
        _pack(part.view(np.int64), local, sizes, queries, keys)
        keys.sort(axis=1)
        _unpack(keys, part, local, sizes, queries, order[first:last], ends[first:last], tied[low:high])
        at = stop


@kernel
def gather(
    values: NDArray[np.float64],
    offsets: NDArray[np.int64],
    order: NDArray[np.int32],
    out: NDArray[np.float64],
    low: int,
    high: int,
) -> None:
    """``out[i]`` = the value of the item at sorted place i, for queries low..high."""
    for q in range(low, high):
        start = offsets[q]
        for i in range(start, offsets[q + 1]):
            out[i] = values[start + order[i]]


@kernel
def break_ties(
    keys: NDArray[np.float64],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    new_order: NDArray[np.int32],
    new_ends: NDArray[np.int32],
    low: int,
    high: int,
) -> None:
    """Order the items of each tie group by ``keys``, largest first (stable), and dissolve the groups."""
    for q in range(low, high):
        start = offsets[q]
        n, total = depth[q], offsets[q + 1] - start
        mine, mine_ends = order[start : start + total], ends[start : start + total]
        new, new_end = new_order[start : start + total], new_ends[start : start + total]
        for i in range(total):
            new[i] = mine[i]
            new_end[i] = total if i >= n else i + 1
        i = 0
        while i < n:
            end = int(mine_ends[i])
            if end - i > 1:
                _settle(keys, start, new, i, end)
            i = end
