"""Preferences in the format of ``trec_eval -R prefs``, and a run beside them.

A line is ``qid group subgroup docno level``. In one subgroup of one judgment group of one query, a document
with a higher level is preferred to one with a lower level; nothing else is read from a level. Documents of
different subgroups are compared only through documents that both have: in a judgment group, which is what
one assessor thinks, preferences are transitive, count once, and must not contradict one another. Different
judgment groups may disagree, and the preferences of each of them count.

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "prefs.txt"
>>> ann = "q1 ann 1 a 2\\nq1 ann 1 b 1\\nq1 ann 2 b 5\\nq1 ann 2 c 4\\n"
>>> _ = path.write_text(ann + "q1 bob 1 a 0\\nq1 bob 1 c 3\\n")
>>> prefs = read_prefs(path)
>>> prefs
Prefs(1 queries, 5 items, 4 preferences)
>>> prefs.doc_ids[0], prefs.groups[0]
(('a', 'b', 'c', 'a', 'c'), ('ann', 'ann', 'ann', 'bob', 'bob'))
>>> prefs.pairs[0].tolist()  # ann: a over b, a over c (by way of b), b over c; bob: c over a
[[0, 1], [0, 2], [1, 2], [4, 3]]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.data.ranking import QUERIES_SHOWN
from rankproof.data.trec.layout import PREFS, bad_line, shown
from rankproof.data.trec.read import Run
from rankproof.errors import ArgumentError, DataError, FileFormatError
from rankproof.files import StrPath, open_bytes
from rankproof.ids import TextIds, text_ids
from rankproof.plain import html_table
from rankproof.shown import listed, quoted

__all__ = ["Prefs", "RankedPrefs", "rank_prefs", "read_prefs"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# (query, judgment group, subgroup) -> document -> level, each in the order of its first line.
_Levels = dict[str, dict[str, dict[str, dict[str, float]]]]


@dataclass(frozen=True, eq=False, repr=False)
class Prefs:
    """Which documents should stand above which others; made by `read_prefs`.

    An item of a query is a document in a judgment group: a document that two groups have is two items, so
    that groups may disagree. ``PreferenceGraph(prefs.pairs[q], items=len(prefs.doc_ids[q]))`` is the graph
    of query q.

    Parameters
    ----------
    query_ids : array of str, one per query
        Unique, in the order in which the queries first appear.
    doc_ids : tuple, for every query the documents of its items
        The items of a judgment group stand together.
    groups : tuple, for every query the judgment groups of its items
        The names of the second column, as many as there are documents.
    pairs : tuple, for every query an array of int64 with two columns
        A row ``(i, j)`` says that item i should stand above item j.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [0, 2]])
    >>> prefs = Prefs(text_ids(["q1"]), (("d1", "d2", "d3"),), (("ann", "ann", "ann"),), (pairs,))
    >>> prefs
    Prefs(1 queries, 3 items, 2 preferences)
    >>> import rankproof as rp
    >>> rp.PreferenceGraph(prefs.pairs[0], items=len(prefs.doc_ids[0]))
    PreferenceGraph([(0, 1), (0, 2)], items=3)
    """

    query_ids: TextIds
    doc_ids: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    pairs: tuple[Int64s, ...]

    def __post_init__(self) -> None:
        if not len(self.query_ids) == len(self.doc_ids) == len(self.groups) == len(self.pairs):
            raise ArgumentError(
                f"Prefs have one entry per query, got {len(self.query_ids)} query ids, {len(self.doc_ids)} "
                f"entries of documents, {len(self.groups)} of groups and {len(self.pairs)} of pairs."
            )
        for query, docs, groups, pairs in zip(
            self.query_ids, self.doc_ids, self.groups, self.pairs, strict=True
        ):
            inside = pairs.ndim == 2 and pairs.shape[1] == 2 and ((pairs >= 0) & (pairs < len(docs))).all()
            if len(docs) != len(groups) or not inside:
                raise ArgumentError(
                    f"Query {quoted(query)} of Prefs must have one group per document and pairs (i, j) of "
                    f"its items 0..{len(docs) - 1}."
                )

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.pairs)

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return sum(map(len, self.doc_ids))

    def to_dict(self) -> dict[str, list[list[str]]]:
        """``{query id: [[group, preferred document, other document], ...]}``."""
        return {
            str(query): [[groups[i], docs[i], docs[j]] for i, j in pairs.tolist()]
            for query, docs, groups, pairs in zip(
                self.query_ids, self.doc_ids, self.groups, self.pairs, strict=True
            )
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame with one row per preference: query, group, preferred, other."""
        from rankproof.data.frames import frame_of

        rows = [(query, *row) for query, listed_rows in self.to_dict().items() for row in listed_rows]
        columns = zip(*rows, strict=True) if rows else ((), (), (), ())
        names = ("query", "group", "preferred", "other")
        return frame_of(
            {name: text_ids(list(column)) for name, column in zip(names, columns, strict=True)}, backend
        )

    def __len__(self) -> int:
        return self.queries

    def _repr_html_(self) -> str:
        rows = [
            [str(query), str(len(docs)), str(len(pairs))]
            for query, docs, pairs in zip(self.query_ids, self.doc_ids, self.pairs, strict=True)
        ]
        rest = len(rows) - QUERIES_SHOWN
        return html_table(
            ["query", "items", "preferences"],
            rows[:QUERIES_SHOWN],
            title=repr(self),
            notes=[f"and {rest} queries more"] if rest > 0 else [],
        )

    def __repr__(self) -> str:
        return f"Prefs({self.queries} queries, {self.items} items, {sum(map(len, self.pairs))} preferences)"


