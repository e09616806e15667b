"""ListMLE in torch: the Plackett-Luce likelihood of the ranking by label, on padded rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankproof.torch.scan import running_sums, times
from rankproof.torch.table import rows_form

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["group_bounds", "listmle"]


def group_bounds(fresh: Tensor) -> tuple[Tensor, Tensor]:
    """First and last place of every place's group, of flags that say where groups start along a row."""
    import torch

    n = fresh.shape[-1]
    places = torch.arange(n, device=fresh.device).expand(fresh.shape)
    first = places.where(fresh, places.new_zeros(())).cummax(-1).values
    ends = torch.cat((fresh[..., 1:], torch.ones_like(fresh[..., :1])), dim=-1)
    last = places.where(ends, places.new_full((), n)).flip(-1).cummin(-1).values.flip(-1)
    return first, last


@rows_form("listmle", sums_along=lambda _: True)
def listmle(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    """Values and slopes: at each place the log-sum of what is still there, less the score that is picked."""
    import torch

    inf = float("inf")
    labels, order = y.masked_fill(~mask, -inf).sort(dim=1, descending=True, stable=True)
    x, there = s.gather(1, order), mask.gather(1, order).to(s.dtype)
    mass, peak = (part.flip(1) for part in running_sums(there.flip(1), x.flip(1)))
    if loss.ties == "together":
        fresh = torch.ones_like(mask)
        fresh[:, 1:] = labels[:, 1:] != labels[:, :-1]
        first, last = group_bounds(fresh)
        mass, peak = mass.gather(1, first), peak.gather(1, first)
    safe = mass.where(mass > 0, mass.new_ones(()))
    # The logarithm is added last: beside a score of 1e300 it would be lost.
    values = (there * ((peak - x) + safe.log())).sum(1)
    m, c = running_sums(there / safe, -peak)
    if loss.ties == "together":
        m, c = m.gather(1, last), c.gather(1, last)
    slopes = there * (times(m, c, x) - 1)
    return values, torch.zeros_like(s).scatter(1, order, slopes)
