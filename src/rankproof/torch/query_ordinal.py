"""Cumulative logits with thresholds of the query's own in torch, on padded rows.

All levels of a row are computed at a time. The threshold of a level solves sum_i v_i sigma(s_i + b) = k. It
is looked for between two neighbouring scores first, and held as a difference to one of them, so that scores
far apart lose no digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from rankproof.torch.pairs import huge
from rankproof.torch.table import rows_form

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["query_ordinal"]

# More different targets than one more than this are cut into as many bands of equal height, as in the kernel.
_MOST_LEVELS = 32
# Numbers (level by item) that are visited at a time.
_AT_A_TIME = 1 << 20
# Further from a score than this, a threshold no longer feels it.
_FAR = 800.0
# A level with a smaller share of the weight counts as having this one.
_RARE = 1e-26
_HALVINGS, _NEWTON = 28, 3


class _Level(NamedTuple):
    """Levels of rows: how far each item reaches into them, the weight that does, and its log odds."""

    reached: Tensor
    mass: Tensor
    odds: Tensor


@rows_form("query-ordinal", sums_along=lambda _: True)
def query_ordinal(loss: Any, s: Tensor, u: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    """The rise of every level times its logistic loss at the best threshold, and the slopes."""
    import torch

    counts = mask if v is None else mask & (v > 0)
    weights = counts.to(s.dtype) if v is None else v.where(counts, v.new_zeros(()))
    x = s.clamp(-huge(s), huge(s)).where(counts, s.new_full((), -math.inf))
    # What does not count stands with the lowest score, so that sorting it changes nothing.
    lowest = x.where(counts, x.new_full((), math.inf)).amin(1, keepdim=True)
    x = x.where(counts, lowest.where(counts.any(1, keepdim=True), lowest.new_zeros(())))
    ends = _ends(u, counts)
    values, slopes = s.new_zeros(s.shape[0]), torch.zeros_like(s)
    step = max(1, _AT_A_TIME // max(1, s.numel()))
    for first in range(0, ends.shape[1] - 1, step):
        some = ends[:, first : first + step + 1]
        value, slope = _of_levels(x, u, weights, some)
        values, slopes = values + value, slopes + slope
    return values, slopes


def _ends(u: Tensor, counts: Tensor) -> Tensor:
    """The different targets of every row, from the lowest up; the highest fills the rest of the row."""
    import torch

    some = counts.any(1, keepdim=True)
    low = u.where(counts, u.new_full((), math.inf)).amin(1, keepdim=True)
    high = u.where(counts, u.new_full((), -math.inf)).amax(1, keepdim=True)
    low, high = (end.where(some, end.new_zeros(())) for end in (low, high))
    in_order = u.where(counts, high).sort(dim=1).values
    fresh = torch.ones_like(counts)
    fresh[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    number = fresh.long().cumsum(1) - 1
    most = min(u.shape[1], _MOST_LEVELS + 1)
    if not torch.compiler.is_compiling() and not number.is_meta:
        many = int(number.max()) + 1
        most = most if many > _MOST_LEVELS + 1 else many
    levels = high.expand(-1, max(most, u.shape[1])).clone().scatter(1, number, in_order)[:, :most]
    if most <= _MOST_LEVELS:
        return levels
    share = torch.arange(most, device=u.device, dtype=u.dtype) / _MOST_LEVELS
    bands = ((1 - share) * low + share * high).where(share < 1, high)
    return levels.where(number[:, -1:] <= _MOST_LEVELS, bands)


def _of_levels(x: Tensor, u: Tensor, weights: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
    """Values of rows and slopes of items, of the levels between these ends."""
    from torch.nn.functional import logsigmoid

    low, rise = ends[:, :-1].unsqueeze(2), (ends[:, 1:] - ends[:, :-1]).unsqueeze(2)
    safe = rise.where(rise > 0, rise.new_ones(()))
    reached = ((u.unsqueeze(1) - low) / safe).clamp(0, 1)
    v = weights.unsqueeze(1)
    count = (v * reached).sum(2)
    rest = (v.sum(2) - count).clamp(min=0)
    odds = count.log() - rest.maximum(_RARE * count).log()
    # Without a rise there is no level: any threshold will do.
    none = rise.squeeze(2) <= 0
    level = _Level(
        reached, count.where(~none, count.new_zeros(())), odds.where(~none, odds.new_zeros(())).clamp(-60, 60)
    )
    z = _margins(x, v, level)
    losses = -(reached * logsigmoid(z) + (1 - reached) * logsigmoid(-z))
    values = (rise * v * losses).where(v > 0, losses.new_zeros(())).sum((1, 2))
    slopes = (rise * v * ((1 - reached) * z.sigmoid() - reached * (-z).sigmoid())).sum(1)
    return values, slopes


def _margins(x: Tensor, v: Tensor, level: _Level) -> Tensor:
    """s_i + b for every level and item, b its threshold."""
    import torch

    n = x.shape[1]
    in_order = x.sort(dim=1, descending=True).values

    def weight_above(reference: Tensor, shift: Tensor) -> Tensor:
        """The sum of v_i sigma(s_i - reference + shift)."""
        return (v * _apart(x, reference, shift).sigmoid()).sum(2)

    def at(place: Tensor) -> Tensor:
        return in_order.gather(1, place.clamp(0, n - 1))

    below = torch.full_like(level.mass, -1, dtype=torch.long)
    above = torch.full_like(below, n)
    zero = torch.zeros_like(level.mass)
    for _ in range(n.bit_length()):
        middle = (below + above).div(2, rounding_mode="floor").clamp(0, n - 1)
        few = weight_above(at(middle), zero) <= level.mass
        inside = above - below > 1
        below, above = middle.where(few & inside, below), middle.where(~few & inside, above)
    left, right = at(below), at(above)
    gap = left - right
    outside = (below < 0) | (above >= n)
    # Near the higher score, or near the lower one.
    near_left = ((below >= 0) & (weight_above(left, gap.clamp(max=_FAR)) >= level.mass)) | (above >= n)
    reference = left.where(near_left, right)
    most = gap.clamp(max=_FAR).where(~outside, (level.odds.abs() + 1))
    least = (-most).where(~near_left, zero)
    most = most.where(near_left, zero)
    for _ in range(_HALVINGS):
        middle = 0.5 * (least + most)
        few = weight_above(reference, middle) <= level.mass
        least, most = middle.where(few, least), most.where(few, middle)
    shift = 0.5 * (least + most)
    for _ in range(_NEWTON):
        z = _apart(x, reference, shift)
        p = z.sigmoid()
        slope = (v * p * (-z).sigmoid()).sum(2)
        step = ((v * p).sum(2) - level.mass) / slope.where(slope > 0, slope.new_ones(()))
        shift = (shift - step.where(slope > 0, zero)).clamp(least - 1e-6, most + 1e-6)
    return _apart(x, reference, shift)


def _apart(x: Tensor, reference: Tensor, shift: Tensor) -> Tensor:
    return (x.unsqueeze(1) - reference.unsqueeze(2)) + shift.unsqueeze(2)