@dataclass(frozen=True, eq=False)
class RankedPrefs:
    """A run beside preferences; made by `rank_prefs`.

    Attributes
    ----------
    queries : array of int64
        The places of the queries in the preferences: those of the run in its order, then missing ones.
    scores : array of float64, one per item of these queries
        Whole numbers in the order of the run's scores; -1 for every document that was not retrieved.
    tied : array of bool, one per query
        Whether two documents that were retrieved have the same score.
    retrieved, unjudged : int
        How many documents of these queries were retrieved, and how many of them no preference is about.
    missing, unknown : tuple of str
        Queries with preferences that the run does not have, and queries of the run without preferences.
    """

    queries: Int64s
    scores: Float64s
    tied: NDArray[np.bool_]
    retrieved: int
    unjudged: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


def read_prefs(path: StrPath) -> Prefs:
    """Read preferences as ``trec_eval -R prefs`` does: lines ``qid group subgroup docno level``.

    In one subgroup of one judgment group, a document with a higher level is preferred to one with a lower
    level. Within a judgment group (one assessor) preferences are transitive and count once; different groups
    may disagree, and all their preferences count. `rankproof.evaluate` takes the result with a `Run` and
    metrics of preferences, such as ``PD``.

    Parameters
    ----------
    path : str or path
        Plain or packed (``.gz``, ``.bz2``, ``.xz``, ``.zst``). Blank lines and lines that start with ``#``
        are passed over.

    Returns
    -------
    Prefs

    Raises
    ------
    FileFormatError
        With file and line: a wrong number of columns, a level that is no finite number, a document twice in a
        subgroup, bytes that are no UTF-8 text; a judgment group that contradicts itself; or a file without
        lines.
    DataError
        The file cannot be opened or unpacked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "prefs.txt"
    >>> _ = path.write_text("q1 ann 1 d1 3\\nq1 ann 1 d2 1.5\\nq1 ann 1 d3 1.5\\n")
    >>> prefs = read_prefs(path)
    >>> prefs
    Prefs(1 queries, 3 items, 2 preferences)
    >>> import rankproof as rp
    >>> run = rp.Run.from_dict({"q1": {"d2": 3.0, "d1": 2.0}})
    >>> rp.evaluate(run, prefs, "PD").per_query["PD"]  # d2 stands above d1; d3 was not retrieved
    array([1.])
    """
    levels = _parsed(path)
    doc_ids, groups, pairs = [], [], []
    for query, by_group in levels.items():
        docs_of_query: list[str] = []
        groups_of_query: list[str] = []
        pairs_of_query = [np.zeros((0, 2), np.int64)]
        for group, subgroups in by_group.items():
            docs = list(dict.fromkeys(doc for one in subgroups.values() for doc in one))
            pairs_of_query.append(_pairs(path, query, group, docs, subgroups) + len(docs_of_query))
            docs_of_query += docs
            groups_of_query += [group] * len(docs)
        doc_ids.append(tuple(docs_of_query))
        groups.append(tuple(groups_of_query))
        pairs.append(frozen(np.concatenate(pairs_of_query)))
    return Prefs(text_ids(list(levels)), tuple(doc_ids), tuple(groups), tuple(pairs))


