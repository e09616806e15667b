"""A run joined with judgments: what the metrics evaluate.

The queries are those of the run that were judged, in the order of the run; then, with ``missing="zero"``,
those that were judged and that the run does not hold, in the order of the judgments. Each query has the items
that the run retrieved, in file order, then its *tail*: the judged items that the run did not retrieve.

>>> from rankproof.data.trec.read import Qrels, Run
>>> run = Run.from_dict({"q1": {"a": 2.0, "b": 1.0}, "q9": {"a": 1.0}})
>>> qrels = Qrels.from_dict({"q1": {"b": 3, "c": 1}, "q2": {"a": 1}})
>>> judged = join_run(run, qrels)
>>> judged.query_ids.tolist(), judged.offsets.tolist(), judged.depth.tolist()
(['q1', 'q2'], [0, 3, 4], [2, 0])
>>> judged.doc_ids.tolist(), judged.labels.tolist(), judged.scores.tolist()
(['a', 'b', 'c', 'a'], [nan, 3.0, 1.0, 1.0], [2.0, 1.0, -inf, -inf])
>>> judged.missing_queries, judged.unjudged_queries
(('q2',), ('q9',))
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_offsets, frozen
from rankproof.data.trec.packed_ids import PackedIds, decoded
from rankproof.data.trec.read import Qrels, Run
from rankproof.errors import ArgumentError, DataError
from rankproof.ids import TextIds
from rankproof.shown import listed, quoted

__all__ = ["ItemIds", "JudgedRun", "join_run"]


@dataclass(frozen=True, eq=False)
class ItemIds:
    """Where the document ids of joined items are: ``source`` is an item's place among the ``retrieved`` ids
    of the run, or, for an item of a tail, among the ``judged`` ids of the qrels.
    """

    retrieved: PackedIds
    judged: PackedIds
    source: Int64s

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", frozen(self.source))

    def __reduce__(self) -> tuple[Any, ...]:
        return ItemIds, (self.retrieved, self.judged, self.source)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRun:
    """What was retrieved and what was judged, query by query; made by `join_run`.

    Attributes
    ----------
    query_ids : array of str, one per query
    offsets : array of int64, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.
    depth : array of int64, one per query
        How many items of the query were retrieved: ``offsets[q]:offsets[q] + depth[q]``. The others are its
        tail: judged and not retrieved.
    labels : array of float64, one per item
        NaN for an item that was retrieved and not judged.
    scores : array of float64, one per item
        -inf in the tail.
    missing_queries : tuple of str
        Judged, and not in the run; here with depth 0, or left out (``missing="skip"``).
    unjudged_queries : tuple of str
        In the run, and not judged; never here.
    ids : ItemIds, optional
        Where the document ids are; without it there are no ``doc_ids`` and no ``doc_rank``.
    """

    query_ids: TextIds
    offsets: Int64s
    depth: Int64s
    labels: Float64s
    scores: Float64s
    missing_queries: tuple[str, ...] = ()
    unjudged_queries: tuple[str, ...] = ()
    ids: ItemIds | None = None

    def __post_init__(self) -> None:
        for name in ("query_ids", "offsets", "depth", "labels", "scores"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        as_offsets(self.offsets, self.labels.size)
        if self.scores.size != self.items or not self.query_ids.size == self.depth.size == self.queries:
            raise ArgumentError(
                f"A JudgedRun of {self.queries} queries and {self.items} items got "
                f"{self.query_ids.size} query ids, {self.depth.size} depths and {self.scores.size} scores."
            )
        wrong = np.flatnonzero((self.depth < 0) | (self.depth > np.diff(self.offsets)))
        if wrong.size:
            raise ArgumentError(
                f"Argument depth must lie between 0 and the number of items of the query, got "
                f"{self.depth[wrong[0]]} for query {quoted(self.query_ids[wrong[0]])}."
            )

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def items(self) -> int:
        """How many items there are in all, with the tails."""
        return self.labels.size

    @cached_property
    def retrieved(self) -> NDArray[np.bool_]:
        """Which items were retrieved."""
        sizes = np.diff(self.offsets)
        inside = np.arange(self.items) - np.repeat(self.offsets[:-1], sizes)
        return frozen(inside < np.repeat(self.depth, sizes))

    @cached_property
    def doc_ids(self) -> TextIds:
        """The document id of every item."""
        ids = self._known_ids()
        run_rows, tail_rows = np.flatnonzero(self.retrieved), np.flatnonzero(~self.retrieved)
        return decoded(
            self.items,
            (ids.retrieved, ids.source[run_rows], run_rows),
            (ids.judged, ids.source[tail_rows], tail_rows),
        )

    def doc_rank(self) -> NDArray[np.int32]:
        """The place (from 0) of every item among its query's retrieved ones by document id, last id first.

        Ids are compared byte by byte, as ``strcmp`` does: the order in which trec_eval lists items of equal
        score. The items of the tail are numbered after the retrieved ones, in no particular order.
        """
        return self._doc_rank

    @cached_property
    def _doc_rank(self) -> NDArray[np.int32]:
        from rankproof.kernels.text.doc_order import descending_ranks
        from rankproof.threads import chunks_by_items, run

        ids = self._known_ids()
        ranks = np.empty(self.items, dtype=np.int32)

        def work(low: int, high: int) -> None:
            descending_ranks(ids.retrieved.parts, ids.source, self.offsets, self.depth, low, high, ranks)

        run(work, chunks_by_items(self.offsets))
        return frozen(ranks)

    def _known_ids(self) -> ItemIds:
        if self.ids is None:
            raise DataError("This JudgedRun was made without document ids. Make it by join_run.")
        return self.ids

    def __reduce__(self) -> tuple[Any, ...]:
        return JudgedRun, (
            self.query_ids, self.offsets, self.depth, self.labels, self.scores,
            self.missing_queries, self.unjudged_queries, self.ids,
        )  # fmt: skip

    def __len__(self) -> int:
        return self.queries

    def __repr__(self) -> str:
        return (
            f"JudgedRun({self.queries} queries, {int(self.depth.sum())} items retrieved, "
            f"{int(self.items - self.depth.sum())} more judged)"
        )


def join_run(run: Run, qrels: Qrels, *, missing: Literal["zero", "skip"] = "zero") -> JudgedRun:
    """Join a run with judgments.

    Parameters
    ----------
    run, qrels
        From `read_run` and `read_qrels`, or the ``from_dict`` of their classes.
    missing : "zero" or "skip"
        What becomes of a query that was judged and that the run does not hold: it takes part with nothing
        retrieved, or it is left out.

    Raises
    ------
    DataError
        The run and the judgments share no query.
    """
    if missing not in ("zero", "skip"):
        raise ArgumentError(f"Argument missing must be 'zero' or 'skip', got {missing!r}.")
    for name, value, kind in (("run", run, Run), ("qrels", qrels, Qrels)):
        if not isinstance(value, kind):
            raise ArgumentError(f"Argument {name} must be a {kind.__name__}, got {type(value).__name__}.")
    from rankproof.kernels.text.join import fill, look_up, match_items
    from rankproof.threads import chunks_by_items
    from rankproof.threads import run as run_chunks

    judged_as = np.empty(run.queries, np.int64)
    look_up(qrels.query_keys.parts, run.query_keys.parts, judged_as)
    run_query = np.flatnonzero(judged_as >= 0)
    if not run_query.size:
        raise DataError(
            f"The run and the qrels share no query: the run has {listed(run.query_ids[:4])}, the qrels have "
            f"{listed(qrels.query_ids[:4])}. Check that both are about the same queries."
        )
    judged_query = judged_as[run_query]
    # Not setdiff1d, which imports all of numpy.ma.
    is_retrieved = np.zeros(qrels.queries, np.bool_)
    is_retrieved[judged_query] = True
    unretrieved = np.flatnonzero(~is_retrieved)
    if missing == "zero":
        run_query = np.concatenate((run_query, np.full(unretrieved.size, -1)))
        judged_query = np.concatenate((judged_query, unretrieved))

    depth = np.where(run_query < 0, 0, np.diff(run.offsets)[run_query])
    match, used = np.empty(run.items, np.int64), np.zeros(qrels.items, np.bool_)
    tail = np.empty(run_query.size, np.int64)
    bounds = np.concatenate(([0], np.cumsum(depth + np.diff(qrels.offsets)[judged_query])))
    chunks = chunks_by_items(bounds)

    def match_chunk(low: int, high: int) -> None:
        match_items(
            run.doc_keys.parts, run.offsets, qrels.doc_keys.parts, qrels.offsets,
            run_query, judged_query, low, high, match, used, tail,
        )  # fmt: skip

    run_chunks(match_chunk, chunks)
    offsets = np.concatenate(([0], np.cumsum(depth + tail)))
    labels, scores, source = np.empty(offsets[-1]), np.empty(offsets[-1]), np.empty(offsets[-1], np.int64)

    def fill_chunk(low: int, high: int) -> None:
        fill(
            run.scores, qrels.grades, run.offsets, qrels.offsets, run_query, judged_query,
            match, used, offsets, low, high, labels, scores, source,
        )  # fmt: skip

    run_chunks(fill_chunk, chunks)
    return JudgedRun(
        query_ids=qrels.query_ids[judged_query],
        offsets=offsets,
        depth=depth,
        labels=labels,
        scores=scores,
        missing_queries=tuple(qrels.query_ids[unretrieved].tolist()),
        unjudged_queries=tuple(run.query_ids[judged_as < 0].tolist()),
        ids=ItemIds(run.doc_keys, qrels.doc_keys, source),
    )
