"""The one table of losses in torch: name -> form. The functions enter it by decorators.

Three kinds of form. Sums give the value of every query by operations that torch differentiates, as often as
one likes. Slopes and rows give the value and its derivatives, which then stand for the gradient: those losses
can be differentiated once. Rows want padded rows; flat queries are brought into rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from rankproof.registry import Registry

if TYPE_CHECKING:
    from torch import Tensor

    from rankproof.torch.layout import BatchLayout

__all__ = ["FORMS", "Rows", "Slopes", "Sums", "TorchForm", "rows_form", "slopes_form", "sums_form"]

# (loss, scores, targets, item weights or None, layout) -> values of queries (and slopes of items)
Sums: TypeAlias = "Callable[[Any, Tensor, Tensor, Tensor | None, BatchLayout], Tensor]"
Slopes: TypeAlias = "Callable[[Any, Tensor, Tensor, Tensor | None, BatchLayout], tuple[Tensor, Tensor]]"
# The same with the mask of padded rows in place of the layout.
Rows: TypeAlias = "Callable[[Any, Tensor, Tensor, Tensor | None, Tensor], tuple[Tensor, Tensor]]"
F = TypeVar("F")


def _never(loss: Any) -> bool:  # noqa: ARG001 - as other losses have it
    return False


def _nothing(loss: Any) -> None:
    """Nothing can be wrong with the parameters."""


@dataclass(frozen=True)
class TorchForm:
    """How a loss runs in torch.

    ``check`` raises `ArgumentError` for a parameter that does not work on tensors. ``sums_along`` says
    whether a form on rows adds up along them, which in float32 would lose digits.
    """

    kind: Literal["sums", "slopes", "rows"]
    compute: Callable[..., Any]
    check: Callable[[Any], None] = _nothing
    sums_along: Callable[[Any], bool] = _never


FORMS: Registry[TorchForm] = Registry("form in torch")


def sums_form(name: str) -> Callable[[Sums], Sums]:
    """The form of the loss of that name: values that torch differentiates."""
    return lambda compute: _enter(name, TorchForm("sums", compute), compute)


def slopes_form(name: str, *, check: Callable[[Any], None] = _nothing) -> Callable[[Slopes], Slopes]:
    """The form of the loss of that name: values and slopes, on either layout."""
    return lambda compute: _enter(name, TorchForm("slopes", compute, check), compute)


def rows_form(
    name: str, *, check: Callable[[Any], None] = _nothing, sums_along: Callable[[Any], bool] = _never
) -> Callable[[Rows], Rows]:
    """The form of the loss of that name: values and slopes, on padded rows."""
    return lambda compute: _enter(name, TorchForm("rows", compute, check, sums_along), compute)


def _enter(name: str, form: TorchForm, compute: F) -> F:
    FORMS.add(name, form)
    return compute
