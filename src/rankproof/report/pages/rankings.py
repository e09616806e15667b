"""The worst and the best queries of a model, its ranking beside the ideal one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.evaluation.tables import Table, number
from rankproof.report.content import RankedItems, Rankings

__all__ = ["HOW_CHOSEN", "ranked_items", "telling_queries"]

QUERIES, SHOWN = 3, 10
HOW_CHOSEN = (
    "The queries where the model does worst and best compared with a constant scorer, which gives every "
    "item the same score. The ideal ranking is shown next to the model's. Stronger colours are better "
    "grades."
)


def telling_queries(
    data: RankingData, scores: Float64s, values: Float64s, base: Float64s, ahead: Float64s, metric: str
) -> list[Rankings]:
    """The queries that lose most against the constant scorer, then those that gain most.

    ``values`` and ``base`` are those of the model and of the constant scorer, ``ahead`` is what every query
    gains: one that any ranking serves well is no achievement, and one that none serves well is no failure.
    """
    counted = np.flatnonzero(~np.isnan(ahead))
    order = counted[np.argsort(ahead[counted], kind="stable")]
    # No query is shown twice.
    many = min(QUERIES, order.size // 2)
    worst, best = order[:many].tolist(), order[::-1][:many].tolist()
    blocks = []
    for word, queries in (("Worst", worst), ("Best", best)):
        for place, query in enumerate(queries, start=1):
            title = f"{word} {place}: query {data.query_ids[query]}"
            note = f"{metric} {number(values[query])}, with the constant scorer {number(base[query])}"
            blocks.append(_rankings(data, scores, query, title, note))
    return blocks


def _rankings(data: RankingData, scores: Float64s, query: int, title: str, note: str) -> Rankings:
    items = np.arange(data.offsets[query], data.offsets[query + 1])
    labels, own = data.labels[items], scores[items]
    ours = np.argsort(-own, kind="stable")
    rank = np.empty(items.size, np.int64)
    rank[ours] = np.arange(1, items.size + 1)
    # Among equal grades as the model has them, so that only what matters moves.
    ideal = np.lexsort((rank, -np.nan_to_num(labels, nan=-np.inf)))
    note += f"; {items.size} items."
    if items.size > SHOWN:
        note += f" The first {SHOWN} of each ranking are shown."
    names = [_name(data, items, place) for place in range(items.size)]
    return Rankings(
        title,
        note,
        [
            ranked_items("ranked by the model", ours, names, labels, "score", [f"{s:.4g}" for s in own]),
            ranked_items("ideal", ideal, names, labels, "model's rank", list(map(str, rank))),
        ],
    )


def ranked_items(
    title: str, order: Any, names: Sequence[str], labels: Float64s, column: str, texts: Sequence[str]
) -> RankedItems:
    """The first items of a ranking, with one more column."""
    top = list(enumerate(order[:SHOWN].tolist(), start=1))
    rows = [[str(k), names[i], _grade(labels[i]), texts[i]] for k, i in top]
    shade = _shades(labels)
    table = Table(["rank", "item", "grade", column], rows, text_columns=["item"])
    return RankedItems(title, table, [shade[i] for _, i in top])


def _shades(labels: Float64s) -> list[int]:
    """0 for the least grade of the query (and for none), 4 for the best."""
    if np.isnan(labels).all():
        return [0] * labels.size
    low, high = np.nanmin(labels), np.nanmax(labels)
    width = high - low if high > low else 1.0
    return [int(k) for k in np.ceil(4 * np.nan_to_num((labels - low) / width))]


def _name(data: RankingData, items: Any, place: int) -> str:
    """The id of a document, or its number within the query."""
    doc_id = "" if data.doc_ids is None else str(data.doc_ids[items[place]])
    return doc_id or str(place)


def _grade(label: float) -> str:
    return "-" if np.isnan(label) else f"{label:g}"
