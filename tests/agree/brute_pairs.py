"""The oracle's pairwise metrics: who stands above whom. ``levels[i] < levels[j]`` says that i is above j."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

Label = Any
Labels = Sequence[Label]
Value = Any


def power(y: Label) -> Fraction:
    """2^y, exact for whole y."""
    return Fraction(2) ** int(y) if int(y) == y else Fraction(2.0**y)


PAIR_WEIGHTS: dict[str, Callable[[Label, Label], Any]] = {
    "one": lambda _better, _worse: 1,
    "difference": lambda better, worse: Fraction(better) - Fraction(worse),
    "gain": lambda better, worse: power(better) - power(worse),
}


def disagreement(
    levels: Sequence[int], labels: Labels, *, weight: str = "one", normalize: bool, ties: str
) -> Value:
    """L12 eq. 2: the weight of the pairs y_i > y_j in which i does not stand above j; ties half or full."""
    lost, everything = Fraction(0), Fraction(0)
    for i, j in permutations(range(len(labels)), 2):
        if labels[i] > labels[j]:
            w = PAIR_WEIGHTS[weight](labels[i], labels[j])
            everything += w
            if levels[i] > levels[j]:
                lost += w
            elif levels[i] == levels[j]:
                lost += w if ties == "full" else w / Fraction(2)
    if not everything:
        return None
    return lost / everything if normalize else lost


def kendall(levels: Sequence[int], labels: Labels, *, ties: str) -> Value:
    """Kendall 1945: (C - D) / sqrt(n_0 (n_0 - n_y)); with ties=b the first n_0 is without tied pairs, too."""
    pairs = list(combinations(range(len(labels)), 2))
    preferred = sum(labels[i] != labels[j] for i, j in pairs)
    if not preferred:
        return None
    ranked = sum(levels[i] != levels[j] for i, j in pairs) if ties == "b" else len(pairs)
    agree = sum(1 for i, j in pairs if (levels[i] - levels[j]) * (labels[i] - labels[j]) < 0)
    against = sum(1 for i, j in pairs if (levels[i] - levels[j]) * (labels[i] - labels[j]) > 0)
    if not ranked:
        return Fraction(0)
    product_of_counts = ranked * preferred
    root = math.isqrt(product_of_counts)
    exact = root * root == product_of_counts
    return Fraction(agree - against) / (root if exact else Fraction(math.sqrt(product_of_counts)))


def strictly(value: Callable[..., Value]) -> Callable[..., Value]:
    """A pairwise metric on one strict ranking."""
    return lambda ranked, _missed, **parameters: value(range(len(ranked)), ranked, **parameters)


def auc(ranked: Labels, missed: Labels, *, rel: float) -> Value:
    """Hanley & McNeil 1982: the share of pairs (relevant, not relevant) with the relevant item above."""
    flags = [y >= rel for y in ranked]
    pairs = sum(flags) * (len(flags) - sum(flags))
    above = sum(1 for a, b in combinations(flags, 2) if a and not b)
    return Fraction(above, pairs) if pairs else None


def zero_one(ranked: Labels, missed: Labels) -> Value:
    """1 unless no item stands above a better one."""
    if len(set(ranked)) < 2:
        return None
    return int(any(a < b for a, b in combinations(ranked, 2)))
