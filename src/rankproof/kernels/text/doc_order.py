"""The order of document ids by their bytes, last first: how trec_eval breaks ties between equal scores.

A merge sort over the items of a query. Ids of one collection tend to start alike, so the words that all ids
of the query share are skipped first; then one word settles most comparisons.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.packed_ids import Counts, Starts, Words

__all__ = ["descending_ranks"]

_INSERTION = 12


@kernel
def _shared_words(words: Words, starts: Starts, counts: Counts, items: Starts) -> int:
    """How many leading words all the ids have in common."""
    shared = int(counts[items[0]])
    first = starts[items[0]]
    for i in items[1:]:
        shared = min(shared, int(counts[i]))
        k = 0
        while k < shared and words[starts[i] + k] == words[first + k]:
            k += 1
        shared = k
    return shared


@kernel
def _comes_before(words: Words, starts: Starts, counts: Counts, a: int, b: int, skip: int) -> bool:
    """Whether id a is above id b, given that their first ``skip`` words are equal."""
    both = min(counts[a], counts[b])
    for k in range(skip, both):
        x, y = words[starts[a] + k], words[starts[b] + k]
        if x != y:
            return bool(x > y)
    # All shared words agree: the longer id has the other as its prefix.
    return bool(counts[a] > counts[b])


@kernel
def descending_ranks(
    ids: tuple[Words, Starts, Counts, Words],
    source: Starts,
    offsets: Starts,
    depth: Starts,
    low: int,
    high: int,
    ranks: NDArray[np.int32],
) -> None:
    """Rank (from 0) of every retrieved item of the queries ``low:high`` by its id's bytes, largest first.

    Query q retrieved ``depth[q]`` items; the id of its item i is number ``source[offsets[q] + i]``. The
    items after them are numbered on.
    """
    words, starts, counts, _ = ids
    size = 0
    for q in range(low, high):
        size = max(size, depth[q])
    order, spare = np.empty(size, np.int64), np.empty(size, np.int64)
    keys = np.empty(size, np.uint64)
    for q in range(low, high):
        first, n = offsets[q], depth[q]
        for i in range(n, offsets[q + 1] - first):
            ranks[first + i] = i
        if n == 0:
            continue
        items = source[first : first + n]
        skip = _shared_words(words, starts, counts, items)
        for i in range(n):
            k = items[i]
            keys[i] = words[starts[k] + skip] if skip < counts[k] else np.uint64(0)
        # Sorted runs by insertion, then merges of doubling width between the two arrays.
        for block in range(0, n, _INSERTION):
            for i in range(block, min(block + _INSERTION, n)):
                at = i
                while at > block:
                    j = order[at - 1]
                    if keys[j] > keys[i] or (
                        keys[j] == keys[i] and _comes_before(words, starts, counts, items[j], items[i], skip)
                    ):
                        break
                    order[at] = j
                    at -= 1
                order[at] = i
        width = _INSERTION
        here, there = order, spare
        while width < n:
            for block in range(0, n, 2 * width):
                a, b = block, min(block + width, n)
                a_end, b_end = b, min(block + 2 * width, n)
                for at in range(block, b_end):
                    take_a = b >= b_end
                    if a < a_end and b < b_end:
                        x, y = here[a], here[b]
                        take_a = keys[x] > keys[y] or (
                            keys[x] == keys[y]
                            and _comes_before(words, starts, counts, items[x], items[y], skip)
                        )
                    if take_a:
                        there[at] = here[a]
                        a += 1
                    else:
                        there[at] = here[b]
                        b += 1
            here, there = there, here
            width *= 2
        for i in range(n):
            ranks[first + here[i]] = i
