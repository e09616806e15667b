"""LETOR texts as ranges of whole lines: their rows are counted, given room once, and parsed into that room.

`LetorText` also knows the way back from a byte to its line.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.errors import DataError, FileFormatError
from rankproof.files import Bytes, StrPath, forget, open_bytes
from rankproof.ids import TextIds, at_own_length, wastes_room
from rankproof.threads import run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankproof.arrays import Float64s, Int64s
    from rankproof.data.ranking import Features

__all__ = ["BadLine", "Counts", "LetorText", "Piece", "Rows", "count", "parse"]

# Large enough to hide the cost of a call, small enough that the ranges in work take little memory.
_RANGE_BYTES = 1 << 21
# How many ids are read at a time when they are kept at their own lengths.
_IDS_AT_A_TIME = 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """Whole lines ``data[start:stop]`` of a file, the last with a newline; ``data[0]`` is byte ``shift``."""

    text: LetorText
    data: NDArray[np.uint8]
    start: int
    stop: int
    shift: int = 0

    def forget(self) -> None:
        """Let go of the memory behind these lines."""
        if self.shift == 0:
            forget(self.text.content, self.start, self.stop)


@dataclass(frozen=True, eq=False)
class LetorText:
    """One file: its name as the user wrote it, its bytes, and its pieces in order."""

    name: str
    number: int
    content: Bytes = field(repr=False)
    pieces: tuple[Piece, ...] = field(init=False, repr=False)
    unterminated: int = field(init=False)

    def __post_init__(self) -> None:
        data = np.frombuffer(self.content, dtype=np.uint8)
        data.flags.writeable = False
        start = len(_BYTE_ORDER_MARK) if self.content[:3] == _BYTE_ORDER_MARK else 0
        stop = self.content.rfind(b"\n") + 1
        pieces = []
        while start < stop:
            end = self.content.find(b"\n", min(start + _RANGE_BYTES, stop) - 1) + 1
            pieces.append(Piece(self, data, start, end))
            start = end
        if start < data.size:
            # The last line lacks its newline: parsed from a copy that has one.
            tail = np.append(data[start:], np.uint8(ord("\n")))
            tail.flags.writeable = False
            pieces.append(Piece(self, tail, 0, tail.size, start))
        object.__setattr__(self, "pieces", tuple(pieces))
        object.__setattr__(self, "unterminated", start)

    @classmethod
    def open(cls, path: StrPath, number: int) -> LetorText:
        """The text of the file ``path``, file number ``number`` of a reading."""
        return cls(str(path), number, open_bytes(path))

    @property
    def is_terminated(self) -> bool:
        """Whether the last line ends with a newline."""
        return self.unterminated == len(self.content)

    def line(self, place: int) -> bytes:
        """The line that starts at byte ``place``, without its newline."""
        end = self.content.find(b"\n", place)
        return bytes(self.content[place : None if end < 0 else end])

    def error(self, place: int, message: str) -> FileFormatError:
        """The error that the line which starts at byte ``place`` is worth."""
        if place >= self.unterminated:
            message += (
                " The file does not end with a newline, so it may be truncated: fetch or write it again."
            )
        newlines, step = 0, 1 << 24
        for start in range(0, place, step):
            newlines += bytes(self.content[start : min(start + step, place)]).count(b"\n")
        return FileFormatError(self.name, newlines + 1, message)


_FIRST_DOUBTS = 64


@dataclass(frozen=True)
class Counts:
    """What the first pass found, one entry per piece."""

    rows: Int64s
    values: Int64s
    comments: Int64s
    least_last: Int64s
    greatest_last: Int64s

    @property
    def first_row(self) -> Int64s:
        """The number of the first row of every piece, and at the end the number of rows in all."""
        return np.concatenate(([0], np.cumsum(self.rows)))


@dataclass(frozen=True)
class BadLine:
    """The first line that breaks a rule: it would be row ``row``, and starts at ``place`` of its file."""

    row: int
    text: LetorText
    place: int


@dataclass(frozen=True)
class Rows:
    """The parsed rows; all before ``bad`` can be trusted.

    ``runs`` has a line per run of rows with the same query id: first row, start and length of the id in the
    data of its piece, the whole number it spells, whether it does; ``run_piece`` is the piece of each run.
    """

    labels: Float64s
    X: Features | None
    doc_ids: TextIds | None
    runs: Int64s
    run_piece: Int64s
    bad: BadLine | None


def count(pieces: list[Piece]) -> Counts:
    """Count the rows and values of every piece."""
    from rankproof.kernels.text.letor import count_lines

    def work(k: int, _: int) -> Int64s:
        piece = pieces[k]
        counts: Int64s = count_lines(piece.data, piece.start, piece.stop)
        piece.forget()
        return counts

    per_piece = run(work, [(k, k + 1) for k in range(len(pieces))])
    return Counts(*np.array(per_piece, dtype=np.int64).reshape(len(pieces), 5).T.copy())


def parse(pieces: list[Piece], counts: Counts, width: int, sparse: bool) -> Rows:
    """Parse every piece into matrices of ``width`` columns."""
    from rankproof.kernels.text.letor import parse_lines

    first_row = counts.first_row
    first_cell = np.concatenate(([0], np.cumsum(counts.values)))
    rows, cells = int(first_row[-1]), int(first_cell[-1])
    values, indices, indptr = _room(rows, cells, width, sparse)
    labels = np.empty(rows)
    docs = np.zeros((rows if counts.comments.any() else 0, 2), dtype=np.int64)
    # The lowest piece known to be bad: pieces behind it need not be read.
    stop_after = len(pieces)

    def work(k: int, _: int) -> tuple[Int64s, int, int]:
        nonlocal stop_after
        piece = pieces[k]
        queries = np.empty((counts.rows[k], 5), dtype=np.int64)
        unsure = np.empty((_FIRST_DOUBTS, 3), dtype=np.int64)
        if k > stop_after:
            return queries[:0], 0, -1
        while True:
            done, noted, doubts, bad = parse_lines(
                piece.data, piece.start, piece.stop, first_row[k], first_row[k + 1],
                first_cell[k], first_cell[k + 1] if sparse else -1, width, sparse,
                labels, values, indices, indptr, docs, queries, unsure,
            )  # fmt: skip
            if doubts <= len(unsure):
                break
            unsure = np.empty((doubts, 3), dtype=np.int64)
        for place, start, stop in unsure[:doubts].tolist():
            number = float(piece.data[start:stop].tobytes())
            if place >= 0:
                with np.errstate(over="ignore"):
                    values[place] = number
            elif np.isinf(number):
                done, bad = -1 - place - first_row[k], _line_start(piece, start)
                break
            else:
                labels[-1 - place] = number
        piece.forget()
        if bad >= 0:
            stop_after = min(stop_after, k)
        elif done != counts.rows[k]:
            raise DataError(f"File {piece.text.name!r} was changed while it was read. Read it again.")
        return queries[:noted].copy(), int(done), int(bad)

    parsed = run(work, [(k, k + 1) for k in range(len(pieces))])
    bad_line = None
    for k, (_, done, bad) in enumerate(parsed):
        if bad >= 0:
            bad_line = BadLine(int(first_row[k]) + done, pieces[k].text, bad + pieces[k].shift)
            parsed = parsed[: k + 1]
            break
    runs = np.concatenate([queries for queries, _, _ in parsed] or [np.empty((0, 5), dtype=np.int64)])
    run_piece = np.repeat(np.arange(len(parsed)), [len(queries) for queries, _, _ in parsed])
    if bad_line is not None:
        keep = runs[:, 0] < bad_line.row
        return Rows(labels, None, None, runs[keep], run_piece[keep], bad_line)
    doc_ids = _doc_ids(pieces, first_row, docs) if len(docs) else None
    return Rows(labels, _matrix(values, indices, indptr, rows, width, sparse), doc_ids, runs, run_piece, None)


def _line_start(piece: Piece, place: int) -> int:
    before = piece.data[piece.start : place].tobytes()
    return piece.start + before.rfind(b"\n") + 1


def _room(rows: int, cells: int, width: int, sparse: bool) -> tuple[NDArray[np.float32], Any, Any]:
    kind = np.int32 if cells < 2**31 else np.int64
    size = 4 * rows * width
    if not sparse:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else size
        if size > memory:
            raise DataError(
                f"A dense matrix of {rows} rows and {width} features would take {size / 1e9:.3g} GB, "
                "more than this machine has. Pass sparse=True, or sparse='auto' for the smaller form."
            )
        cells = 0
    try:
        # Zeros are mapped, not written: pages that no value falls on take no memory.
        values = np.zeros(cells if sparse else rows * width, dtype=np.float32)
        return values, np.empty(cells, dtype=kind), np.zeros(rows + 1 if sparse else 0, dtype=kind)
    except MemoryError:
        raise DataError(
            f"A matrix of {rows} rows and {width} features does not fit into memory. "
            "Split the file by query and read the parts."
        ) from None


def _matrix(values: Any, indices: Any, indptr: Any, rows: int, width: int, sparse: bool) -> Features | None:
    if width == 0:
        return None
    if not sparse:
        return values.reshape(rows, width)  # type: ignore[no-any-return]
    from scipy.sparse import csr_array

    return csr_array((values, indices, indptr), shape=(rows, width))


def _doc_ids(pieces: list[Piece], first_row: Int64s, docs: Int64s) -> TextIds | None:
    """The ids behind the spans ``docs``; bytes that are not UTF-8 are escaped (``\\xe9``)."""
    length = int(docs[:, 1].max(initial=0))
    if length == 0:
        return None
    own = wastes_room(len(docs), int(docs[:, 1].sum()), length)
    ids: TextIds = at_own_length(len(docs)) if own else np.zeros(len(docs), dtype=f"U{length}")
    step = _IDS_AT_A_TIME if own else len(docs)

    def work(k: int, _: int) -> dict[int, str]:
        piece, stop = pieces[k], int(first_row[k + 1])
        decoded: dict[int, str] = {}
        for low in range(int(first_row[k]), stop, step):
            decoded |= _fill(piece, docs, ids, low, min(low + step, stop))
        piece.forget()
        return decoded

    decoded: dict[int, str] = {}
    for part in run(work, [(k, k + 1) for k in range(len(pieces))]):
        decoded.update(part)
    if not decoded:
        return ids
    if not own:
        widest = max(length, *map(len, decoded.values()))
        own = wastes_room(len(docs), int(docs[:, 1].sum()), widest)
        ids = ids.astype(np.dtypes.StringDType() if own else f"U{widest}")
    ids[list(decoded)] = list(decoded.values())
    return ids


def _fill(piece: Piece, docs: Int64s, ids: TextIds, low: int, high: int) -> dict[int, str]:
    """Put the ids of the rows ``low:high``, all of one piece, into ``ids``; return those beyond ASCII."""
    from rankproof.kernels.text.letor import fill_ids

    spans, foreign = docs[low:high], np.zeros(high - low, dtype=np.bool_)
    if ids.dtype.kind == "U":
        letters = ids[low:high].view(np.uint32).reshape(high - low, -1)
    else:
        letters = np.zeros((high - low, max(1, int(spans[:, 1].max()))), dtype=np.uint32)
    fill_ids(piece.data, spans, 0, high - low, letters, foreign)
    if ids.dtype.kind != "U":
        ids[low:high] = letters.view(f"U{letters.shape[1]}").reshape(-1)
    decoded = {}
    for row in np.flatnonzero(foreign).tolist():
        start, size = spans[row].tolist()
        decoded[low + row] = piece.data[start : start + size].tobytes().decode("utf-8", "backslashreplace")
    return decoded
