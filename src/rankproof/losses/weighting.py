"""What weights of items do to the order that a loss is minimised by, and the warning where they change it."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

from rankproof.errors import ConsistencyWarning
from rankproof.losses.base import LOSSES, Loss

__all__ = ["warn_if_weights_move", "weights_keep_order"]

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"


def weights_keep_order(loss: Loss) -> bool:
    """Whether weights of items leave the minimum of the expected loss where it is, by the loss's claim.

    >>> from rankproof.losses.parse import loss
    >>> weights_keep_order(loss("squared")), weights_keep_order(loss("softmax"))
    (True, False)
    """
    return loss.states_its_claims and loss.claims.value("weights_keep_order") is True


def warn_if_weights_move(loss: Loss, name: str) -> None:
    """A `ConsistencyWarning` for weights that differ within a query, unless the loss keeps its order.

    ``name`` is what the user knows the weights by. The warning points at the user's line, however deep in an
    engine the loss is called.
    """
    if weights_keep_order(loss):
        return
    claim = loss.claims.get("weights_keep_order") if loss.states_its_claims else None
    why = "it does not claim otherwise" if claim is None else claim.reference
    keeping = ", ".join(
        name for name, kind in LOSSES.items() if kind.takes_item_weights and weights_keep_order(kind())
    )
    warnings.warn(
        f"{name} differs between items of one query, which moves the minimum of the loss {loss}: {why}. So "
        "it is not consistent with the metric any more. Give all items of a query the same weight (weights "
        "of queries keep the order with every loss), or use a loss whose minimum weights of items do not "
        f"move, as long as they do not depend on the labels: {keeping}.",
        ConsistencyWarning,
        stacklevel=_outside(),
    )


def _outside() -> int:
    """The stack level, for a warning issued by the caller, of the first line that is not in the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
