"""Preference graphs: some items should stand above some others.

**Definition.** A directed graph without cycles on the items 0..n-1; the edge ``i→j`` has a weight
``a_ij ≥ 0`` and says that item i should be ranked above item j. A weight of 0 is no edge.

>>> chain = PreferenceGraph([(0, 1), (1, 2), (0, 2)])
>>> chain.items, chain.weight(0, 1), chain.weight(1, 0), chain.difference(1, 0)
(3, 1, 0, -1)
>>> PreferenceGraph({(0, 1): 2, (2, 1): "1/2"}, items=4)
PreferenceGraph({(0, 1): 2, (2, 1): '1/2'}, items=4)
>>> PreferenceGraph([(0, 1), (1, 2), (2, 0)])
Traceback (most recent call last):
    ...
rankproof.errors.DataError: A preference graph must not have a cycle, got 0→1→2→0. Drop or reverse one
of these edges.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rankproof.errors import ArgumentError, DataError
from rankproof.feedback.numbers import Number, NumberLike, as_number, is_exact, show_number
from rankproof.feedback.relabel import as_relabelling, inverse

__all__ = ["EdgesLike", "PreferenceGraph"]

EdgesLike: TypeAlias = (
    Mapping[tuple[int, int], NumberLike] | Iterable[tuple[int, int] | tuple[int, int, NumberLike]]
)


@dataclass(frozen=True, init=False, repr=False)
class PreferenceGraph:
    """Weighted preferences between items, without a cycle.

    Parameters
    ----------
    edges : mapping ``{(i, j): weight}``, or pairs ``(i, j)``, or triples ``(i, j, weight)``
        ``i→j`` says that item i should stand above item j. A pair has weight 1. Weights are finite and not
        negative; those of 0 are dropped. An edge is given once. Ints, Fractions and strings such as
        ``"1/2"`` are kept exact; a float that is not whole makes `exact` False.
    items : int, optional
        The number of items; one more than the highest item of an edge when not given.

    Attributes
    ----------
    edges : tuple of (i, j, weight), in the order of (i, j)
        The preferences with a positive weight: item i should stand above item j.
    items : int
        The number of items; an item may have no edge.

    Examples
    --------
    >>> PreferenceGraph({(0, 1): 2, (2, 1): "1/2"}, items=4).weight(2, 1)
    Fraction(1, 2)
    """

    kind: ClassVar[str] = "preferences"
    edges: tuple[tuple[int, int, Number], ...]
    items: int

    def __init__(self, edges: EdgesLike, items: int | None = None) -> None:
        weights = _read_edges(edges)
        least = 1 + max((max(edge) for edge in weights), default=0)
        if items is None:
            items = least
        elif isinstance(items, bool) or not isinstance(items, numbers.Integral) or items < least:
            raise ArgumentError(
                f"Argument items of PreferenceGraph must be an int >= {least}, got {items!r}."
            )
        kept = {edge: weight for edge, weight in weights.items() if weight != 0}
        cycle = _find_cycle(kept)
        if cycle:
            raise DataError(
                f"A preference graph must not have a cycle, got {'→'.join(map(str, cycle))}. "
                "Drop or reverse one of these edges."
            )
        object.__setattr__(self, "edges", tuple((i, j, kept[i, j]) for i, j in sorted(kept)))
        object.__setattr__(self, "items", int(items))

    @property
    def exact(self) -> bool:
        """Whether every weight is an int or a Fraction."""
        return all(is_exact(weight) for _, _, weight in self.edges)

    def weight(self, i: int, j: int) -> Number:
        """``a_ij``: the weight of the edge i→j, 0 when there is none."""
        self._check_item(i)
        self._check_item(j)
        return next((weight for a, b, weight in self.edges if a == i and b == j), 0)

    def difference(self, i: int, j: int) -> Number:
        """``a_ij − a_ji``: by how much i is preferred to j."""
        return self.weight(i, j) - self.weight(j, i)

    def matrix(self) -> tuple[tuple[Number, ...], ...]:
        """The n × n weights: ``matrix()[i][j]`` is ``a_ij``."""
        rows: list[list[Number]] = [[0] * self.items for _ in range(self.items)]
        for i, j, weight in self.edges:
            rows[i][j] = weight
        return tuple(map(tuple, rows))

    def relabel(self, permutation: Iterable[int]) -> PreferenceGraph:
        """The graph with ``new.weight(i, j) = old.weight(permutation[i], permutation[j])``."""
        place = inverse(as_relabelling(permutation, self.items))
        return PreferenceGraph({(place[i], place[j]): weight for i, j, weight in self.edges}, self.items)

    def __repr__(self) -> str:
        if all(weight == 1 for _, _, weight in self.edges):
            inside = f"[{', '.join(f'({i}, {j})' for i, j, _ in self.edges)}]"
        else:
            inside = f"{{{', '.join(f'({i}, {j}): {show_number(weight)}' for i, j, weight in self.edges)}}}"
        return f"PreferenceGraph({inside}, items={self.items})"

    def _check_item(self, item: int) -> None:
        if not 0 <= item < self.items:
            raise ArgumentError(f"Items of this preference graph are 0..{self.items - 1}, got {item!r}.")


def _read_edges(edges: EdgesLike) -> dict[tuple[int, int], Number]:
    rule = (
        "Argument edges of PreferenceGraph must be a mapping {(i, j): weight}, pairs (i, j) "
        "or triples (i, j, weight)"
    )
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise ArgumentError(f"{rule}, got {edges!r}.")
    if isinstance(edges, Mapping):
        listed: list[Any] = list(edges.items())
    else:
        listed = edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
    weights: dict[tuple[int, int], Number] = {}
    for entry in listed:
        match entry:
            case ((i, j), raw) | (i, j, raw):
                pass
            case (i, j):
                raw = 1
            case _:
                raise ArgumentError(f"{rule}, got the entry {entry!r}.")
        if not (_is_item(i) and _is_item(j)):
            raise ArgumentError(
                f"Items of a preference graph are whole numbers >= 0, got the edge {i!r}→{j!r}."
            )
        if i == j:
            raise DataError(f"A preference graph must not have a loop, got {i}→{j}. Drop this edge.")
        weight = as_number(f"weight of the edge {i}→{j}", raw)
        if weight < 0:
            raise DataError(
                f"Weights of a preference graph must not be negative, got {weight} on {i}→{j}. "
                "Reverse the edge."
            )
        if (int(i), int(j)) in weights:
            raise DataError(f"An edge of a preference graph is given once, but {i}→{j} comes twice.")
        weights[int(i), int(j)] = weight
    return weights


def _is_item(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 0


def _find_cycle(edges: Iterable[tuple[int, int]]) -> list[int]:
    """A cycle, first item repeated at the end, or nothing: depth-first search without recursion."""
    following: dict[int, list[int]] = {}
    for i, j in sorted(edges):
        following.setdefault(i, []).append(j)
    finished: set[int] = set()
    for start in following:
        path = [start] if start not in finished else []
        branches = [iter(following[start])] if path else []
        on_path = set(path)
        while branches:
            item = next(branches[-1], None)
            if item is None:
                branches.pop()
                done = path.pop()
                on_path.discard(done)
                finished.add(done)
            elif item in on_path:
                return [*path[path.index(item) :], item]
            elif item not in finished:
                path.append(item)
                on_path.add(item)
                branches.append(iter(following.get(item, ())))
    return []
