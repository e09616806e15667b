"""`PackedIds`: many text ids as machine words, which compiled loops hash, compare and join.

>>> ids = PackedIds.from_texts("document id", ["d1", "übung"])
>>> ids.texts().tolist()
['d1', 'übung']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Int64s, frozen
from rankproof.errors import DataError
from rankproof.ids import TextIds, at_own_length, wastes_room
from rankproof.shown import quoted

__all__ = ["PackedIds", "coded_ids", "decoded", "hash_mask"]

_ALL_BITS = 2**64 - 1
# How many ids are decoded at a time when they are kept at their own lengths.
_AT_A_TIME = 1024


def hash_mask() -> np.uint64:
    """Which bits of an id's hash are kept: all of them."""
    return np.uint64(_ALL_BITS)


def coded_ids(kind: str, texts: Sequence[str]) -> list[bytes]:
    """The UTF-8 bytes of ids, each checked."""
    coded = []
    for text in texts:
        if not isinstance(text, str) or not text or "\0" in text:
            raise DataError(
                f"A {kind} must be a str with characters other than the null, got {quoted(text)}."
            )
        try:
            coded.append(text.encode())
        except UnicodeEncodeError:
            raise DataError(
                f"The {kind} {quoted(text)} holds half of a surrogate pair, which UTF-8 cannot write."
            ) from None
    return coded


@dataclass(frozen=True, eq=False)
class PackedIds:
    """Id i is ``words[starts[i] : starts[i] + counts[i]]``; see `rankproof.kernels.text.packed_ids`."""

    words: NDArray[np.uint64]
    starts: Int64s
    counts: NDArray[np.int32]
    hashes: NDArray[np.uint64]

    def __post_init__(self) -> None:
        for name in ("words", "starts", "counts", "hashes"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @classmethod
    def from_texts(cls, kind: str, texts: Sequence[str]) -> PackedIds:
        """Pack ids; each must be a str of at least one character that UTF-8 can write, without the null."""
        from rankproof.kernels.text.packed_ids import pack

        coded = coded_ids(kind, texts)
        sizes = np.fromiter(map(len, coded), dtype=np.int64, count=len(coded))
        starts, counts = np.empty(sizes.size, np.int64), np.empty(sizes.size, np.int32)
        words, hashes = np.empty(int((-(-sizes // 8)).sum()), np.uint64), np.empty(sizes.size, np.uint64)
        text = np.frombuffer(b"".join(coded), dtype=np.uint8)
        pack(text, np.cumsum(sizes), hash_mask(), words, starts, counts, hashes)
        return cls(words, starts, counts, hashes)

    def __len__(self) -> int:
        return self.starts.size

    @property
    def parts(self) -> tuple[NDArray[np.uint64], Int64s, NDArray[np.int32], NDArray[np.uint64]]:
        """The arrays, as the kernels take them."""
        return self.words, self.starts, self.counts, self.hashes

    def take(self, which: Int64s) -> PackedIds:
        """The ids of some places, over the same words."""
        return PackedIds(self.words, self.starts[which], self.counts[which], self.hashes[which])

    def texts(self) -> TextIds:
        """The ids as an array of str."""
        every = np.arange(len(self), dtype=np.int64)
        return decoded(len(self), (self, every, every))

    def __reduce__(self) -> tuple[Any, ...]:
        # The words of a file have gaps, which a pickle need not carry.
        ends = np.cumsum(self.counts, dtype=np.int64)
        starts = ends - self.counts
        inside = np.arange(int(ends[-1]) if ends.size else 0) - np.repeat(starts - self.starts, self.counts)
        return PackedIds, (self.words[inside], starts, self.counts, self.hashes)


def decoded(rows: int, *sources: tuple[PackedIds, Int64s, Int64s]) -> TextIds:
    """An array of str: each source gives its ids of the places ``items`` to the rows ``rows``."""
    from rankproof.kernels.text.packed_ids import decode, widest

    width = max((widest(ids.words, ids.starts, ids.counts) for ids, _, _ in sources), default=0)
    size = sum(8 * int(ids.counts[items].sum()) for ids, items, _ in sources)
    if wastes_room(rows, size, width):
        return frozen(_at_own_length(rows, *sources))
    points = np.zeros((rows, max(width, 1)), dtype=np.uint32)
    for ids, items, places in sources:
        decode(ids.words, ids.starts, ids.counts, items, places, points)
    return frozen(points.view(f"U{points.shape[1]}").reshape(rows))


def _at_own_length(rows: int, *sources: tuple[PackedIds, Int64s, Int64s]) -> TextIds:
    """The same, some ids at a time, so that a long one widens its neighbours alone."""
    from rankproof.kernels.text.packed_ids import decode

    texts = at_own_length(rows)
    for ids, every, places in sources:
        for low in range(0, every.size, _AT_A_TIME):
            items = every[low : low + _AT_A_TIME]
            width = 8 * int(ids.counts[items].max())
            points = np.zeros((items.size, width), dtype=np.uint32)
            decode(ids.words, ids.starts, ids.counts, items, np.arange(items.size), points)
            texts[places[low : low + _AT_A_TIME]] = points.view(f"U{width}").reshape(-1)
    return texts
