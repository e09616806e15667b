"""Proven bounds of exp, log and the root in fixed-point arithmetic on Python's whole numbers.

A number x is held as the whole number x * 2^BITS. Every function returns two such numbers, one that is at
most the true value and one that is at least it. Nothing here depends on how well the machine or a library
rounds: sums are of whole numbers, every shift rounds to a known side, and what a series leaves out is
bounded in the comment beside it.

>>> low, high = exp_bounds(1 << BITS)
>>> low < high <= low + 2, f"{low / 2**BITS:.15f}"
(True, '2.718281828459045')
"""

from __future__ import annotations

import math
from functools import lru_cache

from rankproof.errors import ArgumentError

__all__ = ["BITS", "UnprovenError", "down", "exp_bounds", "log_bounds", "root_bounds", "up"]

# Bits after the binary point.
BITS = 128
# Bits that are computed beyond those, so that roundings inside do not show in the result.
_GUARD = 64
_WIDE = BITS + _GUARD
# Halvings of the argument before the series of exp; the result is squared as often.
_HALVINGS = 10
# exp of more than this has more digits than any use.
_LARGEST = 20_000


class UnprovenError(ArgumentError):
    """What was asked cannot be decided or bounded with intervals here; it need not be false."""


def down(x: int, bits: int) -> int:
    """x / 2^bits, rounded down."""
    return x >> bits


def up(x: int, bits: int) -> int:
    """x / 2^bits, rounded up."""
    return -((-x) >> bits)


def _small_exp(x: int) -> tuple[int, int]:
    """Bounds of exp(x) for 0 <= x < 1, at _WIDE bits.

    With t = x / 2^10, the terms c_j of the series are rounded down. Their errors are e_(j+1) <= e_j t / (j +
    1) + 1 / (j + 1) + 1 < e_j / 2^10 + 2 units, so below 3 each. The loop ends with a term whose computed
    value is 0, so whose true value is below 3 units: that and all that follow sum to less than 4.
    """
    wide = _WIDE + _HALVINGS
    # x / 2^10 with 10 more bits after the point: the same whole number, so t is exact.
    t, term = x, 1 << wide
    total, terms = term, 0
    while term:
        terms += 1
        term = ((term * t) >> wide) // terms
        total += term
    low, high = total, total + 3 * terms + 4
    for _ in range(_HALVINGS):
        low, high = down(low * low, wide), up(high * high, wide)
    return down(low, _HALVINGS), up(high, _HALVINGS)


@lru_cache(maxsize=1)
def _log_of_2() -> tuple[int, int]:
    """Bounds of log 2 = 2 (z + z^3/3 + z^5/5 + ...) with z = 1/3, at _WIDE bits.

    Terms are rounded down, by less than 1 unit each; those after 3^-(2k+1) sum to less than 9/8 of it.
    """
    total, k, power = 0, 0, 3
    while power >> _WIDE == 0:
        total += (2 << _WIDE) // (power * (2 * k + 1))
        k, power = k + 1, power * 9
    return total, total + k + 4


def _exp_wide(x: int) -> tuple[int, int, int]:
    """(low, high, k) with exp(x) in [low, high] * 2^k, all at _WIDE bits and 0 <= low."""
    least, most = _log_of_2()
    # Rounded so that x - k log 2 is at least 0 whichever bound of log 2 is taken.
    k = x // (most if x >= 0 else least)
    rest = x - k * (most if k >= 0 else least)
    low, high = _small_exp(rest)
    # The true rest is larger than this one by at most |k| (most - least), and exp(w) <= 1 + 2w for w < 1.
    return low, high + up(high * 2 * abs(k) * (most - least), _WIDE), k


@lru_cache(maxsize=8192)
def exp_bounds(x: int) -> tuple[int, int]:
    """Bounds of exp(x)."""
    if x > _LARGEST << BITS:
        raise UnprovenError(f"exp of {x / 2**BITS:.6g} is beyond what is computed here ({_LARGEST} at most).")
    if x < -(_LARGEST << BITS):
        return 0, 1
    if x == 0:
        return 1 << BITS, 1 << BITS
    low, high, k = _exp_wide(x << _GUARD)
    shift = _GUARD - k
    if shift >= 0:
        return down(low, shift), up(high, shift)
    return low << -shift, high << -shift


@lru_cache(maxsize=8192)
def log_bounds(x: int) -> tuple[int, int]:
    """Bounds of log(x), x > 0.

    x = m 2^e with 1 <= m < 2, and a float a near log m: then log m = a + log(1 + d) with 1 + d = m exp(-a),
    |d| < 2^-40, and log(1 + d) differs from d - d^2/2 + d^3/3 by less than d^4 < 2^-160.
    """
    if x <= 0:
        raise UnprovenError(f"log needs a number above 0, got one that may be as low as {x / 2**BITS:.6g}.")
    if x == 1 << BITS:
        return 0, 0
    places = x.bit_length() - 1
    e = places - BITS
    m_low, m_high = (
        (x << (_WIDE - places),) * 2 if places <= _WIDE else (down(x, places - _WIDE), up(x, places - _WIDE))
    )
    a = int(math.ldexp(math.log(math.ldexp(m_low >> (_WIDE - 60), -60)), 60)) << (_WIDE - 60)
    least, most, k = _exp_wide(-a)
    one = 1 << _WIDE
    d_low, d_high = down(m_low * least, _WIDE - k) - one, up(m_high * most, _WIDE - k) - one
    if max(abs(d_low), abs(d_high)) >> (_WIDE - 40):
        raise UnprovenError("log: the machine's logarithm is off by more than 2^-40.")
    two_low, two_high = _log_of_2()
    low = e * (two_low if e >= 0 else two_high) + a + _log_series(d_low)[0]
    high = e * (two_high if e >= 0 else two_low) + a + _log_series(d_high)[1]
    return down(low, _GUARD), up(high, _GUARD)


def _log_series(d: int) -> tuple[int, int]:
    """Bounds of log(1 + d) for |d| < 2^-40, at _WIDE bits."""
    square = d * d
    middle = d - (square >> (_WIDE + 1)) + (square * d) // (3 << (2 * _WIDE))
    # Two roundings of less than 1 unit, and the rest of the series.
    left_out = up(square * square, 3 * _WIDE) + 2
    return middle - left_out, middle + left_out


def root_bounds(x: int) -> tuple[int, int]:
    """Bounds of the square root of x >= 0."""
    if x < 0:
        raise UnprovenError(f"A root needs a number of at least 0, got one that may be {x / 2**BITS:.6g}.")
    root = math.isqrt(x << BITS)
    return root, root + (root * root != x << BITS)
