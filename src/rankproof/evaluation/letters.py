"""Significance letters for a table: two systems share a letter exactly when no difference was shown.

>>> letters(["bm25", "linear", "trees"], [0.31, 0.42, 0.44], [("bm25", "trees"), ("bm25", "linear")])
{'bm25': 'b', 'linear': 'a', 'trees': 'a'}
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rankproof.errors import ArgumentError

__all__ = ["letters"]

# Letters of one character each, so that a word of them can be read; more would make no table.
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεζηθικλμνξοπρστυφχψω"


def letters(
    names: Sequence[str], means: Sequence[float], significant_pairs: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """The letters of every system, best mean first: the group of the best is ``a``.

    Groups start as one with all systems. Each significant pair splits the groups that hold both, into one
    without the first and one without the second; a group inside another is absorbed (insert and absorb:
    Piepho 2004, *An algorithm for a letter-based representation of all-pairwise comparisons*, J. Comput.
    Graph. Statist. 13). Splitting parts no other two systems, so the letters say exactly what the tests say.

    Parameters
    ----------
    names : the systems
    means : one number per system
        Decides the order of the letters only; NaN comes last.
    significant_pairs : pairs of names, in any order
    """
    if len(set(names)) != len(names):
        raise ArgumentError(f"Argument names must not repeat, got {list(names)}.")
    if len(means) != len(names):
        raise ArgumentError(f"Argument means must have one number per name ({len(names)}), got {len(means)}.")
    place = _places(names, means)
    groups = [frozenset(names)] if names else []
    for first, second in significant_pairs:
        for name in (first, second):
            if name not in place:
                raise ArgumentError(f"A significant pair names {name!r}, which is not among {list(names)}.")
        if first == second:
            raise ArgumentError(f"A significant pair must name two systems, got {first!r} twice.")
        groups = _split(groups, first, second)
    if len(groups) > len(_ALPHABET):
        raise ArgumentError(
            f"{len(groups)} groups of systems need more than {len(_ALPHABET)} letters. "
            "Compare fewer systems, or list the pairs instead."
        )
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {
        name: "".join(letter for letter, group in zip(_ALPHABET, groups, strict=False) if name in group)
        for name in names
    }


def _places(names: Sequence[str], means: Sequence[float]) -> dict[str, int]:
    worst_last = [math.inf if math.isnan(mean) else -mean for mean in means]
    order = sorted(range(len(names)), key=lambda i: (worst_last[i], i))
    return {names[i]: place for place, i in enumerate(order)}


def _split(groups: list[frozenset[str]], first: str, second: str) -> list[frozenset[str]]:
    whole = [group for group in groups if not (first in group and second in group)]
    parts = {
        group - {left_out}
        for group in groups
        if first in group and second in group
        for left_out in (first, second)
    }
    # Only a part can lie inside another group: the groups not split were already maximal.
    candidates = [*whole, *parts]
    return whole + [
        part for part in parts if not any(part < other for other in candidates) and part not in whole
    ]
