"""Runs and judgments in the formats of TREC, read from files or made from dictionaries.

A *run* is what a system retrieved: lines ``qid Q0 docno rank score tag``. *Qrels* are what was judged: lines
``qid iter docno grade``. Columns are parted by any blanks; blank lines, lines that start with ``#``, and text
after the tag of a run are passed over; a file may be packed (``.gz``, ``.bz2``, ``.xz``, ``.zst``). The lines
of a query need not be together: queries are kept in the order of their first lines, the items of a query in
file order. The rank column of a run is not read, as trec_eval does not: the scores alone make the order.

>>> run = Run.from_dict({"q1": {"d1": 0.5, "d2": 1.5}, "q2": {"d1": -2.0}})
>>> run
Run(2 queries, 3 items, tag 'rankproof')
>>> run.doc_ids.tolist()
['d1', 'd2', 'd1']
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, frozen, query_of_item
from rankproof.data.ranking import QUERIES_SHOWN
from rankproof.data.trec.layout import QRELS, RUN
from rankproof.data.trec.packed_ids import PackedIds
from rankproof.data.trec.parse import parse_trec
from rankproof.errors import ArgumentError, DataError
from rankproof.files import StrPath
from rankproof.ids import TextIds, spread
from rankproof.plain import html_table
from rankproof.shown import quoted
from rankproof.threads import using

__all__ = ["Qrels", "Run", "read_qrels", "read_run"]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What a system retrieved; made by `read_run` or `Run.from_dict`.

    Attributes
    ----------
    query_ids : array of str, one per query
        Unique, in the order in which the queries first appear.
    offsets : array of int64, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.
    scores : array of float64, one per item
        Never NaN.
    tag : str
        The name of the run: the last column of the file's first line.
    doc_ids : array of str, one per item
        Made when first asked for.
    """

    query_keys: PackedIds
    doc_keys: PackedIds
    scores: Float64s
    offsets: Int64s
    tag: str = "rankproof"
    query_ids: TextIds = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", frozen(self.scores))
        object.__setattr__(self, "offsets", frozen(self.offsets))
        object.__setattr__(self, "query_ids", self.query_keys.texts())

    @classmethod
    def from_dict(cls, run: Mapping[str, Mapping[str, float]], *, tag: str = "rankproof") -> Run:
        """A run from ``{query id: {document id: score}}``; a query may have retrieved nothing."""
        queries, docs, scores, offsets = _flattened("run", run)
        _check_values("score", np.isnan(scores), scores, queries, docs, offsets, "not be NaN")
        return cls(*_packed(queries, docs), scores, offsets, tag)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query id: {document id: score}}``."""
        return _nested(self.query_ids, self.doc_ids, self.scores, self.offsets)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame with one row per item: ``query``, ``doc`` and ``score``."""
        return _as_frame(self.query_ids, self.doc_ids, "score", self.scores, self.offsets, backend)

    @cached_property
    def doc_ids(self) -> TextIds:
        """The document id of every item."""
        return self.doc_keys.texts()

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return self.scores.size

    def __len__(self) -> int:
        return self.queries

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.query_keys, self.doc_keys, self.scores, self.offsets, self.tag)

    def _repr_html_(self) -> str:
        return _as_page(repr(self), self.query_ids, self.offsets)

    def __repr__(self) -> str:
        return f"Run({self.queries} queries, {self.items} items, tag {self.tag!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """What was judged; made by `read_qrels` or `Qrels.from_dict`.

    Attributes
    ----------
    query_ids : array of str, one per query
        Unique, in the order in which the queries first appear.
    offsets : array of int64, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.
    grades : array of float64, one per item
        Finite; negative grades are kept.
    doc_ids : array of str, one per item
        Made when first asked for.
    """

    query_keys: PackedIds
    doc_keys: PackedIds
    grades: Float64s
    offsets: Int64s
    query_ids: TextIds = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "grades", frozen(self.grades))
        object.__setattr__(self, "offsets", frozen(self.offsets))
        object.__setattr__(self, "query_ids", self.query_keys.texts())

    @classmethod
    def from_dict(cls, qrels: Mapping[str, Mapping[str, float]]) -> Qrels:
        """Judgments from ``{query id: {document id: grade}}``; every query has at least one."""
        queries, docs, grades, offsets = _flattened("qrels", qrels)
        empty = np.flatnonzero(np.diff(offsets) == 0)
        if empty.size:
            raise DataError(
                f"Query {quoted(queries[empty[0]])} of the qrels has no judged document. Leave it out."
            )
        _check_values("grade", ~np.isfinite(grades), grades, queries, docs, offsets, "be finite")
        return cls(*_packed(queries, docs), grades, offsets)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query id: {document id: grade}}``."""
        return _nested(self.query_ids, self.doc_ids, self.grades, self.offsets)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame with one row per item: ``query``, ``doc`` and ``grade``."""
        return _as_frame(self.query_ids, self.doc_ids, "grade", self.grades, self.offsets, backend)

    @cached_property
    def doc_ids(self) -> TextIds:
        """The document id of every item."""
        return self.doc_keys.texts()

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return self.grades.size

    def __len__(self) -> int:
        return self.queries

    def __reduce__(self) -> tuple[Any, ...]:
        return Qrels, (self.query_keys, self.doc_keys, self.grades, self.offsets)

    def _repr_html_(self) -> str:
        return _as_page(repr(self), self.query_ids, self.offsets)

    def __repr__(self) -> str:
        return f"Qrels({self.queries} queries, {self.items} items)"


def read_run(path: StrPath, *, threads: int | None = None) -> Run:
    """Read a TREC run: lines ``qid Q0 docno rank score tag``.

    Parameters
    ----------
    path : str or path
        Plain or packed (``.gz``, ``.bz2``, ``.xz``, ``.zst``).
    threads : int, optional
        All cores otherwise.

    Returns
    -------
    Run

    Raises
    ------
    FileFormatError
        With file and line: a wrong number of columns, a score that is no number, a document twice in a
        query, bytes that are no UTF-8 text; or a file without lines. The first in file order is named.
    DataError
        The file cannot be opened or unpacked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("q1 Q0 d1 1 0.5 mine\\n")
    >>> read_run(path)
    Run(1 queries, 1 items, tag 'mine')
    """
    with using(threads):
        table = parse_trec(path, RUN)
    return Run(table.queries, table.docs, table.values, table.offsets, table.last_column)


def read_qrels(path: StrPath, *, threads: int | None = None) -> Qrels:
    """Read TREC judgments: lines ``qid iter docno grade``; grades are any finite numbers.

    Parameters
    ----------
    path : str or path
        Plain or packed (``.gz``, ``.bz2``, ``.xz``, ``.zst``).
    threads : int, optional
        All cores otherwise.

    Returns
    -------
    Qrels

    Raises
    ------
    FileFormatError
        With file and line: a wrong number of columns, a grade that is no finite number, a document twice in
        a query, bytes that are no UTF-8 text; or a file without lines. The first in file order is named.
    DataError
        The file cannot be opened or unpacked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 d1 2\\n")
    >>> read_qrels(path)
    Qrels(1 queries, 1 items)
    """
    with using(threads):
        table = parse_trec(path, QRELS)
    return Qrels(table.queries, table.docs, table.values, table.offsets)


def _flattened(name: str, nested: Any) -> tuple[list[str], list[str], Float64s, Int64s]:
    if not isinstance(nested, Mapping):
        raise ArgumentError(f"Argument {name} must map query ids to documents, got {type(nested).__name__}.")
    if not nested:
        raise DataError(f"Argument {name} has no query.")
    queries = list(nested)
    docs: list[str] = []
    values = array("d")
    offsets = np.zeros(len(queries) + 1, dtype=np.int64)
    for q, (query, of_query) in enumerate(nested.items()):
        if not isinstance(of_query, Mapping):
            raise ArgumentError(
                f"Argument {name} must map documents to numbers for query {quoted(query)}, "
                f"got {type(of_query).__name__}."
            )
        docs.extend(of_query)
        try:
            values.extend(of_query.values())
        except TypeError as error:
            raise ArgumentError(
                f"Argument {name} holds a value that is no number for query {quoted(query)}: {error}."
            ) from None
        offsets[q + 1] = len(docs)
    return queries, docs, np.array(values, dtype=np.float64), offsets


def _packed(queries: list[str], docs: list[str]) -> tuple[PackedIds, PackedIds]:
    return PackedIds.from_texts("query id", queries), PackedIds.from_texts("document id", docs)


def _check_values(
    name: str,
    bad: NDArray[np.bool_],
    values: Float64s,
    queries: list[str],
    docs: list[str],
    offsets: Int64s,
    rule: str,
) -> None:
    if bad.any():
        item = int(np.argmax(bad))
        query = queries[int(np.searchsorted(offsets, item, side="right")) - 1]
        raise DataError(
            f"The {name} of document {quoted(docs[item])} of query {quoted(query)} must {rule}, "
            f"got {values[item]}."
        )


def _nested(
    query_ids: TextIds, doc_ids: TextIds, values: Float64s, offsets: Int64s
) -> dict[str, dict[str, float]]:
    docs, numbers, edges = doc_ids.tolist(), values.tolist(), offsets.tolist()
    return {
        query: dict(zip(docs[low:high], numbers[low:high], strict=True))
        for query, low, high in zip(query_ids.tolist(), edges[:-1], edges[1:], strict=True)
    }


def _as_frame(
    query_ids: TextIds,
    doc_ids: TextIds,
    name: str,
    values: Float64s,
    offsets: Int64s,
    backend: str,
) -> Any:
    from rankproof.data.frames import frame_of

    queries = spread(query_ids, query_of_item(offsets))
    return frame_of({"query": queries, "doc": doc_ids, name: values}, backend)


def _as_page(title: str, query_ids: TextIds, offsets: Int64s) -> str:
    """The first queries with their numbers of items, for a notebook."""
    shown = query_ids[:QUERIES_SHOWN].tolist()
    rows = [[query, str(size)] for query, size in zip(shown, np.diff(offsets).tolist(), strict=False)]
    rest = query_ids.size - len(shown)
    return html_table(
        ["query", "items"], rows, title=title, notes=[f"and {rest} queries more"] if rest else []
    )
