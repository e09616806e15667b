"""Only the first items of every ranking: what ``trec_eval -M`` does.

An item below the depth counts as not retrieved: one that is judged still is something the ranking should have
found, one that is not is dropped.

>>> from rankproof.evaluation.inputs import as_scored
>>> from rankproof.metrics.conventions.named import CONVENTIONS
>>> scored = as_scored([3.0, 2.0, 1.0, 0.0], [0, 1, np.nan, 2], offsets=[0, 4])
>>> cut = cut_at(scored, 1, CONVENTIONS["rankproof"])
>>> cut.labels.tolist(), cut.scores.tolist(), cut.depth.tolist()
([0.0, 1.0, 2.0], [3.0, -inf, -inf], [1])
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Int64s, as_whole_number, frozen, query_of_item
from rankproof.errors import DataError
from rankproof.evaluation.inputs import JudgedScores
from rankproof.evaluation.per_query import break_ties, sort_retrieved
from rankproof.metrics.conventions.named import Convention
from rankproof.shown import quoted

__all__ = ["cut_at"]


def cut_at(scored: JudgedScores, depth: int, tool: Convention) -> JudgedScores:
    """The scores with no more than ``depth`` retrieved items in a query.

    Ties are broken as the tool breaks them. A tool that averages over them gives no order to cut: equal
    scores on both sides of the cut are refused.
    """
    most = as_whole_number("depth", depth, 1)
    if not (scored.depth > most).any():
        return scored
    order = break_ties(scored, tool, sort_retrieved(scored))
    query = query_of_item(scored.offsets)
    place = np.arange(query.size) - scored.offsets[query]
    _refuse_ties(scored, order.ends, place, query, most)
    kept = np.zeros(query.size, np.bool_)
    ranked = (place < np.minimum(scored.depth, most)[query]).nonzero()[0]
    kept[scored.offsets[query[ranked]] + order.places[ranked]] = True
    remaining = kept | ~np.isnan(scored.labels)
    # Retrieved items first, each part in the order of the input.
    items = np.lexsort((np.arange(query.size), ~kept, query))
    items = items[remaining[items]]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(query[items], minlength=scored.queries))))
    rank = scored.doc_rank
    return replace(
        scored,
        scores=frozen(np.where(kept, scored.scores, -np.inf)[items]),
        labels=frozen(scored.labels[items]),
        offsets=frozen(offsets.astype(np.int64)),
        depth=frozen(np.minimum(scored.depth, most)),
        doc_ids=lambda: None if (ids := scored.doc_ids()) is None else ids[items],
        doc_rank=None if rank is None else lambda: rank()[items],
    )


def _refuse_ties(
    scored: JudgedScores, ends: NDArray[np.int32], place: Int64s, query: Int64s, most: int
) -> None:
    """Raise `DataError` where a group of equal scores reaches over the cut."""
    last = (place == most - 1) & (scored.depth[query] > most)
    over = np.flatnonzero(last & (ends > most))
    if over.size:
        raise DataError(
            f"Query {quoted(scored.query_ids[query[over[0]]])} has equal scores on both sides of depth "
            f"{most} ({over.size} such queries in all), so which items are above it is not known. Take "
            "another depth, or a convention that breaks ties, such as trec_eval."
        )
