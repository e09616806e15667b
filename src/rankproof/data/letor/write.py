"""`RankingData` as LETOR text that reads back to the same data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.files import StrPath, create_bytes
from rankproof.shown import quoted

if TYPE_CHECKING:
    from rankproof.arrays import Int64s

__all__ = ["letor_lines", "write_letor"]

_LONGEST_ID = 4096
_CELLS_AT_A_TIME = 1 << 18
_ROWS_AT_A_TIME = 1 << 14


def write_letor(data: RankingData, path: StrPath) -> None:
    """Write ``data`` as LETOR text, packed as the suffix says; `read_letor` gives the same data back.

    Values are printed in the fewest digits that read back to the same bits. A dense matrix is written with
    all its cells, a sparse one with its stored values (and one zero in the last column if that is empty, so
    that the number of features survives).

    Parameters
    ----------
    data : RankingData
        Query ids that are text may not hold blanks or ``#``, document ids may not hold blanks; there is no
        place for weights and for queries without items.
    path : str or path
        The file appears under this name once it is complete.

    Raises
    ------
    DataError
        The data do not fit the format, or the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.txt"
    >>> write_letor(RankingData(labels=[1, 0], offsets=[0, 2], X=[[0.5], [2.0]]), path)
    >>> print(path.read_text(), end="")
    1 qid:0 1:0.5
    0 qid:0 1:2
    """
    if not isinstance(data, RankingData):
        raise ArgumentError(f"Argument data of write_letor must be a RankingData, got {type(data).__name__}.")
    _check(data)
    with create_bytes(path) as file:
        for lines in letor_lines(data):
            file.write(lines)


def letor_lines(data: RankingData) -> Iterator[bytes]:
    """The lines of data that fit the format, some at a time."""
    queries = [_id("query", query, " \t\r\n#") for query in data.query_ids.tolist()]
    heads = np.repeat(np.arange(data.queries), data.sizes).tolist()
    docs = [b""] * data.items if data.doc_ids is None else [_comment(doc) for doc in data.doc_ids.tolist()]
    row = 0
    for texts in _features(data):
        stop = row + len(texts)
        lines = []
        for label, head, text, doc in zip(
            data.labels[row:stop].tolist(), heads[row:stop], texts, docs[row:stop], strict=True
        ):
            lines.append(b"%b qid:%b%b%b\n" % (_label(label), queries[head], text, doc))
        yield b"".join(lines)
        row = stop


def _check(data: RankingData) -> None:
    if data.items == 0:
        raise DataError("write_letor got no items: a LETOR file holds at least one row.")
    if data.query_weights is not None or data.item_weights is not None:
        raise DataError(
            "LETOR text has no place for weights. Drop them with "
            "dataclasses.replace(data, query_weights=None, item_weights=None) and keep them elsewhere."
        )
    empty = np.flatnonzero(data.sizes == 0)
    if empty.size:
        raise DataError(f"Query {quoted(data.query_ids[empty[0]])} has no items: LETOR text cannot name it.")


def _id(kind: str, value: object, forbidden: str) -> bytes:
    text = str(value)
    bad = sorted(set(text) & set(forbidden + "\0"))
    if bad or not text:
        rule = f"holds {bad[0]!r}" if bad else "is empty"
        raise DataError(f"The {kind} id {text!r} cannot be written as LETOR text: it {rule}. Rename it.")
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"The {kind} id {text!r} cannot be written as UTF-8. Rename it.") from None
    if len(encoded) > _LONGEST_ID:
        raise DataError(f"The {kind} id {text[:60]!r}... is longer than {_LONGEST_ID} bytes. Rename it.")
    return encoded


def _comment(doc: str) -> bytes:
    return b" #docid = " + _id("document", doc, " \t\r\n") if doc else b""


def _label(label: float) -> bytes:
    whole = math.isfinite(label) and label == int(label) and abs(label) < 1e15
    if whole and not (label == 0 and math.copysign(1.0, label) < 0):
        return b"%d" % int(label)
    return repr(label).encode("ascii")


def _features(data: RankingData) -> Iterator[list[bytes]]:
    """The text of the features of all rows, some rows at a time."""
    if data.X is None:
        yield [b""] * data.items
        return
    from rankproof.kernels.text.letor_write import LONGEST_FEATURE, put_features

    X: Any = data.X
    width = data.features
    dense = isinstance(X, np.ndarray)
    if not dense and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    starts = np.arange(data.items + 1, dtype=np.int64) * width if dense else X.indptr.astype(np.int64)
    # What no row says is the number of features when the last column is empty.
    last_unused = not dense and width > 0 and not (X.indices == width - 1).any()
    for first, stop in _blocks(starts):
        low, high = int(starts[first]), int(starts[stop])
        values = X[first:stop].reshape(-1) if dense else X.data[low:high]
        columns = np.empty(0, dtype=np.int32) if dense else X.indices[low:high]
        out = np.empty((high - low) * LONGEST_FEATURE, dtype=np.uint8)
        ends = np.empty(stop - first, dtype=np.int64)
        put_features(np.array(values), np.array(columns), starts[first : stop + 1] - low, out, ends)
        text = out[: ends[-1]].tobytes()
        texts = [text[a:b] for a, b in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
        if last_unused and first == 0:
            texts[0] += b" %d:0" % width
        yield texts


def _blocks(starts: Int64s) -> Iterator[tuple[int, int]]:
    """Ranges of rows that hold not too many values, or one row."""
    first, rows = 0, starts.size - 1
    while first < rows:
        fit = int(np.searchsorted(starts, starts[first] + _CELLS_AT_A_TIME, side="right")) - 1
        stop = min(rows, first + _ROWS_AT_A_TIME, max(first + 1, fit))
        yield first, stop
        first = stop
