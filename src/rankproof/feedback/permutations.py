"""Permutation feedback: the whole ranking was observed.

**Definition.** ``y(i) ∈ 1..n`` is the rank of item i (items counted from 0, ranks from 1, best first), each
rank given once.

>>> y = Permutation((1, 3, 2))
>>> y.items, y[1], y.order
(3, 3, (0, 2, 1))
>>> Permutation.from_order((0, 2, 1)) == y
True
>>> y.grades()
Graded((3, 1, 2))
>>> y.relabel((1, 2, 0))
Permutation((3, 2, 1))
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from rankproof.errors import ArgumentError
from rankproof.feedback.graded import Graded
from rankproof.feedback.preferences import PreferenceGraph
from rankproof.feedback.relabel import as_relabelling, inverse

__all__ = ["Permutation"]


@dataclass(frozen=True, init=False, repr=False)
class Permutation:
    """A ranking of all items.

    Parameters
    ----------
    ranks : ints, one per item
        ``ranks[i]`` is the rank of item i: each of 1..n once, 1 is best.

    Examples
    --------
    >>> Permutation((1, 3, 2)).order  # the items, best first
    (0, 2, 1)
    """

    kind: ClassVar[str] = "permutation"
    ranks: tuple[int, ...]

    def __init__(self, ranks: Iterable[int]) -> None:
        listed: tuple[object, ...] = tuple(ranks) if isinstance(ranks, Iterable) else (ranks,)
        whole = all(isinstance(rank, numbers.Integral) and not isinstance(rank, bool) for rank in listed)
        if not listed or not whole or set(listed) != set(range(1, len(listed) + 1)):
            raise ArgumentError(
                "Argument ranks of Permutation must hold each of 1..n once (the rank of each item), "
                f"got {listed!r}. For a list of items, best first, use Permutation.from_order."
            )
        object.__setattr__(self, "ranks", tuple(int(rank) for rank in listed))  # type: ignore[call-overload]

    @classmethod
    def from_order(cls, order: Iterable[int]) -> Permutation:
        """The ranking that lists these items (each of 0..n-1 once), best first."""
        listed = tuple(order)
        return cls(place + 1 for place in inverse(as_relabelling(listed, len(listed))))

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.ranks)

    @property
    def exact(self) -> bool:
        """Ranks are ints: always True."""
        return True

    @property
    def order(self) -> tuple[int, ...]:
        """The items, best first."""
        return inverse(tuple(rank - 1 for rank in self.ranks))

    def __len__(self) -> int:
        return len(self.ranks)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ranks)

    def __getitem__(self, item: int) -> int:
        return self.ranks[item]

    def relabel(self, permutation: Iterable[int]) -> Permutation:
        """The ranking with ``new[i] = old[permutation[i]]``: ranks stay, items change their names."""
        return Permutation(self.ranks[i] for i in as_relabelling(permutation, self.items))

    def grades(self) -> Graded:
        """The grades ``n − y(i) + 1``: n for the best item, 1 for the last."""
        return Graded(self.items - rank + 1 for rank in self.ranks)

    def preferences(self) -> PreferenceGraph:
        """The graph with an edge i→j of weight 1 whenever item i stands above item j."""
        return self.grades().preferences()

    def __repr__(self) -> str:
        return f"Permutation({self.ranks!r})"
