"""Draws with exactly the probabilities stated: whole numbers below the common denominator, no floats."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np

__all__ = ["draw_exactly"]


def draw_exactly(probabilities: Sequence[Fraction], size: int, seed: int) -> list[int]:
    """``size`` independent places in ``probabilities``, from PCG64 with ``seed``."""
    rng = np.random.Generator(np.random.PCG64(seed))
    common = math.lcm(*(p.denominator for p in probabilities))
    edges = list(accumulate(int(p * common) for p in probabilities))
    return [bisect_right(edges, _below(common, rng)) for _ in range(size)]


def _below(limit: int, rng: np.random.Generator) -> int:
    """A whole number below ``limit``, all equally likely: numbers of as many bits, until one is below."""
    bits = (limit - 1).bit_length()
    length = -(-bits // 8)
    while True:
        draw = int.from_bytes(rng.bytes(length), "little") >> (8 * length - bits)
        if draw < limit:
            return draw