def rank_prefs(run: Run, prefs: Prefs, *, missing: Literal["zero", "skip"] = "zero") -> RankedPrefs:
    """What a run says about the items of preferences.

    A document that was not retrieved stands below all that were, even below a score of -inf, and all of them
    are tied. A query that the run does not have has nothing retrieved (``missing="zero"``) or is left out.

    >>> pairs = (np.array([[0, 1], [0, 2]]),)
    >>> prefs = Prefs(text_ids(["q1"]), (("a", "b", "c"),), (("ann", "ann", "ann"),), pairs)
    >>> rank_prefs(Run.from_dict({"q1": {"x": 7.0, "b": 5.0, "a": -np.inf}}), prefs).scores
    array([ 0.,  1., -1.])
    """
    if missing not in ("zero", "skip"):
        raise ArgumentError(f"Argument missing must be 'zero' or 'skip', got {missing!r}.")
    place = {query: number for number, query in enumerate(run.query_ids.tolist())}
    query_ids = prefs.query_ids.tolist()
    number = {query: q for q, query in enumerate(query_ids)}
    judged = [query for query in place if query in number]
    if not judged:
        raise DataError(
            f"The run and the preferences share no query: the run has {listed(run.query_ids[:4])}, the "
            f"preferences have {listed(query_ids[:4])}. Check that both are about the same queries."
        )
    absent = [query for query in query_ids if query not in place]
    queries = judged + (absent if missing == "zero" else [])
    scores: list[Float64s] = [np.zeros(0)]
    tied = np.zeros(len(queries), np.bool_)
    retrieved = unjudged = 0
    for q, query in enumerate(queries):
        docs = prefs.doc_ids[number[query]]
        ranks: dict[str, int] = {}
        if query in place:
            part = slice(*run.offsets[place[query] : place[query] + 2].tolist())
            values, inverse = np.unique(run.scores[part], return_inverse=True)
            ranks = dict(zip(run.doc_ids[part].tolist(), inverse.tolist(), strict=True))
            tied[q] = values.size < len(ranks)
        retrieved += len(ranks)
        unjudged += len(ranks.keys() - set(docs))
        scores.append(np.array([ranks.get(doc, -1) for doc in docs], dtype=np.float64))
    return RankedPrefs(
        queries=np.array([number[query] for query in queries], dtype=np.int64),
        scores=np.concatenate(scores),
        tied=tied,
        retrieved=retrieved,
        unjudged=unjudged,
        missing=tuple(absent),
        unknown=tuple(query for query in place if query not in number),
    )


def _parsed(path: StrPath) -> _Levels:
    """The levels of a file; the first line that breaks a rule is the error."""
    levels: _Levels = {}
    text = bytes(open_bytes(path)).removeprefix(_BYTE_ORDER_MARK)
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        error = _error_of(line)
        if error:
            raise FileFormatError(path, number, bad_line(error, line, PREFS))
        query, group, subgroup, doc = (column.decode() for column in line.split()[:4])
        documents = levels.setdefault(query, {}).setdefault(group, {}).setdefault(subgroup, {})
        if doc in documents:
            raise FileFormatError(
                path,
                number,
                f"document {doc!r} comes again in subgroup {subgroup!r} of judgment group {group!r} of query "
                f"{query!r}; a document may come once per subgroup. Take one of the lines out.",
            )
        documents[doc] = float(line.split()[PREFS.value])
    if not levels:
        raise FileFormatError(path, None, f"the file has no lines; prefs have lines of '{PREFS.line}'.")
    return levels


def _error_of(line: bytes) -> int:
    """What `bad_line` is to say of a line; 0 for nothing."""
    from rankproof.kernels.text import trec

    if any(byte < 9 or 13 < byte < 32 for byte in line):
        return int(trec.BAD_BYTE)
    try:
        line.decode()
    except UnicodeDecodeError:
        return int(trec.BAD_UTF8)
    columns = line.split()
    if len(columns) != len(PREFS.columns):
        return int(trec.BAD_COLUMNS)
    return 0 if _is_finite(columns[PREFS.value]) else int(trec.BAD_NUMBER)


def _is_finite(token: bytes) -> bool:
    try:
        # Python would read 1_000, which no other tool does.
        return b"_" not in token and math.isfinite(float(token))
    except ValueError:
        return False


def _pairs(
    path: StrPath, query: str, group: str, docs: list[str], subgroups: dict[str, dict[str, float]]
) -> Int64s:
    """The preferences of a judgment group: those of its subgroups, and what follows from them."""
    place = {doc: item for item, doc in enumerate(docs)}
    above = np.zeros((len(docs), len(docs)), np.bool_)
    for documents in subgroups.values():
        items = np.array([place[doc] for doc in documents])
        levels = np.array(list(documents.values()))
        above[np.ix_(items, items)] |= levels[:, None] > levels[None, :]
    if len(subgroups) > 1:
        for middle in range(len(docs)):
            above |= above[:, middle, None] & above[None, middle, :]
        conflicts = np.argwhere(above & above.T & ~np.eye(len(docs), dtype=np.bool_))
        if conflicts.size:
            one, two = (shown(docs[int(item)].encode()) for item in conflicts[0])
            raise FileFormatError(
                path,
                None,
                f"judgment group {group!r} of query {query!r} prefers document {one} to {two} and {two} to "
                f"{one}, directly or by way of others. Within a judgment group preferences must agree: take "
                "one of the lines out, or put the subgroups into different judgment groups.",
            )
    return np.argwhere(above).astype(np.int64)
