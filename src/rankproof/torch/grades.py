"""Labels of padded rows by the order they stand in: numbers without gaps, worths, and counts of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Grades", "grades_of"]


class Grades(NamedTuple):
    """What the preorder loss reads of labels."""

    # 0, 1, 2, ... from the lowest label of the row up; equal labels have equal numbers.
    number: Tensor
    # A pair weighs the difference of worths, or 1 when there are none.
    worth: Tensor | None
    # How many pairs of a row have different labels.
    pairs: Tensor
    # How many bits the numbers have.
    bits: int
    # The items from the lowest label up, those outside the mask last, and where a label starts among them.
    order: Tensor
    fresh: Tensor


def grades_of(weight: str, labels: Tensor, mask: Tensor) -> Grades:
    """Number the labels of every row; ``weight`` is the word of the preorder loss."""
    import torch

    inf = float("inf")
    sorted_labels, order = labels.masked_fill(~mask, inf).sort(dim=1, stable=True)
    fresh = torch.ones_like(mask)
    fresh[:, 1:] = sorted_labels[:, 1:] != sorted_labels[:, :-1]
    number = torch.zeros_like(order).scatter(1, order, fresh.long().cumsum(1) - 1)
    number = number.where(mask, number.new_zeros(()))
    places = torch.arange(mask.shape[1], device=mask.device).expand(mask.shape)
    lower = places.where(fresh, places.new_zeros(())).cummax(1).values
    pairs = lower.where(mask.gather(1, order), lower.new_zeros(())).sum(1).to(labels.dtype)
    # Without a look at the numbers, as many bits as a row could need.
    most = mask.shape[1] - 1 if torch.compiler.is_compiling() or number.is_meta else int(number.max())
    worth = {"difference": labels, "gain": labels.exp2(), "gain-pairs": labels.exp2()}.get(weight)
    return Grades(number, worth, pairs, max(most, 0).bit_length(), order, fresh)
