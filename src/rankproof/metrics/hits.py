"""What precision, recall, F and R-precision share: the number of relevant items in the top of a list.

All four are the hits in the top K divided by a mixture of R, the number of relevant items, and K.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.arrays import Float64s
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import relevant_in
from rankproof.metrics.ranked.ties import group_means

__all__ = ["ALL_RETRIEVED", "AS_MANY_AS_RELEVANT", "count_hits", "hit_rows", "hit_shares"]

# What K is when it is no fixed number, in the words of the kernel.
ALL_RETRIEVED = 0
AS_MANY_AS_RELEVANT = -1


def count_hits(labels: Sequence[Any], rel: float, cutoff: int | None = None) -> int:
    """How many of the first ``cutoff`` labels reach ``rel``.

    >>> count_hits([2, 0, 1, 3], 1, cutoff=3)
    2
    """
    return sum(bool(y >= rel) for y in (labels if cutoff is None else labels[:cutoff]))


def hit_shares(
    lists: RankedLists, rel: float, top: int | None, part_relevant: float, part_places: float
) -> Float64s:
    """Hits in the top K / (part_relevant R + part_places K) of every query; the parts sum to 1."""
    from rankproof.kernels.metrics.precision import hit_share

    ideal, cutoff = lists.ideal, ALL_RETRIEVED if top is None else top

    def kernel(low: int, high: int, out: Float64s) -> None:
        hit_share(
            *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
            *(float(rel), cutoff, part_relevant, part_places, low, high, out),
        )

    return lists.values(kernel)


def hit_rows(
    lists: RankedLists, rel: float, top: int | None, shown: int | None
) -> tuple[list[tuple[float, float]], float, int]:
    """Per place down to ``shown``: chance to be relevant, hits in the top so far; then the hits, and R."""
    flags, relevant = relevant_in(lists, rel)
    chances = group_means(lists, [float(flag) for flag in flags])
    rows: list[tuple[float, float]] = []
    hits = 0.0
    for k, chance in enumerate(chances if shown is None else chances[:shown], start=1):
        hits += chance if top is None or k <= top else 0.0
        rows.append((chance, hits))
    return rows, hits, relevant
