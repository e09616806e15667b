"""LETOR text (SVMlight with query ids), the format of the public learning-to-rank sets, read and written.

A row is ``LABEL qid:QUERY INDEX:VALUE INDEX:VALUE ... # COMMENT``: a number, the query, the features that
are given (indices from 1 on, increasing; what is not given is 0) and a comment that may name the document
(``#docid = GX008-86-4444840``).

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "train.txt"
>>> _ = path.write_text('''2 qid:7 1:0.5 2:1e-3 #docid = a
... 0 qid:7 1:0.25 2:nan #docid = b
... 1 qid:9 1:1 #docid = c
... ''')
>>> data = read_letor(path)
>>> data
RankingData(2 queries, 3 items, 2 features)
>>> data.query_ids.tolist(), data.doc_ids.tolist(), data.labels.tolist()
([7, 9], ['a', 'b', 'c'], [2.0, 0.0, 1.0])
>>> write_letor(data, path)
>>> print(path.read_text(), end="")
2 qid:7 1:0.5 2:0.001 #docid = a
0 qid:7 1:0.25 2:nan #docid = b
1 qid:9 1:1 2:0 #docid = c
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankproof.arrays import as_whole_number
from rankproof.data.letor.errors import fault_of
from rankproof.data.letor.queries import Fault, QueryFinder, side_file
from rankproof.data.letor.rows import Counts, LetorText, Piece, count, parse
from rankproof.data.letor.write import write_letor
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, FileFormatError
from rankproof.files import StrPath, as_path
from rankproof.threads import using

if TYPE_CHECKING:
    from rankproof.arrays import Int64s
    from rankproof.data.letor.rows import Rows

__all__ = ["read_letor", "read_letor_in_order", "write_letor"]


def read_letor(
    path: StrPath | Sequence[StrPath],
    *,
    group: bool = False,
    sparse: bool | Literal["auto"] = "auto",
    features: int | None = None,
    query_file: StrPath | Sequence[StrPath] | Literal["auto"] | None = "auto",
    threads: int | None = None,
) -> RankingData:
    """Read LETOR text, plain or packed (``.gz``, ``.bz2``, ``.xz``, ``.zst``).

    A plain file is parsed where it lies, so that little more memory is needed than the result takes; a packed
    one is unpacked into memory first.

    Feature values are ``np.float32(float(text))`` and labels ``float(text)``, bit for bit, for any number of
    threads; a label ``nan`` marks an item that was not judged, a feature ``nan`` or ``NULL`` (as in the files
    of LETOR 3.0) a missing value. Blank lines and lines that are a comment are skipped.

    Parameters
    ----------
    path : str, path, or list of these
        Several files are read one after the other, as if they were one.
    group : bool
        Bring the rows of a query together when they stand apart: queries in the order of their first rows,
        rows in the order of the file. Scores that were written for the rows of the file are then in another
        order than the items. Otherwise a query that comes back is an error.
    sparse : bool or "auto"
        A CSR array instead of a dense one; "auto" takes the one that needs less memory.
    features : int, optional
        The number of features; otherwise the greatest index in the files.
    query_file : path, "auto" or None
        A file with one query size a line, for rows without ``qid:``. "auto" is LightGBM's habit:
        ``train.txt.query`` beside ``train.txt`` (or ``train.txt.gz``), if the rows have no ``qid:``.
    threads : int, optional
        All cores otherwise.

    Returns
    -------
    RankingData
        Query ids are whole numbers if all are spelt as such, else text. Document ids are what follows
        ``docid =`` in the comment, or a comment of one word; bytes that are not UTF-8 are escaped.

    Raises
    ------
    FileFormatError
        With the file, the line and the text that breaks a rule: the first one in the order of the files.
    DataError
        A file is missing, unreadable or damaged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.txt"
    >>> _ = path.write_text("2 qid:7 1:0.5 2:1\\n0 qid:7 2:3\\n")
    >>> read_letor(path)
    RankingData(1 queries, 2 items, 2 features)
    """
    with using(threads):
        read, _ = read_letor_in_order(
            path, group=group, sparse=sparse, features=features, query_file=query_file
        )
        return read


def read_letor_in_order(
    path: StrPath | Sequence[StrPath],
    *,
    group: bool = False,
    sparse: bool | Literal["auto"] = "auto",
    features: int | None = None,
    query_file: StrPath | Sequence[StrPath] | Literal["auto"] | None = "auto",
) -> tuple[RankingData, Int64s | None]:
    """What `read_letor` gives, and the row of the files that every item was, when ``group`` moved some."""
    paths = _paths("path", path)
    if features is not None:
        features = as_whole_number("features", features, 1)
    if sparse not in (True, False, "auto"):
        raise ArgumentError(f"Argument sparse must be True, False or 'auto', got {sparse!r}.")
    sides, named = _side_files(paths, query_file)

    texts = [LetorText.open(one, number) for number, one in enumerate(paths)]
    pieces = [piece for text in texts for piece in text.pieces]
    counts = count(pieces)
    width = int(counts.greatest_last.max(initial=0)) if features is None else features
    items, values = int(counts.rows.sum()), int(counts.values.sum())
    smaller_sparse = 8 * values + 4 * items < 4 * items * width
    rows = parse(pieces, counts, width, smaller_sparse if sparse == "auto" else bool(sparse))

    finder = QueryFinder(texts, pieces, counts.first_row, rows, sides, named)
    queries = finder.find(group)
    faults = [*finder.faults, *_faults(texts, pieces, counts, rows, features)]
    if faults:
        raise min(faults, key=lambda fault: (fault.row, fault.file)).error

    def ordered(part: Any) -> Any:
        return part if part is None or queries.order is None else part[queries.order]

    read = RankingData(
        labels=ordered(rows.labels),
        offsets=queries.offsets,
        X=ordered(rows.X),
        query_ids=queries.ids,  # type: ignore[arg-type]
        doc_ids=ordered(rows.doc_ids),
    )
    return read, queries.order


def _paths(name: str, value: Any) -> list[StrPath]:
    paths = [value] if isinstance(value, (str, PathLike)) else value
    if not isinstance(paths, (list, tuple)) or not paths:
        raise ArgumentError(f"Argument {name} must be a path or a list of paths, got {value!r}.")
    for one in paths:
        as_path(one)
    return list(paths)


def _side_files(paths: list[StrPath], query_file: Any) -> tuple[list[StrPath | None], bool]:
    """The file of query sizes of every file, and whether the user named it."""
    if query_file is None:
        return [None] * len(paths), False
    if isinstance(query_file, str) and query_file == "auto":
        return [side_file(one) for one in paths], False
    sides = _paths("query_file", query_file)
    if len(sides) != len(paths):
        raise ArgumentError(
            f"Argument query_file must name one file per path ({len(paths)}), got {len(sides)}."
        )
    return list(sides), True


def _faults(
    texts: list[LetorText], pieces: list[Piece], counts: Counts, rows: Rows, features: int | None
) -> list[Fault]:
    """What is wrong with single lines and whole files, each with its place in reading order."""
    faults = []
    first_row = counts.first_row
    if rows.bad is not None:
        bad = rows.bad
        message = fault_of(bad.text.line(bad.place), features)
        faults.append(Fault(bad.row, bad.text.number, bad.text.error(bad.place, message)))
    for text in texts:
        own = [k for k, piece in enumerate(pieces) if piece.text is text]
        if not own or counts.rows[own].sum() == 0:
            state = "holds no rows" if len(text.content) else "is empty"
            at = int(first_row[own[0]]) if own else _rows_before(text, pieces, first_row)
            faults.append(Fault(at, text.number, FileFormatError(text.name, None, f"the file {state}.")))
        elif not text.is_terminated and counts.rows[own[-1]]:
            full, last = own[:-1], int(counts.greatest_last[own[-1]])
            full = [k for k in full if counts.rows[k]]
            usual = int(counts.greatest_last[full].max(initial=0))
            if full and usual == counts.least_last[full].min() and last < usual:
                message = (
                    f"the row ends at feature {last}, though every row before it ends at feature {usual}. "
                    "If it is complete, append a newline to the file."
                )
                error = text.error(text.unterminated, message)
                faults.append(Fault(int(first_row[own[-1]]), text.number, error))
    return faults


def _rows_before(text: LetorText, pieces: list[Piece], first_row: np.ndarray[Any, Any]) -> int:
    """The number of rows in the files before one."""
    later = [k for k, piece in enumerate(pieces) if piece.text.number > text.number]
    return int(first_row[later[0]] if later else first_row[-1])
