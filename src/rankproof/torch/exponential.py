"""Pairwise sums of the exponential margin e^-t in torch, which factorises: e^-(s_i - s_j) = e^-s_i e^s_j."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.torch.grades import Grades
from rankproof.torch.pairs import huge
from rankproof.torch.scan import difference, running_sums, shifted, times

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["order_preserving_exponential", "preorder_exponential"]


def _but_one(x: Tensor) -> Tensor:
    """The sum of each row without the item itself, of the sums before and after: nothing is subtracted."""
    before = shifted(x.cumsum(1), 1, 0.0)
    return before + shifted(x.flip(1).cumsum(1), 1, 0.0).flip(1)


def order_preserving_exponential(s: Tensor, a: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """sum_i a_i sum_{j != i} e^-(s_i - s_j) and its slopes, in O(n)."""
    inf = float("inf")
    x = s.clamp(-huge(s), huge(s))
    # Largest exponents of the sum of e^s_j over all items, and of a_i e^-s_i.
    top = x.masked_fill(~mask, -inf).amax(1, keepdim=True)
    counts = mask & (a > 0)
    bottom = x.masked_fill(~counts, inf).amin(1, keepdim=True)
    top, bottom = (part.masked_fill(part.isinf(), 0.0) for part in (top, bottom))
    rises = (x - top).masked_fill(~mask, -inf).exp()
    falls = a * (bottom - x).masked_fill(~counts, -inf).exp()
    m, c = a.where(mask, a.new_zeros(())) * _but_one(rises), _but_one(falls).where(mask, a.new_zeros(()))
    push, pull = times(m, top, -x), times(c, -bottom, x)
    return push.sum(1), difference(pull, c, x - bottom, push, m, top - x)


def _meets(x: Tensor, number: Tensor, worth: Tensor | None, there: Tensor) -> tuple[Tensor, Tensor]:
    """At each place of rows sorted by grade, what the grades before it sum up to: w e^x, as (m, c)."""
    import torch

    fresh = torch.ones_like(there, dtype=torch.bool)
    fresh[:, 1:] = number[:, 1:] != number[:, :-1]
    m, c = (shifted(part, 1, 0.0) for part in running_sums(there, x))
    # The sum before the first item of a grade is that before all of them.
    places = torch.arange(x.shape[1], device=x.device).expand(x.shape)
    first = places.where(fresh, places.new_zeros(())).cummax(1).values
    if worth is None:
        return m.gather(1, first), c.gather(1, first)
    rise = (worth - shifted(worth, 1, 0.0)).abs().where(fresh, worth.new_zeros(()))
    return running_sums(rise * m, c)


def preorder_exponential(s: Tensor, grades: Grades, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The sum over pairs with different labels of w_ij e^-(s_i - s_j), and its slopes."""
    import torch

    order = grades.order
    x = s.clamp(-huge(s), huge(s)).gather(1, order)
    there, number = mask.gather(1, order).to(s.dtype), grades.number.gather(1, order)
    # Items outside the mask stand last, in a grade of their own that weighs nothing.
    number = number.where(there > 0, number.new_full((), mask.shape[1]))
    worth = None if grades.worth is None else grades.worth.gather(1, order).where(there > 0, s.new_zeros(()))
    m, c = _meets(x, number, worth, there)
    down = None if worth is None else worth.flip(1)
    w, e = (part.flip(1) for part in _meets(-x.flip(1), number.flip(1), down, there.flip(1)))
    m, w = m * there, w * there
    push, pull = times(m, c, -x), times(w, e, x)
    slopes = difference(pull, w, e + x, push, m, c - x)
    return push.sum(1), torch.zeros_like(s).scatter(1, order, slopes)
