"""The queries on which two systems differ most, their rankings side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.data.ranking import RankingData
from rankproof.data.trec.read import Qrels, Run
from rankproof.evaluation.compare import Comparison
from rankproof.evaluation.differences import gaps
from rankproof.evaluation.tables import number
from rankproof.report.content import Block, Paragraphs, RankedItems, Rankings
from rankproof.report.pages.rankings import SHOWN, ranked_items

__all__ = ["differing_queries"]

# For each of the two systems.
QUERIES = 2


def differing_queries(comparison: Comparison, systems: Any, judged: Any) -> list[Block]:
    """Of the two systems of the best means by the first metric: where each gains most on the other.

    Nothing when no query tells them apart, or when what was judged has no names for queries and items.
    """
    metric = comparison.metrics[0]
    higher = next(iter(comparison.results.values())).metrics[metric].direction == "higher"
    means = {name: results.mean[metric] for name, results in comparison.results.items()}
    first, second = sorted(means, key=lambda name: -means[name] if higher else means[name])[:2]
    one, other = (comparison.results[name].per_query[metric] for name in (first, second))
    ahead = np.nan_to_num(gaps(one, other, higher))
    order = np.argsort(-ahead, kind="stable").tolist()
    shown = [q for q in order[:QUERIES] if ahead[q] > 0] + [
        q for q in order[: -QUERIES - 1 : -1] if ahead[q] < 0
    ]
    ids = comparison.results[first].query_ids
    blocks: list[Block] = []
    for query in shown:
        name = ids[query].item()
        sides = [_side(systems[system], judged, query, name, system) for system in (first, second)]
        readable = [side for side in sides if side is not None]
        if len(readable) < len(sides):
            return []
        note = f"{metric} {number(one[query])} with {first}, {number(other[query])} with {second}."
        blocks.append(Rankings(f"Query {name}", note, readable))
    if not blocks:
        return []
    note_text = (
        f"The queries where {first} beats {second} by most in {metric}, then those where it loses by most. "
        f"The first {SHOWN} items of each ranking are shown. Stronger colours are better grades; a dash "
        "means no judgment."
    )
    return [Paragraphs([note_text], "note"), *blocks]


def _side(scores: Any, judged: Any, query: int, name: Any, system: str) -> RankedItems | None:
    """The ranking of a system for a query, which has a place in ranking data and a name in TREC files."""
    if isinstance(judged, RankingData):
        rows = slice(judged.offsets[query], judged.offsets[query + 1])
        own, labels = np.asarray(scores, dtype=np.float64)[rows], judged.labels[rows]
        docs = [str(k) for k in range(own.size)] if judged.doc_ids is None else judged.doc_ids[rows].tolist()
    elif isinstance(judged, Qrels) and isinstance(scores, Run):
        grades = dict(zip(*_rows(judged, judged.grades, name), strict=True))
        docs, own = _rows(scores, scores.scores, name)
        labels = np.array([grades.get(doc, np.nan) for doc in docs], dtype=np.float64)
    else:
        return None
    order = np.argsort(-own, kind="stable")
    return ranked_items(system, order, list(map(str, docs)), labels, "score", [f"{s:.4g}" for s in own])


def _rows(file: Run | Qrels, values: Any, name: Any) -> tuple[list[str], Any]:
    """The documents of a query with their values; none for a query that is not there."""
    (at,) = np.nonzero(file.query_ids == name)
    rows = slice(file.offsets[at[0]], file.offsets[at[0] + 1]) if at.size else slice(0, 0)
    return file.doc_ids[rows].tolist(), values[rows]
