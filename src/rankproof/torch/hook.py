"""The form that a loss from outside the library brings along, `Loss.torch_form`, tried out beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.errors import ArgumentError, RankproofError
from rankproof.losses.base import Loss
from rankproof.torch.layout import BatchLayout, Flat
from rankproof.torch.table import TorchForm

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["check_hook", "hook_form"]

# Two queries, with labels that nearly every loss is defined on.
_SCORES = (0.5, -0.25, 1.5, -1.0, 0.75)
_TARGETS = (1.0, 0.0, 0.0, 1.0, 1.0)
_OFFSETS = (0, 3, 5)
_DIGITS = 1e-6


def hook_form(loss: Loss) -> TorchForm | None:
    """The form by the method of the very class of the loss, or None when it has no such method."""
    if "torch_form" not in vars(type(loss)):
        return None
    return TorchForm("sums", _computed, check_hook)


def _computed(loss: Loss, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    import torch

    values: Any = loss.torch_form(s, u, v, layout)
    if not isinstance(values, torch.Tensor) or values.shape != layout.sizes.shape:
        shape = tuple(values.shape) if isinstance(values, torch.Tensor) else type(values).__name__
        raise ArgumentError(
            f"torch_form of the loss {loss.name} must return a tensor of one number per query "
            f"({layout.sizes.shape[0]}), got {shape}. layout.total(x) sums over the items of every query."
        )
    return values


def check_hook(loss: Loss) -> None:
    """Raise `ArgumentError` unless `Loss.torch_form` gives the values and gradients of the loss."""
    import torch

    try:
        expected = loss.evaluate(_SCORES, _TARGETS, _OFFSETS)
    except RankproofError:
        # The labels are outside its domain; what it is defined on is not known here.
        return
    s = torch.tensor(_SCORES, dtype=torch.float64, requires_grad=True)
    u = torch.tensor(_TARGETS, dtype=torch.float64)
    values = _computed(loss, s, u, None, Flat(torch.tensor(_OFFSETS), len(_SCORES)))
    if not values.requires_grad:
        raise ArgumentError(
            f"torch_form of the loss {loss.name} must be differentiable: its values do not depend on the "
            "scores by operations of torch."
        )
    slopes = torch.autograd.grad(values.sum(), s)[0]
    for what, torchs, ours in (
        ("value", values.detach().numpy(), expected.per_query),
        ("gradient", slopes.numpy(), expected.gradient),
    ):
        if not np.allclose(torchs, ours, rtol=_DIGITS, atol=_DIGITS):
            at = int(np.argmax(~np.isclose(torchs, ours, rtol=_DIGITS, atol=_DIGITS)))
            raise ArgumentError(
                f"torch_form of the loss {loss.name} must be the loss: its {what} {at} is {torchs[at]:.6g}, "
                f"that of the kernel {ours[at]:.6g}, at scores {_SCORES}, targets {_TARGETS} and offsets "
                f"{_OFFSETS}."
            )
