"""Ids as numbers, in the order in which they first appear; millions of them, without a loop over rows.

>>> names, numbers = numbered(np.array(["b", "a", "b"]))
>>> names.tolist(), numbers.tolist()
(['b', 'a'], [0, 1, 0])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Int64s

__all__ = ["numbered", "numbered_pairs"]

# Ids that are hashed at a time: bounds the memory beside the data.
_AT_ONCE = 1 << 18


def numbered(ids: NDArray[Any]) -> tuple[NDArray[Any], Int64s]:
    """The different ids, and the place of every id among them."""
    keys = _hashes(ids) if ids.dtype.kind in "US" and ids.size and ids.dtype.itemsize else ids
    names, numbers = _of_keys(ids, keys)
    # Equal hashes are all but certainly equal ids; this makes it certain.
    if keys is not ids and not np.array_equal(names[numbers], ids):
        return _of_keys(ids, ids)
    return names, numbers


def numbered_pairs(first: Int64s, second: Int64s) -> tuple[Int64s, Int64s]:
    """Where each pair of numbers first appears, and the place of every pair among the different ones.

    >>> [part.tolist() for part in numbered_pairs(np.array([1, 0, 1]), np.array([5, 5, 5]))]
    [[0, 1], [0, 1, 0]]
    """
    keys = first * (int(second.max(initial=0)) + 1) + second
    return _of_keys(np.arange(keys.size), keys)


def _of_keys(ids: NDArray[Any], keys: NDArray[Any]) -> tuple[NDArray[Any], Int64s]:
    _, where, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(where, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return ids[where[order]], place[which.reshape(-1)]


def _hashes(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """One number per id: a sum of its characters times random odd numbers."""
    plain = np.ascontiguousarray(ids)
    one = np.uint32 if plain.dtype.kind == "U" else np.uint8
    characters = plain.view(one).reshape(plain.size, -1)
    random_bits = np.random.default_rng(0).integers(1 << 63, size=characters.shape[1], dtype=np.uint64)
    factors = np.bitwise_or(random_bits, np.uint64(1))
    hashes = np.empty(plain.size, np.uint64)
    for start in range(0, plain.size, _AT_ONCE):
        part = characters[start : start + _AT_ONCE].astype(np.uint64)
        hashes[start : start + _AT_ONCE] = (part * factors).sum(axis=1, dtype=np.uint64)
    return hashes
