"""Gains of grades, discounts of ranks, and their sum: what DCG, nDCG and their targets share.

Gains say what a grade is worth: ``exp`` is 2^y - 1, ``linear`` is y, a table lists the worth of 0, 1, 2, ...
A grade below 0 (spam, junk) is worth 0, so that no gain is negative and normalised metrics stay in [0, 1].

Discounts say how much a rank counts:

- ``log2``: 1 / log2(1 + k), the usual one;
- ``letor``: 1, 1, 1/log2(3), 1/log2(4), ... (log2(k) from k = 2), as in the LETOR and MSLR scripts;
- ``ln``: 1 / ln(1 + k), which differs from ``log2`` by a factor that nDCG does not see;
- ``reciprocal``: 1 / k;
- a table: the weight of rank 1, 2, ...; ranks beyond it count 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankproof.arrays import Float64s, frozen
from rankproof.errors import ArgumentError, DataError
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import group_means

if TYPE_CHECKING:
    from rankproof.metrics.base import Number

__all__ = [
    "DISCOUNTS",
    "Discount",
    "Gain",
    "as_discount",
    "as_gain",
    "check_gain",
    "discount_of",
    "discount_table",
    "discounted_rows",
    "discounted_sum",
    "discounted_values",
    "gain_of",
    "gain_table",
]

Gain: TypeAlias = str | tuple[float | Fraction, ...]

# Largest grade whose 2^y - 1 is a finite float64, with room for sums.
_HIGHEST_EXPONENT = 1000.0
_HIGHEST_LINEAR = 1e300


def as_gain(metric: str, gain: object) -> Gain:
    """A valid gain: ``exp``, ``linear``, or a table of numbers that never falls."""
    if isinstance(gain, str) and gain in ("exp", "linear"):
        return gain
    if isinstance(gain, (list, tuple)) and gain and all(isinstance(g, Real) for g in gain):
        # Fractions stay exact, as in a table of discounts.
        table = tuple(g if isinstance(g, Fraction) else float(g) for g in gain)
        if table[0] < 0 or not all(map(math.isfinite, table)) or any(a > b for a, b in pairwise(table)):
            raise ArgumentError(
                f"Argument gain of {metric} must be a table of finite numbers >= 0 that never falls "
                f"from a grade to the next, got {list(gain)}."
            )
        return table
    raise ArgumentError(
        f"Argument gain of {metric} must be 'exp', 'linear' or a table of numbers, got {gain!r}."
    )


def gain_of(gain: Gain, grade: int | float | Fraction) -> int | float | Fraction:
    """The worth of one grade; exact for whole grades and for fractions with a linear gain.

    >>> gain_of("exp", 3), gain_of("linear", Fraction(1, 2)), gain_of((0, 1, 5), 2), gain_of("exp", -2)
    (7, Fraction(1, 2), 5, 0)
    """
    if isinstance(gain, tuple):
        if grade != int(grade) or not 0 <= grade < len(gain):
            raise DataError(f"Grade {grade} has no entry in the gain table of {len(gain)} grades.")
        return gain[int(grade)]
    if grade <= 0:
        return 0
    if gain == "linear":
        return grade
    if grade == int(grade):
        return int(2 ** int(grade)) - 1
    return float(2.0 ** float(grade)) - 1.0


@lru_cache(maxsize=64)
def gain_table(gain: Gain) -> tuple[Float64s, int]:
    """For kernels: the worth of whole grades, and the formula for others (0 exp, 1 linear, 2 none)."""
    if isinstance(gain, tuple):
        return np.array(gain, dtype=np.float64), 2
    grades = np.arange(64.0)
    return (np.exp2(grades) - 1.0, 0) if gain == "exp" else (grades, 1)


def check_gain(metric: str, gain: Gain, labels: Float64s) -> None:
    """Raise `DataError` when a label has no finite gain."""
    if isinstance(gain, tuple):
        with np.errstate(invalid="ignore"):
            bad = (labels != np.floor(labels)) | (labels < 0) | (labels >= len(gain))
        bad &= ~np.isnan(labels)
        if bad.any():
            raise DataError(
                f"{metric}: label {labels[np.argmax(bad)]:g} has no entry in the gain table of "
                f"{len(gain)} grades (0..{len(gain) - 1}). Extend the table or use gain=exp or gain=linear."
            )
        return
    highest = float(np.nanmax(labels, initial=0.0))
    if gain == "exp" and highest > _HIGHEST_EXPONENT:
        raise DataError(
            f"{metric}: label {highest:g} is too large for gain=exp (2^y - 1 overflows). "
            "Use gain=linear or a gain table."
        )
    if gain == "linear" and highest > _HIGHEST_LINEAR:
        raise DataError(
            f"{metric}: label {highest:g} is too large: sums of gains overflow. Scale the labels."
        )


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


def discounted_sum(labels: Sequence[Any], gain: Gain, discount: Discount, cutoff: int | None) -> Number:
    """The definition on one strict ranking."""
    seen = labels if cutoff is None else labels[:cutoff]
    return sum(discount_of(discount, k) * gain_of(gain, y) for k, y in enumerate(seen, start=1))


def discounted_values(
    lists: RankedLists, gain: Gain, discount: Discount, cutoff: int | None, *, normalised: bool
) -> Float64s:
    """The closed form on tied lists, for every query."""
    from rankproof.kernels.metrics.dcg import dcg

    table, formula = gain_table(gain)
    weights, running = discount_table(discount, lists.longest, cutoff)
    ideal = lists.ideal

    def kernel(low: int, high: int, out: Float64s) -> None:
        dcg(
            *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
            *(table, formula, weights, running, normalised, low, high, out),
        )

    return lists.values(kernel)


def discounted_rows(
    lists: RankedLists, gain: Gain, discount: Discount, cutoff: int | None
) -> tuple[list[tuple[float, float, float, float]], float]:
    """Per ranked place: mean gain of its tie group, discount, what it adds, the sum so far; and the sum."""
    gains = group_means(lists, [float(gain_of(gain, y)) for y in lists.labels.tolist()])
    rows: list[tuple[float, float, float, float]] = []
    total = 0.0
    depth = int(lists.depth[0])
    for k in range(1, (depth if cutoff is None else min(depth, cutoff)) + 1):
        weight = float(discount_of(discount, k))
        total += weight * gains[k - 1]
        rows.append((gains[k - 1], weight, weight * gains[k - 1], total))
    return rows, total
