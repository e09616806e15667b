"""ApproxNDCG in torch: targets at smooth ranks, on padded rows, block by block of pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankproof.torch.pairs import blocks
from rankproof.torch.table import rows_form

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["approx_ndcg"]


@rows_form("approx-ndcg")
def approx_ndcg(loss: Any, s: Tensor, u: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Minus the targets, discounted at smooth ranks."""
    import torch

    targets = u if v is None else v * u
    values, slopes = s.new_zeros(s.shape[0]), torch.zeros_like(s)
    items = torch.arange(s.shape[1], device=s.device)
    for some, _ in blocks(s.shape[0], s.shape[1]):
        x = (s.unsqueeze(1) - s[:, some].unsqueeze(2)) / loss.temperature
        others = mask.unsqueeze(1) & (items != items[some].unsqueeze(1))
        e = (-x.abs()).exp()
        above = e.where(x < 0, e.new_ones(())) / (1 + e)
        rank = 1 + above.where(others, above.new_zeros(())).sum(2)
        log = rank.log1p()
        mine = targets[:, some] * math.log(2.0)
        values = values - (mine / log).sum(1)
        fall = mine / ((1 + rank) * log * log)
        steep = e / (1 + e).square() / loss.temperature
        d = fall.unsqueeze(2) * steep.where(others, steep.new_zeros(()))
        slopes += d.sum(1)
        slopes[:, some] -= d.sum(2)
    return values, slopes
