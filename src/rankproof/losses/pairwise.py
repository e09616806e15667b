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


def as_margin(loss: str, given: Any, width: Any) -> tuple[str | Margin, Any]:
    """The parameters as they are kept: the name of a named margin or one of the user's, and the width."""
    known = number(loss, "width", width, "above 0", lambda x: x > 0)
    if isinstance(given, Margin):
        given, known = _named(given, known)
    if isinstance(given, Margin):
        if known != WIDTH:
            raise ArgumentError(f"A margin of your own has no width, got width={width!r} for {given.name!r}.")
        return given, known
    if not isinstance(given, str):
        raise ArgumentError(
            f"Argument margin of {loss} must be one of {', '.join(MARGINS)}, or a Margin, got {given!r}."
        )
    return margin(given, width=known).name, known


def _named(given: Margin, width: float) -> tuple[str | Margin, float]:
    """A margin object by name where it has one, so that it prints and parses back."""
    if given.name not in MARGINS:
        return given, width
    named = MARGINS[given.name]
    if named == given:
        return given.name, width
    # Its line ends at the level of its width.
    if given.pieces is not None and given.pieces == huber(given.pieces[4]).pieces:
        return "huber", number("huber", "width", given.pieces[4], "above 0", lambda x: x > 0)
    raise ArgumentError(
        f"The margin name {given.name!r} is taken by rankproof's own. Give a margin of your own another name."
    )


def margin_of(given: str | Margin, width: float) -> Margin:
    """The margin that the parameters name."""
    return margin(given, width=width) if isinstance(given, str) else given


def as_pieces(found: Margin) -> Float64s | None:
    """The pieces of a margin that has them, as the sweep reads them."""
    return None if found.pieces is None else np.array(found.pieces)


def user_loops(found: Margin) -> Any:
    """The loops with a user's margin compiled in."""
    from rankproof.kernels.pairwise_user import compiled_margin

    return compiled_margin(found.name, found.value, found.derivative, found.second)


def sorter(scores: Float64s, offsets: Int64s) -> tuple[Any, Any]:
    """The order of the items, best first, and the function that fills it for a range of queries."""
    from rankproof.kernels.order import sort_queries

    order, ends = np.empty(scores.size, np.int32), np.empty(scores.size, np.int32)
    tied, depth = np.empty(offsets.size - 1, np.bool_), np.diff(offsets)

    def sort(low: int, high: int) -> None:
        sort_queries(scores, offsets, depth, order, ends, tied, low, high)

    return order, sort


def any_order(offsets: Int64s) -> Any:
    """The items of every query as they stand, for losses that need no order."""
    return (np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))).astype(np.int32)


def margin_claims(found: Margin) -> tuple[Claim, ...]:
    """The claims that hold for any sum of margins of score differences with weights of at least 0."""
    told = found.claims
    convex, smooth, bounded = (told.value(name) for name in ("convex", "differentiable", "nonnegative"))
    if smooth is False:
        second = "phi'' of the pairs, wherever it exists"
    else:
        second = "the sum of phi'' over the pairs of an item"
    unknown = f"the margin {found.name} does not claim it"
    return (
        Claim("convex", value=convex, reference=unknown if convex is None else _of(found, "convex")),
        Claim("smooth", value=smooth, reference=unknown if smooth is None else _of(found, "differentiable")),
        Claim("shift_invariant", value=True, reference="only differences of scores occur"),
        Claim(
            "bounded_below",
            value=bounded,
            reference=unknown if bounded is None else _of(found, "nonnegative"),
        ),
        Claim("hessian", value="exact", reference=second),
    )


def _of(found: Margin, fact: str) -> str:
    return f"a sum with weights >= 0 of the margin {found.name}: {found.claims[fact].reference}"
