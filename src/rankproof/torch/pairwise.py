"""The order-preserving and the preorder loss in torch, on padded rows.

Short lists are visited pair by pair. Longer ones go by `sweep` for the three hinges and by running sums
for the exponential margin; the logistic margin and margins of a user have no such form.

The sweep of the preorder loss parts the items by the bits of their grade's number: the highest bit in which
two grades differ tells which is the better. So each bit makes pairs of two lists within segments of equal
higher bits, and an item takes part in about log2 of the number of grades such lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankproof.losses.margins import Margin
from rankproof.losses.pairwise import margin_of
from rankproof.torch.custom import check_margin
from rankproof.torch.exponential import order_preserving_exponential, preorder_exponential
from rankproof.torch.grades import Grades, grades_of
from rankproof.torch.pairs import PairMargin, all_pairs, bounded, huge, logistic, own, pieces
from rankproof.torch.sweep import Shape, Walk
from rankproof.torch.table import rows_form

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["PAIRS_UP_TO", "order_preserving", "preorder"]

# Up to this many items in a row the hinges visit all pairs, which is quicker than to sort.
PAIRS_UP_TO = 48


def _sums_along(loss: Any) -> bool:
    """Whether sums run along a row: for every margin that has another form than the visit of all pairs."""
    margin = margin_of(loss.margin, loss.width)
    return margin.pieces is not None or margin.name == "exponential"


def _check(loss: Any) -> None:
    """Raise `ArgumentError` for a margin of the user's that does not work on tensors."""
    if isinstance(loss.margin, Margin) and loss.margin.pieces is None:
        check_margin(loss.name, loss.margin)


def _pair_margin(margin: Margin) -> PairMargin:
    if margin.pieces is not None:
        return pieces(margin)
    return logistic() if margin.name == "logistic" else own(margin)


@rows_form("order-preserving", check=_check, sums_along=_sums_along)
def order_preserving(
    loss: Any, s: Tensor, u: Tensor, v: Tensor | None, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Every pair, weighted by the target of its first item."""
    margin = margin_of(loss.margin, loss.width)
    a = u if v is None else v * u
    n = mask.sum(1).to(s.dtype)
    if margin.pieces is not None and s.shape[1] > PAIRS_UP_TO:
        values, slopes = _sweep_all(s, a, mask, Shape.from_pieces(margin.pieces))
    elif margin.name == "exponential":
        values, slopes = order_preserving_exponential(s, a, mask)
    else:
        values, slopes = _every_pair(s, a, mask, _pair_margin(margin))
    if loss.normalize:
        scale = 1 / (n * (n - 1)).clamp(min=1)
        values, slopes = values * scale, slopes * scale.unsqueeze(1)
    return bounded(values), bounded(slopes)


def _every_pair(s: Tensor, a: Tensor, mask: Tensor, margin: PairMargin) -> tuple[Tensor, Tensor]:
    import torch

    items = torch.arange(s.shape[1], device=s.device)

    def weigh(mine: slice, others: slice) -> Tensor:
        pairs = mask[:, others].unsqueeze(1) & (items[others] != items[mine].unsqueeze(1))
        return a[:, mine].unsqueeze(2).where(pairs, a.new_zeros(()))

    return all_pairs(s, weigh, margin)


def _sweep_all(s: Tensor, a: Tensor, mask: Tensor, shape: Shape) -> tuple[Tensor, Tensor]:
    """All pairs of each row; an item also meets itself, and what that adds is taken out."""
    x, a = s.clamp(-huge(s), huge(s)), a.where(mask, a.new_zeros(()))
    ones = mask.to(s.dtype)
    value, up = Walk(x, shape).sums(mask, ones.unsqueeze(0), None)
    # s_i - s_j = (-s_j) - (-s_i): with the signs turned, the second items are the points.
    _, down = Walk(-x, shape).sums(mask, a.unsqueeze(0), None)
    total = bounded(a * value[0]).sum(1) - a.sum(1) * shape.at(0.0)
    return total.clamp(min=0.0), (bounded(down[0]) - bounded(a * up[0])).where(mask, s.new_zeros(()))


@rows_form("preorder", check=_check, sums_along=_sums_along)
def preorder(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    """Pairs whose labels differ, the better item first."""
    margin = margin_of(loss.margin, loss.width)
    grades = grades_of(loss.weight, y, mask)
    if margin.pieces is not None and s.shape[1] > PAIRS_UP_TO:
        values, slopes = _sweep_bits(s, grades, mask, Shape.from_pieces(margin.pieces))
    elif margin.name == "exponential":
        values, slopes = preorder_exponential(s, grades, mask)
    else:
        values, slopes = _better_pairs(s, grades, mask, _pair_margin(margin))
    if loss.weight in ("pairs", "gain-pairs"):
        scale = 1 / grades.pairs.clamp(min=1)
        values, slopes = values * scale, slopes * scale.unsqueeze(1)
    return bounded(values), bounded(slopes)


def _better_pairs(s: Tensor, grades: Grades, mask: Tensor, margin: PairMargin) -> tuple[Tensor, Tensor]:
    number, worth = grades.number, grades.worth

    def weigh(mine: slice, others: slice) -> Tensor:
        pairs = mask[:, mine].unsqueeze(2) & mask[:, others].unsqueeze(1)
        pairs = pairs & (number[:, mine].unsqueeze(2) > number[:, others].unsqueeze(1))
        if worth is None:
            return pairs.to(s.dtype)
        gap = worth[:, mine].unsqueeze(2) - worth[:, others].unsqueeze(1)
        return gap.where(pairs, gap.new_zeros(()))

    return all_pairs(s, weigh, margin)


def _sweep_bits(s: Tensor, grades: Grades, mask: Tensor, shape: Shape) -> tuple[Tensor, Tensor]:
    """Bit by bit of the grades' numbers; across a cut at the worth c a pair weighs (f_i - c) + (c - f_j)."""
    import torch

    x = s.clamp(-huge(s), huge(s))
    walk_down, walk_up = Walk(x, shape), Walk(-x, shape)
    values, slopes = s.new_zeros(s.shape[0]), torch.zeros_like(s)
    ones = mask.to(s.dtype)
    zero = s.new_zeros(())
    for bit in range(grades.bits):
        segment = grades.number >> (bit + 1)
        high = ((grades.number >> bit) & 1).bool()
        upper, lower = high & mask, ~high & mask
        if grades.worth is None:
            factors_up, factors_down = ones.unsqueeze(0), ones.unsqueeze(0)
        else:
            # The highest worth of the lower items of the segment.
            tops = torch.full_like(s, -float("inf")).scatter_reduce(
                1, segment, grades.worth.masked_fill(~lower, -float("inf")), "amax"
            )
            cut = tops.gather(1, segment)
            apart = (grades.worth - cut).abs().where(cut > -float("inf"), zero)
            factors_up, factors_down = torch.stack((apart, ones)), torch.stack((ones, apart))
        value, up = walk_down.sums(upper, factors_down.where(lower, zero), segment)
        _, down = walk_up.sums(lower, factors_up.where(upper, zero), segment)
        values = values + bounded(factors_up * value).where(upper, zero).sum((0, 2))
        slopes = slopes - bounded(factors_up * up).where(upper, zero).sum(0)
        slopes = slopes + bounded(factors_down * down).where(lower, zero).sum(0)
    return values, slopes
