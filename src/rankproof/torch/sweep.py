"""Sums over all pairs of a margin made of a line, a parabola and zero, in O(n log n), along rows of tensors.

For points x and others y with weights w: V(x) = sum_j w_j phi(x - y_j), and S(x) = -V'(x). As a point moves
down, another costs nothing until y_j + flat, then as a parabola, from y_j + line on as a line. So walk down
from the top: the second derivative is the weight of the others whose parabola one is on, S its integral, V
the integral of S. The places where others come (y_j + flat) and leave (y_j + line) are sorted in with the
points, and integrals are running sums over the steps between neighbours. All terms are at least 0 and nothing
cancels, for any spread of the scores; running sums of squares, subtracted, would lose all digits.

A row may hold several segments, which do not see each other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from rankproof.torch.listmle import group_bounds
from rankproof.torch.scan import shifted

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Shape", "Walk"]

_LARGEST = 1e304


class Shape(NamedTuple):
    """A margin by its parts: parabola from ``line`` to ``flat``, and what is added below ``line``."""

    line: float
    flat: float
    bend: float
    # How much steeper, and how much higher, the line starts than the parabola ends.
    kink: float
    jump: float

    @classmethod
    def from_pieces(cls, pieces: tuple[float, float, float, float, float]) -> Shape:
        """From the pieces of a `Margin`."""
        line, flat, bend, slope, level = pieces
        if line == -math.inf:
            return cls(line, flat, bend, 0.0, 0.0)
        return cls(line, flat, bend, slope - 2.0 * bend * (flat - line), level - bend * (flat - line) ** 2)

    def at(self, t: float) -> float:
        """The margin at one number."""
        value = self.bend * (self.flat - max(t, self.line)) ** 2 if t < self.flat else 0.0
        if t < self.line:
            steep = 2.0 * self.bend * (self.flat - self.line) + self.kink
            value += steep * (self.line - t) + self.jump
        return value


class _Entries(NamedTuple):
    """What a walk meets: scores with offsets, weights that come or leave, and which points are read."""

    score: Tensor
    offset: Tensor
    comes: Tensor | None
    leaves: Tensor | None
    reads: Tensor


class Walk:
    """Rows of scores, sorted once for walks with any points, weights and segments."""

    def __init__(self, x: Tensor, shape: Shape) -> None:
        import torch

        self.x, self.shape = x, shape
        edges = {"point": 0.0}
        if shape.bend != 0.0:
            edges["comes"] = shape.flat
        if shape.line > -math.inf:
            edges["leaves"] = shape.line
        # From the highest offset down, and stable: where scores are so large that offsets are lost in them,
        # what lies higher still comes first.
        self.edges = dict(sorted(edges.items(), key=lambda edge: -edge[1]))
        keys = torch.cat([x + offset for offset in self.edges.values()], dim=1)
        self.order = keys.sort(dim=1, descending=True, stable=True).indices
        places = torch.arange(keys.shape[1], device=x.device).expand(keys.shape)
        rank = torch.zeros_like(self.order).scatter(1, self.order, places)
        self.rank = {
            name: rank[:, k * x.shape[1] : (k + 1) * x.shape[1]] for k, name in enumerate(self.edges)
        }

    def sums(self, points: Tensor, weights: Tensor, segment: Tensor | None) -> tuple[Tensor, Tensor]:
        """V and S at the points, for others with these weights, of shape (channels, rows, items).

        With segments an item is a point or another, not both: then it takes one entry in place of two.
        """
        if segment is None or len(self.edges) == 1:
            value, slope = self._whole(points, weights)
        else:
            value, slope = self._parted(points, weights, segment)
        shape = self.shape
        if shape.kink != 0.0 or shape.jump != 0.0:
            nearer = self._below(weights, segment)
            value, slope = value + shape.jump * nearer, slope + shape.kink * nearer
        return value, slope

    def _whole(self, points: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        import torch

        n, kinds = self.x.shape[1], list(self.edges)
        entries = _Entries(
            torch.cat([self.x] * len(kinds), dim=1),
            torch.cat([torch.full_like(self.x, offset) for offset in self.edges.values()], dim=1),
            _listed("comes", kinds, weights),
            _listed("leaves", kinds, weights),
            torch.cat([points & (name == "point") for name in kinds], dim=1),
        )
        first = n * kinds.index("point")
        value, slope = _integrals(entries, self.order, None, self.shape)
        return value[..., first : first + n], slope[..., first : first + n]

    def _parted(self, points: Tensor, weights: Tensor, segment: Tensor) -> tuple[Tensor, Tensor]:
        import torch

        n, zero = self.x.shape[1], torch.zeros_like(self.x)
        kinds = [name for name in self.edges if name != "point"]
        entries = _Entries(
            torch.cat([self.x] * len(kinds), dim=1),
            torch.cat([zero.masked_fill(~points, self.edges[name]) for name in kinds], dim=1),
            _listed("comes", kinds, weights),
            _listed("leaves", kinds, weights),
            torch.cat([points] + [torch.zeros_like(points)] * (len(kinds) - 1), dim=1),
        )
        rank = torch.cat([self.rank["point"].where(points, self.rank[name]) for name in kinds], dim=1)
        segments = torch.cat([segment] * len(kinds), dim=1)
        key, order = (segments * (3 * n) + rank).sort(dim=1)
        value, slope = _integrals(entries, order, key // (3 * n), self.shape)
        return value[..., :n], slope[..., :n]

    def _below(self, weights: Tensor, segment: Tensor | None) -> Tensor:
        """The weight of the others with point - other < line, where the difference is a rounded float.

        It decides which side of a corner a pair is on, so it must see ties as the definition does.
        """
        import torch

        x, n = self.x, self.x.shape[1]
        key = self.rank["point"] if segment is None else segment * (3 * n) + self.rank["point"]
        key, order = key.sort(dim=1)
        others = x.gather(1, order)
        fresh = torch.zeros_like(order, dtype=torch.bool)
        fresh[:, 0] = True
        if segment is not None:
            fresh[:, 1:] = (key // (3 * n)).diff(dim=1) != 0
        start, last = group_bounds(fresh)
        low, high = start, last + 1
        for _ in range(n.bit_length()):
            middle = (low + high) >> 1
            near = others - others.gather(1, middle.clamp(max=n - 1)) < self.shape.line
            going = low < high
            low, high = (middle + 1).where(going & near, low), middle.where(going & ~near, high)
        sums = weights.gather(2, order.expand(weights.shape)).cumsum(2)
        sums = torch.cat((sums.new_zeros((*sums.shape[:2], 1)), sums), dim=2)
        wide = weights.shape
        between = sums.gather(2, low.expand(wide)) - sums.gather(2, start.expand(wide))
        return torch.zeros_like(between).scatter(2, order.expand(wide), between)


def _listed(kind: str, kinds: list[str], weights: Tensor) -> Tensor | None:
    """The weights at the entries of one kind, 0 at the others; None when there is no such kind."""
    import torch

    none = torch.zeros_like(weights)
    return torch.cat([weights if k == kind else none for k in kinds], dim=2) if kind in kinds else None


def _integrals(
    entries: _Entries, order: Tensor, segment: Tensor | None, shape: Shape
) -> tuple[Tensor, Tensor]:
    """V and the parabola's S at every entry, of shape (channels, rows, entries).

    ``order`` sorts the entries from the top down, segment by segment; ``segment`` is that of the sorted ones.
    """
    import torch

    score, offset = entries.score.gather(1, order), entries.offset.gather(1, order)
    # Scores first: they may be large, and their difference is exact where it is small.
    step = (shifted(score, 1, math.inf) - score) + (shifted(offset, 1, 0.0) - offset)
    step[:, 0] = 0.0
    step = step.clamp(min=0.0)
    first = None
    if segment is not None:
        fresh = torch.ones_like(order, dtype=torch.bool)
        fresh[:, 1:] = segment.diff(dim=1) != 0
        first, last = group_bounds(fresh)
        # What no point of the segment reads would only round what the next segment reads.
        read = entries.reads.gather(1, order).long().cumsum(1)
        unread = read.gather(1, last) <= shifted(read, 1, 0)
        step = step.masked_fill(fresh | unread, 0.0)

    def since(sums: Tensor, terms: Tensor) -> Tensor:
        """Running sums that start anew at each segment."""
        return sums if first is None else sums - (sums - terms).gather(-1, first.expand(sums.shape))

    def sorted_weights(weights: Tensor | None) -> Tensor | None:
        return None if weights is None else weights.gather(2, order.expand(weights.shape))

    comes, leaves = sorted_weights(entries.comes), sorted_weights(entries.leaves)
    slope = rise = torch.zeros_like(step).unsqueeze(0)
    if comes is not None:
        change = comes if leaves is None else comes - leaves
        met = (comes != 0).any(0).long()
        if leaves is not None:
            met = met - (leaves != 0).any(0).long()
        # Whole numbers tell an empty parabola from what rounding left of it.
        empty = since(met.cumsum(1), met) <= 0
        weight = since(change.cumsum(2), change).masked_fill(empty, 0.0).clamp(min=0.0)
        rise = step * shifted(2.0 * shape.bend * weight, 1, 0.0)
        slope = since(rise.cumsum(2), rise).clamp(0.0, _LARGEST)
    steep = slope
    if leaves is not None and shape.kink != 0.0:
        steep = steep + shape.kink * since(leaves.cumsum(2), leaves)
    climb = (step * (shifted(steep, 1, 0.0) + 0.5 * rise)).clamp(max=_LARGEST)
    value = since(climb.cumsum(2), climb)
    back, none = order.expand(value.shape), torch.zeros_like(value)
    return none.scatter(2, back, value), none.scatter(2, back, slope.expand(value.shape))
