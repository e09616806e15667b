"""The named conventions: metrics computed to the digit as a named tool computes them.

``rankproof`` is the exact value under ties with every metric as it is defined. The others reproduce a tool,
and each is proven equal to it in ``tests/agree``.

>>> " ".join(CONVENTIONS)
'catboost letor3 letor4 lightgbm mslr rankproof ranx sklearn trec_eval xgboost yahoo'
>>> CONVENTIONS["xgboost"].summary
'ties by row, in single precision; exponential gain; empty queries count 1; AP@k over min(R, k)'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.metrics.conventions_engines import CATBOOST, LIGHTGBM, XGBOOST
from rankproof.metrics.conventions_evaluators import RANX, SKLEARN, TREC_EVAL
from rankproof.metrics.conventions_letor import LETOR3, LETOR4, MSLR, YAHOO
from rankproof.metrics.conventions_rules import Convention, Offer
from rankproof.metrics.lists import Order
from rankproof.registry import Registry

__all__ = ["CONVENTIONS", "Convention", "Offer", "ordered"]

RANKPROOF = Convention(
    name="rankproof",
    tool="rankproof",
    summary="exact under ties: the mean over all rankings that sort the scores; metrics as they are defined",
    ties="average",
    whole=False,
)

CONVENTIONS: Registry[Convention] = Registry("convention")
for _convention in (
    *(RANKPROOF, TREC_EVAL, RANX, SKLEARN, LIGHTGBM, XGBOOST, CATBOOST),
    *(LETOR3, LETOR4, MSLR, YAHOO),
):
    CONVENTIONS.add(_convention.name, _convention)


def ordered(
    convention: Convention,
    order: Order,
    labels: Float64s,
    doc_rank: NDArray[Any] | Callable[[], NDArray[Any]] | None = None,
) -> Order:
    """``order`` with its ties broken as the convention says.

    ``labels`` are in item order. ``doc_rank`` is the place of every item's document id among those of its
    query in byte order, 0 for the last, or a function that gives it; only the rule ``doc_id`` asks for it.

    >>> from rankproof.metrics.lists import sort_by_score
    >>> tied = sort_by_score(np.zeros(3), np.array([0, 3]))
    >>> ordered(CONVENTIONS["catboost"], tied, np.array([2.0, 0.0, 1.0])).places.tolist()
    [1, 2, 0]
    """
    if convention.ties == "average":
        return order
    if convention.ties == "doc_id":
        if doc_rank is None:
            raise ArgumentError(
                f"The convention {convention.name} breaks ties by document id, but the data have no document "
                "ids. Give doc_ids, or use the convention rankproof."
            )
        ranks = doc_rank() if callable(doc_rank) else doc_rank
        return order.broken_by(-np.asarray(ranks, dtype=np.float64))
    if convention.ties == "row":
        return order.broken_by(np.zeros(labels.size))
    return order.broken_by(-np.where(np.isnan(labels), 0.0, labels))
