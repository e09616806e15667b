"""Packed ids: the UTF-8 bytes of an id in 64-bit words, first byte on top, the last word padded with zeros.

No id holds the byte 0, so equal ids are ids with equal words, and comparing words from the first to the last
is comparing bytes as ``strcmp`` does. A 64-bit hash beside each id makes the common case one comparison;
every look-up still compares the words, so a collision costs time and never the answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["clear", "decode", "finish", "mix", "pack", "same", "table_bits", "widest"]

Words = NDArray[np.uint64]
Starts = NDArray[np.int64]
Counts = NDArray[np.int32]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_ODDER = np.uint64(0xD6E8FEB86659FD93)
_EIGHT = np.uint64(8)
_32 = np.uint64(32)
_ZERO = np.uint64(0)


@kernel
def mix(state: np.uint64, word: np.uint64) -> np.uint64:
    """The hash after one more word."""
    state = (state ^ word) * _ODD
    return state ^ (state >> _32)


@kernel
def finish(state: np.uint64, mask: np.uint64) -> np.uint64:
    """The hash of the words mixed so far; ``mask`` keeps all bits, or fewer to force collisions."""
    state *= _ODDER
    return (state ^ (state >> _32)) & mask


@kernel
def pack(
    text: NDArray[np.uint8],
    ends: Starts,
    mask: np.uint64,
    words: Words,
    starts: Starts,
    counts: Counts,
    hashes: Words,
) -> None:
    """Pack ids that stand one after the other in ``text``; id i ends before byte ``ends[i]``."""
    at = 0
    pos = 0
    for i in range(ends.size):
        starts[i] = at
        word = _ZERO
        state = _ZERO
        filled = 0
        while pos < ends[i]:
            word = (word << _EIGHT) | np.uint64(text[pos])
            pos += 1
            filled += 1
            if filled == 8:
                words[at] = word
                at += 1
                state = mix(state, word)
                word = _ZERO
                filled = 0
        if filled > 0:
            word <<= np.uint64(64 - 8 * filled)
            words[at] = word
            at += 1
            state = mix(state, word)
        counts[i] = at - starts[i]
        hashes[i] = finish(state, mask)


@kernel
def same(words: Words, start: int, count: int, others: Words, other_start: int, other_count: int) -> bool:
    """Whether two ids have the same bytes."""
    if count != other_count:
        return False
    for k in range(count):  # noqa: SIM110 (numba compiles the loop, not all())
        if words[start + k] != others[other_start + k]:
            return False
    return True


@kernel
def table_bits(items: int) -> int:
    """Bits of a hash table's index: at least twice as many slots as items, and at least two slots."""
    bits = 1
    while (1 << bits) < 2 * items:
        bits += 1
    return bits


@kernel
def clear(table: Starts, slots: int) -> None:
    """Empty the first slots: -1 stands in each."""
    # A loop: assigning to a slice, or np.full, would compile numpy's broadcasting and its messages.
    for slot in range(slots):
        table[slot] = -1


@kernel
def widest(words: Words, starts: Starts, counts: Counts) -> int:
    """The most code points that an id has."""
    most = 0
    for i in range(starts.size):
        if 8 * counts[i] <= most:
            continue
        points = 0
        for k in range(starts[i], starts[i] + counts[i]):
            word = words[k]
            for shift in range(56, -1, -8):
                byte = (word >> np.uint64(shift)) & np.uint64(0xFF)
                # A continuation byte (10xxxxxx) opens no code point, and 0 is padding.
                if byte != 0 and (byte & np.uint64(0xC0)) != 0x80:
                    points += 1
        most = max(most, points)
    return most


@kernel
def decode(
    words: Words, starts: Starts, counts: Counts, items: Starts, rows: Starts, out: NDArray[np.uint32]
) -> None:
    """Write the code points of id ``items[i]`` to row ``rows[i]`` of ``out``, which starts as zeros.

    The bytes were checked to be UTF-8 when they were read.
    """
    for i in range(items.size):
        item = items[i]
        row = rows[i]
        at = -1
        for k in range(starts[item], starts[item] + counts[item]):
            word = words[k]
            for shift in range(56, -1, -8):
                byte = np.uint32((word >> np.uint64(shift)) & np.uint64(0xFF))
                if byte == 0:
                    break
                if byte < 0x80:
                    at += 1
                    out[row, at] = byte
                elif byte < 0xC0:
                    out[row, at] = (out[row, at] << np.uint32(6)) | (byte & np.uint32(0x3F))
                else:
                    at += 1
                    bits = 0x1F if byte < 0xE0 else 0x0F if byte < 0xF0 else 0x07
                    out[row, at] = byte & np.uint32(bits)
