"""Count the rows of LETOR texts, make room for them once, and parse all pieces into that room."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankproof.arrays import Float64s, Int64s
    from rankproof.data.letor_text import Piece, Text
    from rankproof.data.ranking import Features

__all__ = ["BadLine", "Counts", "Rows", "count", "parse"]

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
    text: Text
    place: int


@dataclass(frozen=True)
class Rows:
    """The parsed rows; all before ``bad`` can be trusted.

    ``runs`` has a line per run of rows with the same query id: first row, start and length of the id in the
    data of its piece, the whole number it spells, whether it does; ``run_piece`` is the piece of each run.
    """

    labels: Float64s
    X: Features | None
    doc_ids: NDArray[np.str_] | None
    runs: Int64s
    run_piece: Int64s
    bad: BadLine | None


def count(pieces: list[Piece], threads: int | None) -> Counts:
    """Count the rows and values of every piece."""
    from rankproof.kernels.letor import count_lines
    from rankproof.kernels.pool import run

    def work(k: int, _: int) -> Int64s:
        piece = pieces[k]
        counts: Int64s = count_lines(piece.data, piece.start, piece.stop)
        piece.forget()
        return counts

    found = run(work, [(k, k + 1) for k in range(len(pieces))], threads)
    return Counts(*np.array(found, dtype=np.int64).reshape(len(pieces), 5).T.copy())


def parse(pieces: list[Piece], counts: Counts, width: int, sparse: bool, threads: int | None) -> Rows:
    """Parse every piece into matrices of ``width`` columns."""
    from rankproof.kernels.letor import parse_lines
    from rankproof.kernels.pool import run

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

    parsed = run(work, [(k, k + 1) for k in range(len(pieces))], threads)
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
    doc_ids = _doc_ids(pieces, first_row, docs, threads) if len(docs) else None
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


def _doc_ids(
    pieces: list[Piece], first_row: Int64s, docs: Int64s, threads: int | None
) -> NDArray[np.str_] | None:
    """The ids behind the spans ``docs``; bytes that are not UTF-8 are escaped (``\\xe9``)."""
    from rankproof.kernels.letor import fill_ids
    from rankproof.kernels.pool import run

    length = int(docs[:, 1].max(initial=0))
    if length == 0:
        return None
    letters = np.zeros((len(docs), length), dtype=np.uint32)
    foreign = np.zeros(len(docs), dtype=np.bool_)

    def work(k: int, _: int) -> dict[int, str]:
        piece, first, stop = pieces[k], int(first_row[k]), int(first_row[k + 1])
        fill_ids(piece.data, docs, first, stop, letters, foreign)
        ids = {}
        for row in (first + np.flatnonzero(foreign[first:stop])).tolist():
            start, size = docs[row].tolist()
            ids[row] = piece.data[start : start + size].tobytes().decode("utf-8", "backslashreplace")
        piece.forget()
        return ids

    decoded: dict[int, str] = {}
    for part in run(work, [(k, k + 1) for k in range(len(pieces))], threads):
        decoded.update(part)
    ids = letters.view(np.dtype(f"U{length}")).reshape(-1)
    if decoded:
        ids = ids.astype(f"U{max(length, *map(len, decoded.values()))}")
        ids[list(decoded)] = list(decoded.values())
    return ids
