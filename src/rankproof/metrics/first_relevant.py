"""What reciprocal rank and success share: the rank of the first relevant item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.arrays import Float64s
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import NO_CUTOFF, relevant_in
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["first_rank", "first_relevant_values", "first_row_chances"]


def first_rank(labels: Sequence[Any], rel: float) -> int | None:
    """The rank of the first label that reaches ``rel``, or None.

    >>> first_rank([0, 0, 2, 1], 1)
    3
    """
    return next((k for k, y in enumerate(labels, start=1) if y >= rel), None)


def first_relevant_values(
    lists: RankedLists, rel: float, cutoff: int | None, *, reciprocal: bool
) -> Float64s:
    """The closed form on tied lists, for every query: RR, or success when not ``reciprocal``."""
    from rankproof.kernels.metrics.first_relevant import first_relevant

    ideal, last = lists.ideal, NO_CUTOFF if cutoff is None else cutoff

    def kernel(low: int, high: int, out: Float64s) -> None:
        first_relevant(
            *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
            *(float(rel), last, reciprocal, low, high, out),
        )

    return lists.values(kernel)


def first_row_chances(lists: RankedLists, rel: float, cutoff: int | None) -> tuple[list[float], int]:
    """Per retrieved place down to the cutoff: the chance that the first relevant item is there; and R."""
    flags, relevant = relevant_in(lists, rel)
    chances = [0.0] * len(flags)
    for start, end in tie_groups(lists):
        size, inside = end - start, sum(flags[start:end])
        if inside:
            # Each place in turn holds a relevant item, given that those above it do not.
            none_yet = 1.0
            for j in range(size - inside + 1):
                chances[start + j] = none_yet * inside / (size - j)
                none_yet *= (size - j - inside) / (size - j)
            break
    return chances if cutoff is None else chances[:cutoff], relevant
