"""Tie groups of one query, and the rankings that sort its scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, permutations, product
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["group_means", "sorting_rankings", "tie_groups"]


def tie_groups(lists: RankedLists) -> Iterator[tuple[int, int]]:
    """The half-open ranges of places with equal scores, among the retrieved items of the first query."""
    start, depth = 0, int(lists.depth[0])
    while start < depth:
        end = int(lists.ends[start])
        yield start, end
        start = end


def group_means(lists: RankedLists, values: Sequence[float]) -> list[float]:
    """Each retrieved place's value replaced by the mean of its tie group."""
    means: list[float] = []
    for start, end in tie_groups(lists):
        means += [sum(values[start:end]) / (end - start)] * (end - start)
    return means


def sorting_rankings(scores: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """All rankings (items best first) that sort the scores, in lexicographic order.

    Scores that are equal are tied, however near others may be. They may be numbers of any kind that compare:
    floats, fractions, or enclosures that refuse a comparison they leave open.

    >>> list(sorting_rankings([0.1, 0.7, 0.1]))
    [(1, 0, 2), (1, 2, 0)]
    """
    listed = list(scores)
    if any(score != score for score in listed):
        raise ArgumentError(
            f"Argument scores must be numbers, got {listed}: a NaN has no place in a ranking. "
            "Give every item a number."
        )
    groups: list[list[int]] = []
    for item in sorted(range(len(listed)), key=listed.__getitem__, reverse=True):
        # Sorted, so two neighbours are tied unless the one before is larger; equality is never asked for.
        if groups and not listed[groups[-1][0]] > listed[item]:
            groups[-1].append(item)
        else:
            groups.append([item])
    return (tuple(chain(*orders)) for orders in product(*map(permutations, groups)))
