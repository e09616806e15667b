"""The values of the queries of a batch: which form a loss has in torch, and how its slopes meet autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankproof.errors import ArgumentError
from rankproof.losses.base import LOSSES, Loss
from rankproof.torch import approx_ndcg, items, lambdas, listmle, pairwise, query_ordinal
from rankproof.torch.hook import hook_form
from rankproof.torch.layout import BatchLayout, Flat, Padded, buckets
from rankproof.torch.pairs import bounded, wide
from rankproof.torch.table import FORMS, TorchForm

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["FORMS", "checked_form", "differentiable_once", "in_buckets", "per_query"]

# Their functions enter the table when they are imported.
_MODULES = (approx_ndcg, items, lambdas, listmle, pairwise, query_ordinal)


def _form_of(loss: Loss) -> TorchForm | None:
    """The form of a loss: its own `Loss.torch_form`, or that of the library for this very class."""
    own = hook_form(loss)
    if own is not None:
        return own
    # A class derived from a loss of the library may have another kernel.
    registered = loss.name in LOSSES and LOSSES[loss.name] is type(loss)
    return FORMS[loss.name] if registered and loss.name in FORMS else None


def checked_form(loss: Loss) -> TorchForm:
    """The form of the loss; `ArgumentError` when it cannot run in torch, with the reason."""
    form = _form_of(loss)
    if form is None:
        raise ArgumentError(
            f"Loss {loss.name} of the class {type(loss).__name__} has no form in torch. Give the class a "
            f"method torch_form, or use a loss that has one: {', '.join(FORMS)}."
        )
    form.check(loss)
    return form


def differentiable_once() -> Any:
    """An autograd function: values as they are, with slopes that were computed beside them."""
    import torch

    base: Any = torch.autograd.Function

    class OneDerivative(base):  # type: ignore[misc]  # made when torch is there
        """The gradient; asked for its own derivative, it says that there is none."""

        @staticmethod
        def forward(ctx: Any, scores: Tensor, gradient: Tensor) -> Tensor:  # noqa: ARG004
            return gradient.clone()

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:  # noqa: ARG004
            several = (name for name, form in FORMS.items() if form.kind == "sums")
            raise ArgumentError(
                "This loss can be differentiated once, and a second derivative was asked for "
                f"(create_graph=True). Losses that have one: {', '.join(several)}."
            )

    class ValuesWithSlopes(base):  # type: ignore[misc]  # made when torch is there
        @staticmethod
        def forward(ctx: Any, scores: Tensor, values: Tensor, slopes: Tensor, query: Tensor | None) -> Tensor:
            ctx.save_for_backward(scores, slopes, query)
            return values.clone()

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
            scores, slopes, query = ctx.saved_tensors
            per_item = grad.unsqueeze(1) if query is None else grad.index_select(0, query)
            gradient = per_item * slopes
            if torch.is_grad_enabled() and not torch.compiler.is_compiling():
                gradient = OneDerivative.apply(scores, gradient)
            return gradient, None, None, None

    return ValuesWithSlopes


def in_buckets() -> Any:
    """The function that brings flat queries into rows; their number is not known to a compiler."""
    import torch

    disable: Any = torch.compiler.disable
    return disable(_in_buckets)


def per_query(
    loss: Loss,
    form: TorchForm,
    attach: Any,
    flat_rows: Any,
    s: Tensor,
    u: Tensor,
    v: Tensor | None,
    layout: BatchLayout,
) -> Tensor:
    """The value of every query; ``attach`` and ``flat_rows`` are from `differentiable_once`, `in_buckets`."""
    import torch

    if s.numel() == 0:
        return s.sum() + s.new_zeros(layout.sizes.shape[0])
    if form.kind == "sums":
        values: Tensor = form.compute(loss, s, u, v, layout)
        return values
    with torch.no_grad():
        values, slopes = _with_slopes(loss, form, flat_rows, s.detach(), u, v, layout)
        # Sorts and bounds could hide a score that is no number.
        sound = layout.total((~s.isfinite()).to(s.dtype)) == 0
        nan = values.new_full((), float("nan"))
        values, slopes = values.where(sound, nan), slopes.where(layout.spread(sound), nan)
    attached: Tensor = attach.apply(s, values, slopes, layout.query)
    return attached


def _with_slopes(
    loss: Loss, form: TorchForm, flat_rows: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout
) -> tuple[Tensor, Tensor]:
    if form.kind == "slopes":
        values, slopes = form.compute(loss, s, u, v, layout)
        return values, layout.keep(slopes)
    if isinstance(layout, Padded):
        return _on_rows(loss, form, s, u, v, layout.mask)
    gathered: tuple[Tensor, Tensor] = flat_rows(loss, form, s, u, v, layout)
    return gathered


def _in_buckets(
    loss: Loss, form: TorchForm, s: Tensor, u: Tensor, v: Tensor | None, layout: Flat
) -> tuple[Tensor, Tensor]:
    import torch

    values, slopes = s.new_zeros(layout.sizes.shape[0]), torch.zeros_like(s)
    zero = s.new_zeros(())
    for queries, places, mask in buckets(layout.offsets):
        weights = None if v is None else v[places].where(mask, zero)
        block, row_slopes = _on_rows(
            loss, form, s[places].where(mask, zero), u[places].where(mask, zero), weights, mask
        )
        values[queries] = block
        slopes[places[mask]] = row_slopes[mask]
    return values, slopes


def _on_rows(
    loss: Loss, form: TorchForm, s: Tensor, u: Tensor, v: Tensor | None, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """The form on padded rows; one that sums along rows does so in float64."""
    kind = wide(s) if form.sums_along(loss) else s.dtype
    values, slopes = form.compute(loss, s.to(kind), u.to(kind), None if v is None else v.to(kind), mask)
    none = slopes.new_zeros(())
    return _narrow(values, s), _narrow(slopes.where(mask, none), s)


def _narrow(x: Tensor, like: Tensor) -> Tensor:
    """In the type of the scores; what that type cannot hold stays inside it."""
    return x if x.dtype == like.dtype else bounded(x.clamp(-1e38, 1e38).to(like.dtype))
