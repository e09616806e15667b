"""Tie groups of one query, for explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankproof.metrics.lists import RankedLists

__all__ = ["group_means", "tie_groups"]


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
