"""Decimal text to the nearest float64, bit for bit what ``float(text)`` gives.

Definition. The value of a decimal text is $w 10^q$ with whole $w$ and $q$; the result is the float64 nearest
to it, ties to the even one. Three ways lead there: one multiplication or division when $w \\le 2^{53}$ and
$|q| \\le 22$, for then both numbers are exact (Clinger, "How to read floating point numbers accurately",
1990); else one product of $w$ with a 128-bit approximation of $5^q$ (Lemire, "Number parsing at a gigabyte
per second", 2021), which settles almost every text; and for the few it cannot settle the caller asks Python.

>>> import numpy as np
>>> parse_decimal(np.frombuffer(b"-12.5e-1", dtype=np.uint8), 0, 8) == (-1.25, EXACT)
True
>>> parse_decimal(np.frombuffer(b"1_000", dtype=np.uint8), 0, 5)[1] == MALFORMED
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = ["EXACT", "MALFORMED", "UNSURE", "parse_decimal", "scale", "settle"]

# What `parse_decimal` says of a text: its value is given; it is no number; ask `settle`.
EXACT, MALFORMED, UNSURE = 0, 1, 2

# 10^19 - 1 is the largest run of nines that fits 64 bits.
_DIGITS = 19
# Further than any file is long, so that no run of zeros can bring such an exponent back into range.
_FAR = 10**17

_LEAST_POWER, _GREATEST_POWER = -342, 308
_LEAST_BINARY, _GREATEST_BINARY = -1074, 971


def _powers_of_five() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The leading 128 bits of 5^q: rounded down for q >= 0 and up for q < 0, as the proof asks."""
    high, low = [], []
    for q in range(_LEAST_POWER, _GREATEST_POWER + 1):
        power = 5 ** abs(q)
        if q >= 0:
            bits = power << 128 >> power.bit_length()
        else:
            # 2^shift / 5^|q| lies between 2^127 and 2^128.
            shift = 127 + (power - 1).bit_length()
            bits = (1 << shift) // power + 1
        high.append(bits >> 64)
        low.append(bits & 0xFFFFFFFFFFFFFFFF)
    return np.array(high, dtype=np.uint64), np.array(low, dtype=np.uint64)


_FIVE_HIGH, _FIVE_LOW = _powers_of_five()
_TEN = np.array([float(10**k) for k in range(23)])
_TWO = np.array([2.0**k for k in range(_LEAST_BINARY, _GREATEST_BINARY + 1)])

_0, _1, _3, _32, _63 = (np.uint64(k) for k in (0, 1, 3, 32, 63))
_LOW_HALF = np.uint64(0xFFFFFFFF)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_NINE_BITS = np.uint64(0x1FF)
_LARGEST_EXACT = np.uint64(1 << 53)
_INFINITY = np.frombuffer(b"infinity", dtype=np.uint8)


