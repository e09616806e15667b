"""Everything a user may evaluate, brought into one form: flat scores and labels with offsets.

Scores with a `RankingData`; scores with plain labels and ``offsets=`` or ``qid=``; a TREC `Run` with `Qrels`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import (
    Float64s,
    Int64s,
    as_labels,
    as_offsets,
    as_scores,
    as_weights,
    has_nan,
    offsets_from_qid,
)
from rankproof.data.ranking import RankingData
from rankproof.data.trec.judged_run import JudgedRun, join_run
from rankproof.data.trec.read import Qrels, Run
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Graded, Permutation, PreferenceGraph
from rankproof.ids import as_ids, places_of
from rankproof.shown import listed, quoted

__all__ = ["JudgedScores", "as_scored", "is_feedback"]


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """Scores beside labels. Of query q, the first ``depth[q]`` items were retrieved."""

    scores: Float64s
    labels: Float64s
    offsets: Int64s
    depth: Int64s
    query_ids: NDArray[Any]
    weights: Float64s | None = None
    doc_ids: Callable[[], NDArray[Any] | None] = lambda: None
    doc_rank: Callable[[], NDArray[np.int32]] | None = None
    # Judged queries the run does not have, and queries of the run that nobody judged.
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @cached_property
    def unjudged(self) -> int:
        """How many items have no judgment."""
        return int(np.isnan(self.labels).sum()) if has_nan(self.labels) else 0

    def only(self, query: Any) -> JudgedScores:
        """The one query with this id."""
        places = places_of(self.query_ids, query)
        if not places.size:
            raise ArgumentError(
                f"There is no query {quoted(query)} to explain; the {self.queries} ids start with "
                f"{listed(self.query_ids[:5].tolist(), 5)}."
            )
        q = int(places[0])
        part = slice(int(self.offsets[q]), int(self.offsets[q + 1]))
        ids, rank = self.doc_ids(), self.doc_rank
        return JudgedScores(
            self.scores[part],
            self.labels[part],
            np.array([0, part.stop - part.start]),
            self.depth[q : q + 1],
            self.query_ids[q : q + 1],
            doc_ids=lambda: None if ids is None else ids[part],
            doc_rank=None if rank is None else lambda: rank()[part],
        )


def as_scored(
    scores: Any,
    data: Any,
    *,
    offsets: Any = None,
    qid: Any = None,
    weights: Any = None,
    missing: Literal["zero", "skip"] = "zero",
) -> JudgedScores:
    """One `JudgedScores` from whatever `rankproof.evaluate` was given."""
    if isinstance(scores, Run) != isinstance(data, Qrels):
        raise ArgumentError(
            f"A Run is evaluated against Qrels and scores against labels, got {type(scores).__name__} "
            f"and {type(data).__name__}."
        )
    if (offsets is not None or qid is not None) and isinstance(data, (Qrels, RankingData)):
        raise ArgumentError(
            f"Arguments offsets and qid go with plain labels; {type(data).__name__} has its own."
        )
    if isinstance(scores, Run):
        return _from_run(join_run(scores, data, missing=missing), weights)
    if isinstance(data, RankingData):
        if weights is None:
            weights = data.query_weights
        return _from_arrays(scores, data.labels, data.offsets, data.query_ids, weights, ids=data.doc_ids)
    labels = as_labels(data)
    if (offsets is None) == (qid is None):
        raise ArgumentError(
            "Plain labels need exactly one of offsets= (where queries start) and qid= (per item)."
        )
    if offsets is not None:
        return _from_arrays(scores, labels, as_offsets(offsets, labels.size), None, weights)
    if np.shape(qid) != labels.shape:
        raise ArgumentError(
            f"Argument qid must have one id per label ({labels.size}), got shape {np.shape(qid)}."
        )
    starts = offsets_from_qid(qid)
    return _from_arrays(scores, labels, starts, as_ids(qid)[starts[:-1]], weights)


def is_feedback(data: Any) -> TypeGuard[Sequence[Feedback]]:
    """Whether ``data`` is a sequence of feedback objects."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(entry, (Graded, PreferenceGraph, Permutation)) for entry in data)
    )


def _from_arrays(
    scores: Any,
    labels: Float64s,
    offsets: Int64s,
    query_ids: NDArray[Any] | None,
    weights: Any,
    ids: NDArray[Any] | None = None,
) -> JudgedScores:
    queries = offsets.size - 1
    return JudgedScores(
        as_scores(scores, labels.size),
        labels,
        offsets,
        np.diff(offsets),
        np.arange(queries) if query_ids is None else query_ids,
        None if weights is None else as_weights("weights", weights, queries),
        doc_ids=lambda: ids,
        doc_rank=None if ids is None else lambda: _rank_of_ids(ids, offsets),
    )


def _from_run(joined: JudgedRun, weights: Any) -> JudgedScores:
    return JudgedScores(
        joined.scores,
        joined.labels,
        joined.offsets,
        joined.depth,
        joined.query_ids,
        None if weights is None else as_weights("weights", weights, joined.offsets.size - 1),
        doc_ids=lambda: joined.doc_ids,
        doc_rank=joined.doc_rank,
        missing=joined.missing_queries,
        unknown=joined.unjudged_queries,
    )


def _rank_of_ids(ids: NDArray[Any], offsets: Int64s) -> NDArray[np.int32]:
    """Places of each query's ids when sorted by their bytes, descending."""
    places = np.empty(ids.size, np.int32)
    for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        # The order of UTF-8 bytes is that of code points.
        places[start + np.argsort(ids[start:stop], kind="stable")[::-1]] = np.arange(stop - start)
    return places
