"""Lines to queries: group names by first appearance, bring the items of a query together, find duplicates."""

from __future__ import annotations

import numpy as np

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.packed_ids import Counts, Starts, Words, clear, same, table_bits

__all__ = ["first_duplicate", "item_order", "number_names"]


@kernel
def number_names(
    words: Words, starts: Starts, counts: Counts, hashes: Words, numbers: Starts, firsts: Starts
) -> int:
    """Number equal names alike, in the order of first appearance; return how many differ.

    ``numbers[i]`` becomes the number of name i, ``firsts[n]`` the first name with number n.
    """
    names = starts.size
    bits = table_bits(names)
    shift, last = np.uint64(64 - bits), (1 << bits) - 1
    table = np.empty(1 << bits, np.int64)
    clear(table, 1 << bits)
    distinct = 0
    for i in range(names):
        slot = np.int64(hashes[i] >> shift)
        while True:
            n = table[slot]
            if n < 0:
                table[slot] = distinct
                firsts[distinct] = i
                numbers[i] = distinct
                distinct += 1
                break
            first = firsts[n]
            if hashes[first] == hashes[i] and same(
                words, starts[first], counts[first], words, starts[i], counts[i]
            ):
                numbers[i] = n
                break
            slot = (slot + 1) & last
    return distinct


@kernel
def item_order(numbers: Starts, sizes: Starts, offsets: Starts, order: Starts) -> None:
    """Stable order that brings the items of a query together.

    Segment s is ``sizes[s]`` items of the file in a row, all of query ``numbers[s]``.
    """
    cursor = offsets[:-1].copy()
    item = 0
    for s in range(numbers.size):
        n = numbers[s]
        for _ in range(sizes[s]):
            order[cursor[n]] = item
            cursor[n] += 1
            item += 1


@kernel
def first_duplicate(
    words: Words,
    starts: Starts,
    counts: Counts,
    hashes: Words,
    places: Starts,
    offsets: Starts,
    low: int,
    high: int,
) -> tuple[int, int]:
    """The duplicate among queries ``low:high`` whose second place is the first in the file.

    Item i stands at place ``places[i]`` of the file (``i`` itself when ``places`` is empty). Returns the two
    items, or (-1, -1) when the ids of every query differ.
    """
    size = min(low, 0)
    for q in range(low, high):
        size = max(size, offsets[q + 1] - offsets[q])
    table = np.empty(1 << table_bits(size), np.int64)
    one, two, at = -1, -1, -1
    for q in range(low, high):
        bits = table_bits(offsets[q + 1] - offsets[q])
        shift, last = np.uint64(64 - bits), (1 << bits) - 1
        clear(table, 1 << bits)
        for i in range(offsets[q], offsets[q + 1]):
            slot = np.int64(hashes[i] >> shift)
            other = table[slot]
            while other >= 0:
                if hashes[other] == hashes[i] and same(
                    words, starts[other], counts[other], words, starts[i], counts[i]
                ):
                    break
                slot = (slot + 1) & last
                other = table[slot]
            if other < 0:
                table[slot] = i
                continue
            place = places[i] if places.size > 0 else i
            if at < 0 or place < at:
                one, two, at = other, i, place
            break
    return one, two