@kernel
def _product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The high and the low half of a 128-bit product."""
    a1, a0 = a >> _32, a & _LOW_HALF
    b1, b0 = b >> _32, b & _LOW_HALF
    low, cross, other = a0 * b0, a1 * b0, a0 * b1
    middle = (low >> _32) + (cross & _LOW_HALF) + (other & _LOW_HALF)
    high = a1 * b1 + (cross >> _32) + (other >> _32) + (middle >> _32)
    return high, (middle << _32) | (low & _LOW_HALF)


@kernel
def _leading_zeros(word: np.uint64) -> int:
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(64 - step) == _0:
            zeros += step
            word = word << np.uint64(step)
    return zeros


@kernel
def scale(mantissa: np.uint64, exponent: int) -> tuple[float, bool]:
    """The float64 nearest to ``mantissa * 10**exponent``, and whether that is settled."""
    if mantissa <= _LARGEST_EXACT and -22 <= exponent <= 22:
        whole = np.float64(np.int64(mantissa))
        return (whole / _TEN[-exponent] if exponent < 0 else whole * _TEN[exponent]), True
    if mantissa == _0 or exponent < _LEAST_POWER:
        return 0.0, True
    if exponent > _GREATEST_POWER:
        return np.inf, True
    zeros = _leading_zeros(mantissa)
    word = mantissa << np.uint64(zeros)
    high, low = _product(word, _FIVE_HIGH[exponent - _LEAST_POWER])
    if high & _NINE_BITS == _NINE_BITS:
        # The bits below the result are all ones: the lower half of the power may carry into them.
        carry, _ = _product(word, _FIVE_LOW[exponent - _LEAST_POWER])
        low = low + carry
        if low < carry:
            high = high + _1
    if low == _ALL and not -27 <= exponent <= 55:
        return 0.0, False
    top = high >> _63
    drop = top + np.uint64(9)
    bits = high >> drop
    # The bits hold 53 of the result and one to round by; this is the power of two of the last of the 53.
    binary = ((217706 * exponent) >> 16) + np.int64(top) - zeros + 63 - 52
    if binary < _LEAST_BINARY:
        below = _LEAST_BINARY - binary
        if below > 63:
            return 0.0, True
        bits = bits >> np.uint64(below)
        bits = (bits + (bits & _1)) >> _1
        return np.float64(np.int64(bits)) * _TWO[0], True
    # Only for small powers can a text lie half-way between two floats; then the even one is nearest.
    if low <= _1 and -4 <= exponent <= 23 and bits & _3 == _1 and bits << drop == high:
        bits = bits - _1
    bits = (bits + (bits & _1)) >> _1
    if binary > _GREATEST_BINARY:
        return np.inf, True
    return np.float64(np.int64(bits)) * _TWO[binary - _LEAST_BINARY], True


@kernel
def _word(data: NDArray[np.uint8], start: int, stop: int) -> float:
    """``inf``, ``infinity`` or ``nan`` in any case; 0 for another word."""
    size = stop - start
    if size == 3 and data[start] | 32 == 110 and data[start + 1] | 32 == 97 and data[start + 2] | 32 == 110:
        return np.nan
    if size != 3 and size != 8:
        return 0.0
    for k in range(size):
        if data[start + k] | 32 != _INFINITY[k]:
            return 0.0
    return np.inf


@kernel
def parse_decimal(data: NDArray[np.uint8], start: int, stop: int) -> tuple[float, int]:
    """The value of the text ``data[start:stop]`` and one of `EXACT`, `MALFORMED`, `UNSURE`.

    Accepted is what Python's ``float`` accepts, without spaces around it and underscores in it: a sign,
    ``.5``, ``5.``, exponents, and the words nan, inf and infinity in any case.
    """
    i = start
    negative = False
    if i < stop and (data[i] == 43 or data[i] == 45):
        negative = data[i] == 45
        i += 1
    if i == stop:
        return 0.0, MALFORMED
    sign = -1.0 if negative else 1.0
    if data[i] > 57:
        value = _word(data, i, stop)
        return (0.0, MALFORMED) if value == 0.0 else (np.copysign(value, sign), EXACT)

    mantissa, kept, exponent = _0, 0, 0
    digits, after_point, truncated = False, False, False
    while i < stop:
        digit = np.int64(data[i]) - 48
        if 0 <= digit <= 9:
            digits = True
            if kept < _DIGITS:
                mantissa = mantissa * np.uint64(10) + np.uint64(digit)
                kept += mantissa != _0
                exponent -= after_point
            else:
                truncated = truncated or digit != 0
                exponent += not after_point
        elif digit == -2 and not after_point:
            after_point = True
        else:
            break
        i += 1
    if not digits:
        return 0.0, MALFORMED
    if i < stop:
        if data[i] | 32 != 101:
            return 0.0, MALFORMED
        i += 1
        down = False
        if i < stop and (data[i] == 43 or data[i] == 45):
            down = data[i] == 45
            i += 1
        if i == stop:
            return 0.0, MALFORMED
        power = 0
        while i < stop:
            digit = np.int64(data[i]) - 48
            if digit < 0 or digit > 9:
                return 0.0, MALFORMED
            if power < _FAR:
                power = power * 10 + int(digit)
            i += 1
        exponent += -power if down else power

    value, sure = scale(mantissa, exponent)
    if truncated and sure:
        # The text lies between this mantissa and the next one: settled if both round alike.
        above, sure = scale(mantissa + _1, exponent)
        sure = sure and above == value
    return value * sign, EXACT if sure else UNSURE


def settle(data: NDArray[np.uint8], start: int, stop: int) -> float:
    """The value of a text that `parse_decimal` called unsure."""
    return float(data[start:stop].tobytes())
