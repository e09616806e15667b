"""Floats that should be probabilities, rounded to fractions with sum exactly 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from rankproof.errors import DataError

__all__ = ["round_probabilities"]


def round_probabilities(probabilities: Sequence[float], denominator: int) -> list[Fraction]:
    """Whole multiples of ``1/denominator`` near ``probabilities``, with sum exactly 1.

    Each is rounded down, then what is missing goes to the largest remainders (the earlier one among
    equals), so each moves by less than ``1/denominator``, apart from the division by their sum.

    >>> round_probabilities([0.3333, 0.6667], 3)
    [Fraction(1, 3), Fraction(2, 3)]
    """
    for k, p in enumerate(probabilities):
        if not (math.isfinite(p) and p >= 0):
            raise DataError(f"Probabilities must be finite and not negative, got {p} at {k}.")
    mass = math.fsum(probabilities)
    if abs(mass - 1) > 1e-6:
        raise DataError(f"Probabilities that are floats must have sum 1 to within 1e-6, got {mass!r}.")
    total = sum(map(Fraction, probabilities))
    shares = [Fraction(p) * denominator / total for p in probabilities]
    floors = [math.floor(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda k: floors[k] - shares[k])
    for k in by_remainder[: denominator - sum(floors)]:
        floors[k] += 1
    return [Fraction(k, denominator) for k in floors]
