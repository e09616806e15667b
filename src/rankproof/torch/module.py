"""The ``nn.Module`` around a loss: what may be given, how it is checked, how queries are reduced."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.arrays import Float64s, as_labels, as_offsets
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.base import Loss
from rankproof.losses.supervision import check_judged
from rankproof.losses.weighting import warn_if_weights_move, weights_keep_order
from rankproof.optional import engine
from rankproof.torch.forms import checked_form, differentiable_once, in_buckets, per_query
from rankproof.torch.layout import BatchLayout, Flat, Padded

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["REDUCTIONS", "module_class"]

REDUCTIONS = ("sum", "mean", "none")


@cache
def module_class() -> Any:
    """The class `RankingLoss`; made when torch is there."""
    torch = engine("torch")

    class RankingLoss(torch.nn.Module):  # type: ignore[misc, name-defined]  # torch is loaded when needed
        """A loss of rankproof as a module; make one by ``rankproof.torch.loss``.

        Called with scores, targets and ``offsets`` or ``mask``, it gives the loss of the batch. Values and
        gradients are those of `rankproof.losses` in float64; in float32 sums that would lose digits are done
        in float64 (but for devices without it), and float16 and bfloat16 scores are taken as float32.

        Attributes
        ----------
        loss : Loss
        reduction : "sum", "mean" or "none"
        check : bool
            Whether scores, targets, weights and offsets are looked at, which on a GPU waits for it.
        """

        # On the class: pickle does not see them, and a compiler need not make them.
        attach = differentiable_once()
        flat_rows = staticmethod(in_buckets())

        def __init__(self, loss: Loss, *, reduction: str = "sum", check: bool = True) -> None:
            torch.nn.Module.__init__(self)
            if reduction not in REDUCTIONS:
                raise ArgumentError(
                    f"Argument reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}."
                )
            self.form = checked_form(loss)
            self.loss, self.reduction, self.check = loss, reduction, bool(check)

        def __getstate__(self) -> dict[str, Any]:
            # The form is a function of the library, or of the class of the loss, and no part of the module.
            return {name: value for name, value in vars(self).items() if name != "form"}

        def __setstate__(self, state: dict[str, Any]) -> None:
            torch.nn.Module.__setstate__(self, state)
            self.form = checked_form(self.loss)

        def forward(
            self,
            scores: Tensor,
            targets: Any,
            offsets: Any = None,
            weights: Any = None,
            *,
            mask: Any = None,
            item_weights: Any = None,
        ) -> Tensor:
            """The loss of a batch.

            Parameters
            ----------
            scores : tensor, one number per item, or a row per query with ``mask``
            targets : tensor like ``scores``
                What the loss reads, made by `targets`.
            offsets : whole numbers 0, ..., items
                Where the queries of a flat batch start, and the end.
            weights : one number per query, optional
            mask : bool tensor like ``scores``
                Where an item is, in a padded batch; what stands elsewhere does not count.
            item_weights : tensor like ``scores``, optional
                For losses that take them (`Loss.takes_item_weights`).

            Returns
            -------
            The weighted sum over queries; with ``reduction="mean"`` divided by the sum of the weights, with
            ``"none"`` the weighted value of every query.
            """
            hidden = torch.compiler.is_compiling() or getattr(scores, "is_meta", False)
            looks = self.check and not hidden
            batch = _batch(self.loss, scores, targets, offsets, mask, item_weights, looks=looks)
            values = per_query(self.loss, self.form, self.attach, self.flat_rows, *batch)
            return _reduced(self.reduction, values, weights, looks=looks)

        def forward_padded(
            self, scores: Tensor, targets: Any, mask: Any, weights: Any = None, *, item_weights: Any = None
        ) -> Tensor:
            """`forward` of a padded batch."""
            return self.forward(scores, targets, None, weights, mask=mask, item_weights=item_weights)

        def targets(self, labels: Any, offsets: Any = None, *, mask: Any = None, dtype: Any = None) -> Tensor:
            """What the loss reads for these labels, flat with ``offsets`` or padded with ``mask``.

            Made once, on the CPU, and without a gradient. On the device of the labels, and in their type when
            they are a tensor of floats (else torch's default), unless ``dtype`` says another.
            """
            return _targets(self.loss, labels, offsets, mask, dtype)

        def extra_repr(self) -> str:
            return f"{self.loss}, reduction={self.reduction!r}"

    RankingLoss.__qualname__ = "RankingLoss"
    RankingLoss.__module__ = "rankproof.torch"
    return RankingLoss


def _one_layout(offsets: Any, mask: Any) -> None:
    if (offsets is None) == (mask is None):
        raise ArgumentError(
            "Give offsets= for a flat batch or mask= for a padded one, "
            f"got {'neither' if mask is None else 'both'}."
        )


def _batch(
    loss: Loss, scores: Tensor, targets: Any, offsets: Any, mask: Any, item_weights: Any, *, looks: bool
) -> tuple[Tensor, Tensor, Tensor | None, BatchLayout]:
    """Scores, targets, item weights and layout, all of one type and on one device."""
    import torch

    _one_layout(offsets, mask)
    if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
        what = scores.dtype if isinstance(scores, torch.Tensor) else type(scores).__name__
        raise ArgumentError(f"Argument scores must be a tensor of floats, got {what}.")
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    axes, kind = (1, "offsets") if mask is None else (2, "mask")
    if scores.dim() == axes + 1 and scores.shape[-1] == 1:
        scores = scores.squeeze(-1)
    if scores.dim() != axes:
        raise ArgumentError(
            f"Argument scores must have {axes} axes beside {kind}=, got shape {tuple(scores.shape)}."
        )
    u = _like("targets", targets, scores)
    v = None
    if item_weights is not None:
        if not loss.takes_item_weights:
            raise ArgumentError(f"Loss {loss.name} is not a sum over items and takes no item weights.")
        v = _like("item_weights", item_weights, scores)
    if mask is None:
        starts = _offsets(offsets, scores, looks=looks)
        layout: BatchLayout = Flat(starts, scores.shape[0])
        items = None
    else:
        items = torch.as_tensor(mask, device=scores.device)
        if items.shape != scores.shape or items.dtype != torch.bool:
            raise ArgumentError(
                f"Argument mask must be a bool tensor of the shape of scores {tuple(scores.shape)}, "
                f"got {items.dtype} of shape {tuple(items.shape)}."
            )
        layout = Padded(items)
        zero = scores.new_zeros(())
        scores, u = scores.where(items, zero), u.where(items, zero)
        v = None if v is None else v.where(items, zero)
    if looks:
        _look(loss, scores, u, v)
        if v is not None and not weights_keep_order(loss) and bool(_differs(v, layout, items)):
            warn_if_weights_move(loss, "item_weights")
    return scores, u, v, layout


def _differs(v: Tensor, layout: BatchLayout, items: Tensor | None) -> Any:
    """Whether weights differ between the items of a query; places outside a mask hold 0."""
    other = v != layout.spread(layout.peak(v))
    return (other if items is None else other & items).any()


def _like(name: str, value: Any, scores: Tensor) -> Tensor:
    import torch

    tensor = torch.as_tensor(value, device=scores.device).detach()
    if tensor.dim() == scores.dim() + 1 and tensor.shape[-1] == 1:
        tensor = tensor.squeeze(-1)
    if tensor.shape != scores.shape:
        raise ArgumentError(
            f"Argument {name} must have the shape of scores {tuple(scores.shape)}, got {tuple(tensor.shape)}."
        )
    return tensor.to(scores.dtype)


def _offsets(offsets: Any, scores: Tensor, *, looks: bool) -> Tensor:
    import torch

    if looks:
        array = offsets.detach().cpu().numpy() if isinstance(offsets, torch.Tensor) else offsets
        as_offsets(array, scores.shape[0])
    return torch.as_tensor(offsets, device=scores.device).to(torch.int64)


def _look(loss: Loss, s: Tensor, u: Tensor, v: Tensor | None) -> None:
    """Raise `DataError` for what `Loss.evaluate` refuses; places outside a mask hold 0."""
    for name, x in (("scores", s), ("targets", u), ("item_weights", v)):
        if x is None:
            continue
        bad = ~x.isfinite() if name != "item_weights" else ~(x.isfinite() & (x >= 0))
        if bool(bad.any()):
            at = tuple(int(i) for i in bad.nonzero()[0])
            rule = "finite" if name != "item_weights" else "finite and not negative"
            raise DataError(
                f"Argument {name} of the loss {loss.name} must be {rule}, got {x[at].item()} at "
                f"{at[0] if len(at) == 1 else at}."
            )
    loss.check_targets(_numpy(u).reshape(-1))


def _numpy(x: Any) -> Float64s:
    import torch

    if isinstance(x, torch.Tensor):
        x = x.detach().cpu().to(torch.float64).numpy()
    return np.asarray(x, dtype=np.float64)


def _reduced(reduction: str, values: Tensor, weights: Any, *, looks: bool) -> Tensor:
    import torch

    total: Any = values.shape[0]
    if weights is not None:
        w = torch.as_tensor(weights, device=values.device).to(values.dtype)
        if w.shape != values.shape:
            raise ArgumentError(
                f"Argument weights must have one number per query ({values.shape[0]}), "
                f"got shape {tuple(w.shape)}."
            )
        if looks and not bool((w.isfinite() & (w >= 0)).all()):
            raise ArgumentError("Argument weights must be finite and not negative.")
        values, total = values * w, w.sum()
    if reduction == "none":
        return values
    if reduction == "sum":
        return values.sum()
    # Nothing to divide by is nothing to learn from, not a NaN.
    weight = torch.as_tensor(total, device=values.device, dtype=values.dtype)
    return values.sum() / weight.where(weight > 0, weight.new_ones(()))


def _targets(loss: Loss, labels: Any, offsets: Any, mask: Any, dtype: Any) -> Tensor:
    import torch

    _one_layout(offsets, mask)
    tensor = labels if isinstance(labels, torch.Tensor) else None
    floats = tensor is not None and tensor.is_floating_point()
    kind = dtype or (tensor.dtype if tensor is not None and floats else torch.get_default_dtype())
    place = "cpu" if tensor is None else tensor.device
    array, inside = _numpy(labels), None
    if mask is None:
        starts = offsets.detach().cpu().numpy() if isinstance(offsets, torch.Tensor) else offsets
        flat, bounds = as_labels(array), as_offsets(starts, array.size)
    else:
        inside = mask.detach().cpu().numpy() if isinstance(mask, torch.Tensor) else np.asarray(mask)
        if inside.dtype != np.bool_ or inside.shape != array.shape or inside.ndim != 2:
            raise ArgumentError(
                f"Argument mask must hold bools, a row per query, like labels of shape {array.shape}; "
                f"got {inside.dtype} of shape {inside.shape}."
            )
        flat = as_labels(array[inside])
        bounds = np.concatenate(([0], np.cumsum(inside.sum(axis=1)))).astype(np.int64)
    check_judged(flat, bounds, unit="item")
    values = loss.targets(flat, bounds)
    loss.check_targets(values)
    if inside is not None:
        rows = np.zeros(array.shape)
        rows[inside] = values
        values = rows
    return torch.tensor(values, dtype=kind, device=place)
