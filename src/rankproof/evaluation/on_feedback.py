"""Evaluation on feedback objects, one per query: preference graphs, permutations, grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, as_scores, as_weights
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import without_empties
from rankproof.evaluation.results import Results
from rankproof.feedback import Feedback
from rankproof.metrics import Metric
from rankproof.metrics.on_feedback import of_scores
from rankproof.metrics.ranked.lists import sort_by_score
from rankproof.threads import setting

__all__ = ["evaluate_feedback", "refuse_options"]


def evaluate_feedback(
    scores: Any, feedback: Sequence[Feedback], metrics: list[Metric], *, weights: Any, level: float, seed: int
) -> Results:
    """Metrics of flat scores on one piece of feedback per query, exact under ties."""
    sizes = np.array([entry.items for entry in feedback])
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    array = as_scores(scores, int(offsets[-1]))
    ids = np.arange(len(feedback))

    def values(array: Float64s, m: Metric) -> Float64s:
        listed = [
            of_scores(m, array[a:b], y) for a, b, y in zip(offsets, offsets[1:], feedback, strict=False)
        ]
        return np.array([np.nan if value is None else value for value in listed])

    raw = {str(m): values(array, m) for m in metrics}

    def baseline(kind: str) -> dict[str, Float64s]:
        chosen = {str(m): m.averaging() if kind == "random" else m for m in metrics}
        flat = np.zeros(array.size)
        return {name: without_empties(m, values(flat, m), ids) for name, m in chosen.items()}

    return Results(
        query_ids=ids,
        per_query={str(m): without_empties(m, raw[str(m)], ids) for m in metrics},
        metrics={str(m): m for m in metrics},
        weights=None if weights is None else as_weights("weights", weights, len(feedback)),
        empty={name: int(np.isnan(entry).sum()) for name, entry in raw.items()},
        tied=sort_by_score(array, offsets).tied,
        unjudged=0,
        items=array.size,
        missing=(),
        unknown=(),
        convention="rankproof",
        bounds=None,
        level=level,
        seed=seed,
        baseline=baseline,
        threads=setting(),
    )


def refuse_options(convention: str, *, bounds: bool, depth: int | None) -> None:
    """What cannot be done on feedback objects is refused, not ignored."""
    if convention != "rankproof":
        raise ArgumentError(
            f"Feedback objects are evaluated by the convention rankproof, got {convention!r}."
        )
    if depth is not None:
        raise ArgumentError(
            "Argument depth goes with labels; feedback objects are about all items of a query."
        )
    if bounds:
        raise ArgumentError(
            "Argument bounds goes with labels; feedback objects have no bounds over tie-breaks."
        )
