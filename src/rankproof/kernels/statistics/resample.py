"""Resampling loops: bootstrap sums, sign-flip sums, and exact sign-flip distributions.

Random numbers come from SplitMix64 (Steele, Lea & Flood 2014) in its counter form: number ``j`` of sample
``r`` is a fixed function of (seed, r, j). A sample therefore does not depend on which thread or chunk it is
drawn in, and two calls with the same seed and the same length see the same draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = [
    "bootstrap_sums",
    "byte_tables",
    "count_at_least",
    "lattice_tail",
    "mix",
    "sign_flip_sums",
    "signed_sums",
]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_S8, _S32 = np.uint64(8), np.uint64(32)
_BYTE, _HALF = np.uint64(0xFF), np.uint64(0xFFFFFFFF)
# Samples that share one pass over the byte tables: enough to keep a table in the first-level cache.
_BLOCK = 64
# Probabilities below this are dropped now and then: denormal numbers would slow the loop a hundredfold.
# Halved `_SWEEP` times, it is still a normal number.
_NOTHING = 1e-280
_SWEEP = 64


@kernel
def mix(state: np.uint64) -> np.uint64:
    z = (state ^ (state >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@kernel
def _stream(seed: np.uint64, sample: int) -> np.uint64:
    """Where the numbers of one sample start: mixed twice, so that neighbouring samples do not overlap."""
    start: np.uint64 = mix(mix(seed + _GOLDEN) + np.uint64(sample) * _GOLDEN + _MIX1)
    return start


@kernel
def bootstrap_sums(
    values: NDArray[np.float64], seed: np.uint64, first: int, last: int, out: NDArray[np.float64]
) -> None:
    """``out[r]`` = the sum of n of the n ``values`` drawn with replacement, for the resamples first..last-1.

    One 64-bit number gives two indices, each by a 32-bit multiply and shift; the chance of an index is off
    by at most n / 2**32 of itself, far below what any number of resamples could show.
    """
    n = values.size
    size = np.uint64(n)
    for r in range(first, last):
        state = _stream(seed, r)
        left, right = 0.0, 0.0
        for _ in range(n >> 1):
            state += _GOLDEN
            word = mix(state)
            left += values[((word & _HALF) * size) >> _S32]
            right += values[((word >> _S32) * size) >> _S32]
        if n & 1:
            left += values[((mix(state + _GOLDEN) & _HALF) * size) >> _S32]
        out[r] = left + right


@kernel
def byte_tables(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The 256 signed sums of every eight ``values``: bit i of the index set means that value i is added.

    The number of tables is a multiple of eight, so that a 64-bit number is used up by eight of them.
    """
    words = (values.size + 63) // 64
    tables = np.zeros((8 * words, 256))
    for t in range(8 * words):
        filled = 1
        for i in range(8):
            at = 8 * t + i
            value = values[at] if at < values.size else 0.0
            for j in range(filled):
                tables[t, filled + j] = tables[t, j] + value
                tables[t, j] -= value
            filled *= 2
    return tables


@kernel
def sign_flip_sums(
    tables: NDArray[np.float64],
    skip: int,
    seed: np.uint64,
    first: int,
    last: int,
    out: NDArray[np.float64],
) -> None:
    """Add to ``out[r]`` the sum of the tabled values with independent fair signs, for samples first..last-1.

    ``skip`` tells how many 64-bit numbers of each sample earlier tables have used up.
    """
    states = np.empty(_BLOCK, dtype=np.uint64)
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        for r in range(start, stop):
            states[r - start] = _stream(seed, r) + np.uint64(skip) * _GOLDEN
        for t in range(0, tables.shape[0], 8):
            for r in range(start, stop):
                state = states[r - start] + _GOLDEN
                states[r - start] = state
                bits = mix(state)
                total = out[r]
                for k in range(8):
                    total += tables[t + k, bits & _BYTE]
                    bits >>= _S8
                out[r] = total


@kernel
def signed_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """All ``2**n`` signed sums of the n positive ``values``, ascending.

    Adding a value merges two shifted copies of a sorted list, so nothing is sorted.
    """
    old = np.empty(1 << values.size)
    new = np.empty(1 << values.size)
    old[0] = 0.0
    size = 1
    for value in values:
        low, high = 0, 0
        for k in range(2 * size):
            if high == size or (low < size and old[low] - value <= old[high] + value):
                new[k] = old[low] - value
                low += 1
            else:
                new[k] = old[high] + value
                high += 1
        old, new = new, old
        size *= 2
    return old


@kernel
def count_at_least(left: NDArray[np.float64], right: NDArray[np.float64], bound: float) -> int:
    """How many pairs (x of ``left``, y of ``right``), both ascending, have x + y >= bound."""
    count = 0
    at = right.size
    for x in left:
        while at > 0 and x + right[at - 1] >= bound:
            at -= 1
        count += right.size - at
    return count


@kernel
def lattice_tail(steps: NDArray[np.int64], bound: int) -> float:
    """P(sum of ``s_i * steps_i`` >= bound) under independent fair signs; steps are positive whole numbers.

    The sum is twice the subset sum minus the total, and the subset sums have the distribution that
    one convolution with {0, step} per step builds.
    """
    total = 0
    for step in steps:
        total += step
    old = np.zeros(total + 1)
    new = np.zeros(total + 1)
    old[0] = 1.0
    top = 0
    for i in range(steps.size):
        step = steps[i]
        # Without and with the step; the views start at 0, so that the compiler sees plain vector loops.
        kept, shifted = new[: top + 1], new[step : top + step + 1]
        new[top + 1 : top + step + 1] = 0.0
        for s in range(top + 1):
            kept[s] = 0.5 * old[s]
        for s in range(top + 1):
            shifted[s] += 0.5 * old[s]
        top += step
        if i % _SWEEP == _SWEEP - 1:
            for s in range(top + 1):
                new[s] = new[s] if new[s] > _NOTHING else 0.0
        old, new = new, old
    tail = 0.0
    for s in range(total, max(0, (total + bound + 1) // 2) - 1, -1):
        tail += old[s]
    return tail
