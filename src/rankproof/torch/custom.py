"""Functions of a user inside losses in torch: they must work on tensors, which is tried out beforehand.

A margin or a conjugate that numba can compile, or that numpy can run, need not run on tensors: an ``if`` does
not, nor do the functions of `math`. What does not is refused when the loss is made, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankproof.errors import ArgumentError
from rankproof.losses.margins import Margin
from rankproof.torch.layout import BatchLayout, Flat

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["check_conjugate", "check_margin", "own_conjugate"]

_POINTS = (-2.5, -1.0, -0.25, 0.0, 0.5, 1.0, 3.0)
_HOW = (
    "In torch it must take a tensor and return one of the same shape: use arithmetic and methods such as "
    "t.exp() or t.clamp(min=0), no if and no functions of math"
)


def check_margin(loss: str, margin: Margin) -> None:
    """Raise `ArgumentError` unless value and derivative work on tensors, number by number."""
    import torch

    points = torch.tensor(_POINTS, dtype=torch.float64)
    for role, function in (("value", margin.value), ("derivative", margin.derivative)):
        plain = getattr(function, "py_func", function)
        what = f"Argument {role} of margin {margin.name!r}, used by the loss {loss},"
        together = _called(what, plain, points)
        if together.shape != points.shape:
            raise ArgumentError(
                f"{what} gives shape {tuple(together.shape)} for {len(_POINTS)} numbers. {_HOW}."
            )
        alone = torch.stack([_called(what, plain, point.reshape(1)).reshape(()) for point in points])
        if not torch.allclose(together.to(torch.float64), alone.to(torch.float64), rtol=1e-9, atol=1e-12):
            raise ArgumentError(f"{what} gives other numbers for several points than for each alone. {_HOW}.")


def check_conjugate(loss: Any) -> None:
    """Raise `ArgumentError` unless the functions of a `Bregman` loss, if it has any, work on tensors."""
    import torch

    if loss.conjugate is None:
        return

    points = torch.tensor(_POINTS, dtype=torch.float64)
    for role, shape in (("conjugate", ()), ("conjugate_gradient", points.shape)):
        values = _called(_role(role), getattr(loss, role), points)
        if tuple(values.shape) != tuple(shape):
            raise ArgumentError(
                f"{_role(role)} gives shape {tuple(values.shape)} for {len(_POINTS)} scores, "
                f"not {tuple(shape)}."
            )


def _role(role: str) -> str:
    return f"Argument {role} of bregman"


def _called(what: str, function: Callable[[Any], Any], at: Tensor) -> Tensor:
    import torch

    try:
        values = function(at.clone())
    except Exception as error:
        raise ArgumentError(
            f"{what} cannot run on tensors: {type(error).__name__}: {error}. {_HOW}; or use a named one."
        ) from error
    if not isinstance(values, torch.Tensor):
        raise ArgumentError(
            f"{what} gives a {type(values).__name__} for a tensor. {_HOW}; or use a named one."
        )
    return values.detach()


def own_conjugate(loss: Any, s: Tensor, u: Tensor, layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """psi*(s) - <s, u> with the functions of the user, query by query."""
    import torch

    slopes, values = torch.zeros_like(s), s.new_zeros(layout.sizes.shape[0])
    for q, size in enumerate(layout.sizes.tolist()):
        if size == 0:
            continue
        at: Any
        if isinstance(layout, Flat):
            first = int(layout.offsets[q])
            at = slice(first, first + size)
        else:
            at = (q, layout.mask[q])  # type: ignore[attr-defined]  # the other layout has one
        mine = s[at]
        values[q] = _called(_role("conjugate"), loss.conjugate, mine) - (mine * u[at]).sum()
        slopes[at] = _called(_role("conjugate_gradient"), loss.conjugate_gradient, mine) - u[at]
    return values, slopes
