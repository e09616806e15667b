"""Join a run with judgments, query by query: which retrieved items are judged, which judged are missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.packed_ids import Counts, Starts, Words, clear, same, table_bits

__all__ = ["fill", "look_up", "match_items"]

Ids = tuple[Words, Starts, Counts, Words]


@kernel
def _insert(ids: Ids, low: int, high: int, shift: np.uint64, table: Starts) -> None:
    """Put the ids ``low:high``, which all differ, into an empty table."""
    hashes = ids[3]
    last = table.size - 1
    for i in range(low, high):
        slot = np.int64(hashes[i] >> shift)
        while table[slot] >= 0:
            slot = (slot + 1) & last
        table[slot] = i


@kernel
def _find(ids: Ids, shift: np.uint64, table: Starts, others: Ids, i: int) -> int:
    """The id in the table that has the bytes of ``others``' id i, or -1."""
    words, starts, counts, hashes = ids
    other_words, other_starts, other_counts, other_hashes = others
    last = table.size - 1
    slot = np.int64(other_hashes[i] >> shift)
    while True:
        k: int = table[slot]
        if k < 0:
            return -1
        if hashes[k] == other_hashes[i] and same(
            words, starts[k], counts[k], other_words, other_starts[i], other_counts[i]
        ):
            return k
        slot = (slot + 1) & last


@kernel
def look_up(ids: Ids, others: Ids, places: Starts) -> None:
    """``places[i]`` becomes the place in ``ids`` (which all differ) of id i of ``others``, or -1."""
    bits = table_bits(ids[1].size)
    shift = np.uint64(64 - bits)
    table = np.empty(1 << bits, np.int64)
    clear(table, 1 << bits)
    # min(), not 0: numba would compile the insertion once more for the literal.
    _insert(ids, min(bits, 0), ids[1].size, shift, table)
    for i in range(others[1].size):
        places[i] = _find(ids, shift, table, others, i)


@kernel
def match_items(
    retrieved: Ids,
    retrieved_offsets: Starts,
    judged: Ids,
    judged_offsets: Starts,
    run_query: Starts,
    judged_query: Starts,
    low: int,
    high: int,
    match: Starts,
    used: NDArray[np.bool_],
    tail: Starts,
) -> None:
    """For the pairs of queries ``low:high``: the judged item of every retrieved one, or -1.

    ``match`` is per retrieved item; ``used`` marks judged items that were retrieved and starts as all False;
    ``tail[p]`` counts the others of pair p. A ``run_query`` of -1 retrieved nothing.
    """
    size = min(low, 0)
    for p in range(low, high):
        g = judged_query[p]
        size = max(size, judged_offsets[g + 1] - judged_offsets[g])
    room = np.empty(1 << table_bits(size), np.int64)
    for p in range(low, high):
        r, g = run_query[p], judged_query[p]
        first, end = judged_offsets[g], judged_offsets[g + 1]
        tail[p] = end - first
        if r < 0:
            continue
        bits = table_bits(end - first)
        shift = np.uint64(64 - bits)
        table = room[: 1 << bits]
        clear(table, 1 << bits)
        _insert(judged, first, end, shift, table)
        for i in range(retrieved_offsets[r], retrieved_offsets[r + 1]):
            k = _find(judged, shift, table, retrieved, i)
            match[i] = k
            if k >= 0:
                used[k] = True
                tail[p] -= 1


@kernel
def fill(
    scores: NDArray[np.float64],
    grades: NDArray[np.float64],
    retrieved_offsets: Starts,
    judged_offsets: Starts,
    run_query: Starts,
    judged_query: Starts,
    match: Starts,
    used: NDArray[np.bool_],
    offsets: Starts,
    low: int,
    high: int,
    joined_labels: NDArray[np.float64],
    joined_scores: NDArray[np.float64],
    source: Starts,
) -> None:
    """Write the joined items of the pairs ``low:high``: the retrieved ones, then the judged tail.

    ``source`` is the item of the run for a retrieved item and the item of the judgments for one of the tail.
    """
    for p in range(low, high):
        r, g = run_query[p], judged_query[p]
        at = offsets[p]
        if r >= 0:
            for i in range(retrieved_offsets[r], retrieved_offsets[r + 1]):
                joined_labels[at] = grades[match[i]] if match[i] >= 0 else np.nan
                joined_scores[at] = scores[i]
                source[at] = i
                at += 1
        for k in range(judged_offsets[g], judged_offsets[g + 1]):
            if not used[k]:
                joined_labels[at] = grades[k]
                joined_scores[at] = -np.inf
                source[at] = k
                at += 1
