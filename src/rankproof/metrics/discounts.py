"""Discounts: how much a rank counts.

- ``log2``: 1 / log2(1 + k), the usual one;
- ``letor``: 1, 1, 1/log2(3), 1/log2(4), ... (log2(k) from k = 2), as in the LETOR and MSLR scripts;
- ``ln``: 1 / ln(1 + k), which differs from ``log2`` by a factor that nDCG does not see;
- ``reciprocal``: 1 / k;
- a table: the weight of rank 1, 2, ...; ranks beyond it count 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import TypeAlias

import numpy as np

from rankproof.arrays import Float64s, frozen
from rankproof.errors import ArgumentError

__all__ = ["DISCOUNTS", "Discount", "as_discount", "discount_of", "discount_table"]

Discount: TypeAlias = str | tuple[float | Fraction, ...]
DISCOUNTS = ("log2", "letor", "ln", "reciprocal")


def as_discount(metric: str, discount: object) -> Discount:
    """A valid discount: one of the names, or a table of numbers that never rises."""
    if isinstance(discount, str) and discount in DISCOUNTS:
        return discount
    if isinstance(discount, (list, tuple)) and discount and all(isinstance(d, Real) for d in discount):
        # Fractions stay exact: the theory layer puts them in place of logarithms.
        table = tuple(d if isinstance(d, Fraction) else float(d) for d in discount)
        if table[-1] < 0 or not all(map(math.isfinite, table)) or any(a < b for a, b in pairwise(table)):
            raise ArgumentError(
                f"Argument discount of {metric} must be a table of finite numbers >= 0 that never rises "
                f"from a rank to the next, got {list(discount)}."
            )
        return table
    raise ArgumentError(
        f"Argument discount of {metric} must be one of {', '.join(DISCOUNTS)} or a table of numbers, "
        f"got {discount!r}."
    )


def discount_of(discount: Discount, rank: int) -> float | Fraction:
    """The weight of one rank (1 is the top).

    >>> discount_of("log2", 3), discount_of("letor", 2), discount_of((1.0, 0.5), 3)
    (0.5, 1.0, 0.0)
    """
    if isinstance(discount, tuple):
        return discount[rank - 1] if rank <= len(discount) else 0.0
    if discount == "log2":
        return 1.0 / math.log2(1 + rank)
    if discount == "letor":
        return 1.0 / math.log2(max(2, rank))
    if discount == "ln":
        return 1.0 / math.log(1 + rank)
    return 1.0 / rank


@lru_cache(maxsize=64)
def discount_table(discount: Discount, ranks: int, cutoff: int | None) -> tuple[Float64s, Float64s]:
    """Weights of ranks 1..ranks (0 beyond the cutoff), and their running sums from 0."""
    weights = np.zeros(ranks)
    k = np.arange(1.0, (ranks if cutoff is None else min(ranks, cutoff)) + 1)
    if isinstance(discount, tuple):
        k = k[: len(discount)]
        weights[: k.size] = discount[: k.size]
    elif discount == "log2":
        weights[: k.size] = 1.0 / np.log2(1.0 + k)
    elif discount == "letor":
        weights[: k.size] = 1.0 / np.log2(np.maximum(2.0, k))
    elif discount == "ln":
        weights[: k.size] = 1.0 / np.log(1.0 + k)
    else:
        weights[: k.size] = 1.0 / k
    return frozen(weights), frozen(np.concatenate(([0.0], np.cumsum(weights))))
