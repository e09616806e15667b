"""Binary relevance: an item is relevant when its label reaches ``rel``."""

from __future__ import annotations

from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["NO_CUTOFF", "relevant_in"]

# A cutoff no list reaches, for kernels that take an integer.
NO_CUTOFF = 2**62


def relevant_in(lists: RankedLists, rel: float) -> tuple[list[bool], int]:
    """Which places of the one query hold a relevant item, and how many of all its items are relevant."""
    flags = [bool(y >= rel) for y in lists.labels.tolist()]
    return flags[: int(lists.depth[0])], sum(flags)
