"""What the pairwise losses share: the margin and its width, the sort, the claims that a margin brings."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.errors import ArgumentError
from rankproof.losses.margins import MARGINS, WIDTH, Margin, huber, margin
from rankproof.losses.parameters import number

__all__ = ["any_order", "as_margin", "as_pieces", "margin_claims", "margin_of", "sorter", "user_loops"]


def as_margin(loss: str, spec: Any, width: Any) -> tuple[str | Margin, Any]:
    """The parameters as they are kept: the name of a named margin or one of the user's, and the width."""
    checked = number(loss, "width", width, "above 0", lambda x: x > 0)
    if isinstance(spec, Margin):
        spec, checked = _named(spec, checked)
    if isinstance(spec, Margin):
        if checked != WIDTH:
            raise ArgumentError(f"A margin of your own has no width, got width={width!r} for {spec.name!r}.")
        return spec, checked
    if not isinstance(spec, str):
        raise ArgumentError(
            f"Argument margin of {loss} must be one of {', '.join(MARGINS)}, or a Margin, got {spec!r}."
        )
    return margin(spec, width=checked).name, checked


def _named(spec: Margin, width: float) -> tuple[str | Margin, float]:
    """A margin object by name where it has one, so that it prints and parses back."""
    if spec.name not in MARGINS:
        return spec, width
    named = MARGINS[spec.name]
    if named == spec:
        return spec.name, width
    # Its line ends at the level of its width.
    if spec.pieces is not None and spec.pieces == huber(spec.pieces[4]).pieces:
        return "huber", number("huber", "width", spec.pieces[4], "above 0", lambda x: x > 0)
    raise ArgumentError(
        f"The margin name {spec.name!r} is taken by rankproof's own. Give a margin of your own another name."
    )


def margin_of(spec: str | Margin, width: float) -> Margin:
    """The margin that the parameters name."""
    return margin(spec, width=width) if isinstance(spec, str) else spec


def as_pieces(phi: Margin) -> Float64s | None:
    """The pieces of a margin that has them, as the sweep reads them."""
    return None if phi.pieces is None else np.array(phi.pieces)


def user_loops(phi: Margin) -> Any:
    """The loops with a user's margin compiled in."""
    from rankproof.kernels.losses.pairwise_user import compiled_margin

    return compiled_margin(phi.name, phi.value, phi.derivative, phi.second)


def sorter(scores: Float64s, offsets: Int64s) -> tuple[Any, Any]:
    """The order of the items, best first, and the function that fills it for a range of queries."""
    from rankproof.kernels.metrics.order import sort_queries

    order, ends = np.empty(scores.size, np.int32), np.empty(scores.size, np.int32)
    tied, depth = np.empty(offsets.size - 1, np.bool_), np.diff(offsets)

    def sort(low: int, high: int) -> None:
        sort_queries(scores, offsets, depth, order, ends, tied, low, high)

    return order, sort


def any_order(offsets: Int64s) -> Any:
    """The items of every query as they stand, for losses that need no order."""
    return (np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))).astype(np.int32)


def margin_claims(phi: Margin) -> tuple[Claim, ...]:
    """The claims that hold for any sum of margins of score differences with weights of at least 0."""
    stated = phi.claims
    convex, smooth, bounded = (stated.value(name) for name in ("convex", "differentiable", "nonnegative"))
    if smooth is False:
        second = "phi'' of the pairs, wherever it exists"
    else:
        second = "the sum of phi'' over the pairs of an item"
    unknown = f"the margin {phi.name} does not claim it"
    return (
        Claim("convex", value=convex, reference=unknown if convex is None else _of(phi, "convex")),
        Claim("smooth", value=smooth, reference=unknown if smooth is None else _of(phi, "differentiable")),
        Claim("shift_invariant", value=True, reference="only differences of scores occur"),
        Claim(
            "bounded_below",
            value=bounded,
            reference=unknown if bounded is None else _of(phi, "nonnegative"),
        ),
        Claim("hessian", value="exact", reference=second),
    )


def _of(phi: Margin, fact: str) -> str:
    return f"a sum with weights >= 0 of the margin {phi.name}: {phi.claims[fact].reference}"
