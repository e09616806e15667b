"""Sums over every pair of a query in torch, block by block, on padded rows; and what they share.

Values and slopes are summed without keeping the pairs, so memory stays bounded however long a query is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rankproof.losses.margins import Margin

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "PairMargin",
    "all_pairs",
    "blocks",
    "bounded",
    "huge",
    "logistic",
    "own",
    "pieces",
    "wide",
]

# Pairs that are visited at a time.
_PAIRS_AT_A_TIME = 1 << 20

# (first items, second items): the weights of their pairs, a matrix per row; 0 for no pair.
Weigh: TypeAlias = "Callable[[slice, slice], Tensor]"


class PairMargin(NamedTuple):
    """What a pair costs as a function of t = s_i - s_j, and its derivative, on tensors."""

    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]


def logistic() -> PairMargin:
    """log(1 + e^-t)."""
    from torch.nn.functional import logsigmoid

    return PairMargin(lambda t: -logsigmoid(t), lambda t: -(-t).sigmoid())


def own(margin: Margin) -> PairMargin:
    """A margin of the user whose functions work on tensors."""
    functions: tuple[Any, Any] = (margin.value, margin.derivative)
    return PairMargin(*(getattr(f, "py_func", f) for f in functions))


def pieces(margin: Margin) -> PairMargin:
    """A line, a parabola and zero."""
    line, flat, bend, slope, level = margin.pieces or (0.0,) * 5

    def value(t: Tensor) -> Tensor:
        near = (bend * (flat - t).square()).where(t < flat, t.new_zeros(()))
        return near if line == -math.inf else (level + slope * (line - t)).where(t < line, near)

    def derivative(t: Tensor) -> Tensor:
        near = (2.0 * bend * (t - flat)).where(t < flat, t.new_zeros(()))
        return near if line == -math.inf else near.masked_fill(t < line, -slope)

    return PairMargin(value, derivative)


def wide(x: Tensor) -> Any:
    """The type for sums that would lose digits of x: float64, where the device has it."""
    import torch

    return x.dtype if x.device.type == "mps" else torch.float64


def huge(x: Tensor) -> float:
    """Scores beyond this count as this: their differences are finite."""
    return 1e300 if x.element_size() == 8 else 1e37


def bounded(x: Tensor) -> Tensor:
    """The numbers, held far inside the range of their type; two overflows that meet cancel."""
    most = 1e304 if x.element_size() == 8 else 1e34
    return x.nan_to_num(nan=0.0, posinf=most, neginf=-most).clamp(-most, most)


def blocks(rows: int, items: int, reach: int | None = None) -> Iterator[tuple[slice, slice]]:
    """First and second items of pairs, so that all pairs of a block are not too many.

    With ``reach``, only pairs of which an item stands before that place.

    >>> list(blocks(1, 3, 1))
    [(slice(0, 1, None), slice(0, 3, None)), (slice(1, 3, None), slice(0, 1, None))]
    """
    top = items if reach is None else min(reach, items)
    for start, stop, others in ((0, top, items), (top, items, top)):
        step = max(1, _PAIRS_AT_A_TIME // max(1, rows * others))
        for first in range(start, stop if others else start, step):
            yield slice(first, min(first + step, stop)), slice(0, others)


def all_pairs(s: Tensor, weigh: Weigh, margin: PairMargin, reach: int | None = None) -> tuple[Tensor, Tensor]:
    """The sum over pairs of w_ij phi(s_i - s_j), and its slopes; ``reach`` as in `blocks`."""
    import torch

    x = s.clamp(-huge(s), huge(s))
    values, slopes = s.new_zeros(s.shape[0]), torch.zeros_like(s)
    none = s.new_zeros(())
    for mine, others in blocks(s.shape[0], s.shape[1], reach):
        t = x[:, mine].unsqueeze(2) - x[:, others].unsqueeze(1)
        w = weigh(mine, others)
        # Not the bare product: a pair without weight may cost infinity.
        values = values + (w * margin.value(t)).where(w > 0, none).sum((1, 2))
        d = (w * margin.slope(t)).where(w > 0, none)
        slopes[:, mine] += d.sum(2)
        slopes[:, others] -= d.sum(1)
    return values, slopes
