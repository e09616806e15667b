"""Every loss of the registry as a function of tensors, by name, and how values and slopes meet autograd.

Three kinds of form. ``SUMS`` give the value of every query by operations that torch differentiates, as often
as one likes. ``SLOPES`` and ``ROWS`` give the value and its derivatives, which then stand for the gradient:
those losses can be differentiated once. ``ROWS`` want padded rows; flat queries are brought into rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankproof.errors import ArgumentError
from rankproof.fit.engines.torch_items import SLOPES, SUMS
from rankproof.fit.engines.torch_lambdas import lambdaloss, lambdarank
from rankproof.fit.engines.torch_layout import Flat, Layout, Padded, buckets
from rankproof.fit.engines.torch_listmle import listmle
from rankproof.fit.engines.torch_own import check_conjugate, check_margin
from rankproof.fit.engines.torch_pairs import approx_ndcg, bounded, wide
from rankproof.fit.engines.torch_pairwise import by_pairs, order_preserving, preorder
from rankproof.losses.base import Loss
from rankproof.losses.margins import Margin
from rankproof.losses.pairwise import margin_of

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["FORMS", "ROWS", "check_form", "held", "in_buckets", "per_query"]

ROWS: dict[str, Callable[[Any, Tensor, Tensor, Tensor | None, Tensor], tuple[Tensor, Tensor]]] = {
    "approx-ndcg": approx_ndcg,
    "lambdaloss": lambdaloss,
    "lambdarank": lambdarank,
    "listmle": listmle,
    "order-preserving": order_preserving,
    "preorder": preorder,
}
FORMS = tuple(sorted((*SUMS, *SLOPES, *ROWS)))


def check_form(loss: Loss) -> None:
    """Raise `ArgumentError` when the loss cannot run in torch, with the reason."""
    if loss.name not in FORMS:
        raise ArgumentError(f"Loss {loss.name} has no form in torch. Losses that have: {', '.join(FORMS)}.")
    margin = getattr(loss, "margin", None)
    if isinstance(margin, Margin) and margin.pieces is None:
        check_margin(loss.name, margin)
    if getattr(loss, "conjugate", None) is not None:
        check_conjugate(loss)


def held() -> Any:
    """An autograd function: values as they are, with slopes that were computed beside them."""
    import torch

    base: Any = torch.autograd.Function

    class Once(base):  # type: ignore[misc]  # made when torch is there
        """The gradient; asked for its own derivative, it says that there is none."""

        @staticmethod
        def forward(ctx: Any, scores: Tensor, gradient: Tensor) -> Tensor:  # noqa: ARG004
            return gradient.clone()

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:  # noqa: ARG004
            raise ArgumentError(
                "This loss can be differentiated once, and a second derivative was asked for "
                f"(create_graph=True). Losses that have one: {', '.join(SUMS)}."
            )

    class Held(base):  # type: ignore[misc]  # made when torch is there
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
                gradient = Once.apply(scores, gradient)
            return gradient, None, None, None

    return Held


def in_buckets() -> Any:
    """The function that brings flat queries into rows; their number is not known to a compiler."""
    import torch

    disable: Any = torch.compiler.disable
    return disable(_in_buckets)


def per_query(
    loss: Loss, hold: Any, flat_rows: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: Layout
) -> Tensor:
    """The value of every query; ``hold`` and ``flat_rows`` are what `held` and `in_buckets` made."""
    import torch

    if s.numel() == 0:
        return s.sum() + s.new_zeros(layout.sizes.shape[0])
    form = SUMS.get(loss.name)
    if form is not None:
        return form(loss, s, u, v, layout)
    with torch.no_grad():
        values, slopes = _with_slopes(loss, flat_rows, s.detach(), u, v, layout)
        # Sorts and bounds could hide a score that is no number.
        sound = layout.total((~s.isfinite()).to(s.dtype)) == 0
        nan = values.new_full((), float("nan"))
        values, slopes = values.where(sound, nan), slopes.where(layout.spread(sound), nan)
    found: Tensor = hold.apply(s, values, slopes, layout.query)
    return found


def _with_slopes(
    loss: Loss, flat_rows: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: Layout
) -> tuple[Tensor, Tensor]:
    form = SLOPES.get(loss.name)
    if form is not None:
        values, slopes = form(loss, s, u, v, layout)
        return values, layout.keep(slopes)
    if isinstance(layout, Padded):
        return _on_rows(loss, s, u, v, layout.mask)
    found: tuple[Tensor, Tensor] = flat_rows(loss, s, u, v, layout)
    return found


def _in_buckets(loss: Loss, s: Tensor, u: Tensor, v: Tensor | None, layout: Flat) -> tuple[Tensor, Tensor]:
    import torch

    values, slopes = s.new_zeros(layout.sizes.shape[0]), torch.zeros_like(s)
    for queries, places, mask in buckets(layout.offsets):
        zero = s.new_zeros(())
        weights = None if v is None else v[places].where(mask, zero)
        found, steps = _on_rows(loss, s[places].where(mask, zero), u[places].where(mask, zero), weights, mask)
        values[queries] = found
        slopes[places[mask]] = steps[mask]
    return values, slopes


def _on_rows(loss: Loss, s: Tensor, u: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The form on padded rows; one that sums along rows does so in float64."""
    kind = wide(s) if _sums_along(loss) else s.dtype
    values, slopes = ROWS[loss.name](loss, s.to(kind), u.to(kind), None if v is None else v.to(kind), mask)
    none = slopes.new_zeros(())
    return _narrow(values, s), _narrow(slopes.where(mask, none), s)


def _sums_along(loss: Any) -> bool:
    if loss.name in ("order-preserving", "preorder"):
        return not by_pairs(margin_of(loss.margin, loss.width))
    return bool(loss.name == "listmle")


def _narrow(x: Tensor, like: Tensor) -> Tensor:
    """In the type of the scores; what that type cannot hold stays inside it."""
    return x if x.dtype == like.dtype else bounded(x.clamp(-1e38, 1e38).to(like.dtype))
