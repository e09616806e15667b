"""A float32 as the shortest decimal text that reads back to the same bits.

Definition. The text of x has the fewest significant digits p such that some p-digit decimal, read as a
float64 and rounded to float32, is x; of two such decimals the nearer one. Every candidate is checked by
reading it back, so that the promise does not rest on the arithmetic that proposed it.

>>> out = np.empty(LONGEST, dtype=np.uint8)
>>> out[: put_number(out, 0, np.float32(0.1))].tobytes()
b'0.1'
>>> out[: put_number(out, 0, np.float32(-1.5e-20))].tobytes()
b'-1.5e-20'
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.decimal import scale

__all__ = ["LONGEST", "put_number", "put_whole"]

# A sign, ten digits, a point, five zeros behind it, an exponent: no text is longer than this.
LONGEST = 24
# Ten digits lie closer to a float32 than half its distance to the next one.
_MOST_DIGITS = 10
_LEAST_SHIFT, _GREATEST_SHIFT = -40, 60
_TEN = np.array([float(f"1e{k}") for k in range(_LEAST_SHIFT, _GREATEST_SHIFT + 1)])
_LEAST_POSITIONAL, _GREATEST_POSITIONAL = -5, 9
_ZERO, _MINUS, _POINT, _E = 48, 45, 46, 101


@kernel
def _reads_back(digits: float, shift: int, size: np.float32) -> bool:
    value, sure = scale(np.uint64(np.int64(digits)), -shift)
    return bool(sure and np.float32(value) == size)


@kernel
def _shortest(size: np.float32) -> tuple[int, int]:
    """Whole d and k such that d / 10^k is the shortest text of a positive finite number."""
    wide = np.float64(size)
    power = math.floor(math.log10(wide))
    for places in range(_MOST_DIGITS):
        shift = places - power
        scaled = wide * _TEN[shift - _LEAST_SHIFT]
        below = np.floor(scaled)
        nearer = below if scaled - below <= 0.5 else below + 1.0
        if _reads_back(nearer, shift, size):
            return int(nearer), shift
        other = below + (below + 1.0 - nearer)
        if _reads_back(other, shift, size):
            return int(other), shift
    return int(wide * _TEN[_MOST_DIGITS - power - _LEAST_SHIFT]), _MOST_DIGITS - power


@kernel
def put_whole(out: NDArray[np.uint8], at: int, number: int) -> int:
    """Write a whole number that is not negative at ``out[at:]``; returns where it ends."""
    size, rest = 1, number // 10
    while rest:
        size += 1
        rest //= 10
    for k in range(at + size - 1, at - 1, -1):
        out[k] = _ZERO + number % 10
        number //= 10
    return at + size


@kernel
def put_number(out: NDArray[np.uint8], at: int, number: np.float32) -> int:
    """Write a float32 at ``out[at:]``, at most `LONGEST` bytes; returns where it ends."""
    if math.copysign(1.0, number) < 0:
        out[at] = _MINUS
        at += 1
    if np.isnan(number):
        out[at], out[at + 1], out[at + 2] = 110, 97, 110
        return at + 3
    if np.isinf(number):
        out[at], out[at + 1], out[at + 2] = 105, 110, 102
        return at + 3
    size = np.float32(abs(number))
    if size == 0:
        out[at] = _ZERO
        return at + 1

    digits, shift = _shortest(size)
    while digits % 10 == 0:
        digits //= 10
        shift -= 1
    first = at
    end: int = put_whole(out, at, digits)
    count = end - first
    # The number is 0.D * 10^point for the digits D.
    point: int = count - shift
    if _LEAST_POSITIONAL < point <= 0:
        lead = 2 - point
        for k in range(count - 1, -1, -1):
            out[first + lead + k] = out[first + k]
        for k in range(lead):
            out[first + k] = _ZERO
        out[first + 1] = _POINT
        return end + lead
    if 0 < point <= _GREATEST_POSITIONAL:
        for _ in range(count, point):
            out[end] = _ZERO
            end += 1
        if count > point:
            for k in range(end, first + point, -1):
                out[k] = out[k - 1]
            out[first + point] = _POINT
            end += 1
        return end
    if count > 1:
        for k in range(end, first + 1, -1):
            out[k] = out[k - 1]
        out[first + 1] = _POINT
        end += 1
    out[end] = _E
    end += 1
    power = point - 1
    if power < 0:
        out[end] = _MINUS
        end += 1
    return int(put_whole(out, end, abs(power)))
