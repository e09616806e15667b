"""Tables of text with a row per line: cells found by compiled numpy loops, read column by column.

CSV and TSV files have a header line; a file with quotes goes through Python's own reader, which is slower.
Columns of TREC judgments are parted by blanks.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import FileFormatError
from rankproof.files import StrPath, open_bytes
from rankproof.ids import text_ids
from rankproof.judgments.columns import Codes
from rankproof.judgments.numbered import numbered
from rankproof.shown import quoted

__all__ = ["TextTable", "read_blank_table", "read_delimited"]

_LF, _CR, _SPACE, _TAB, _QUOTE = 10, 13, 32, 9, 34
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Cells wider than this are gathered one by one.
_WIDEST = 512


@dataclass(frozen=True, eq=False)
class TextTable:
    """The cells of a file: cell (r, c) is ``text[starts[r, c]:ends[r, c]]``, row r stands in ``lines[r]``."""

    path: StrPath
    names: tuple[str, ...]
    text: NDArray[np.uint8]
    starts: Int64s
    ends: Int64s
    lines: Int64s

    @property
    def rows(self) -> int:
        """How many rows there are below the header."""
        return int(self.starts.shape[0])

    def codes(self, column: int) -> Codes:
        """The different cells of a column as text, and the place of each row's."""
        cells = self._cells(column)
        names, numbers = numbered(cells)
        try:
            texts = [name.decode() if isinstance(name, bytes) else str(name) for name in names.tolist()]
        except UnicodeDecodeError:
            raise self._first_not_text(cells) from None
        return Codes(text_ids(texts), numbers)

    def ids(self, column: int, kind: str) -> Codes:
        """The same for ids, none of which may be empty."""
        codes = self.codes(column)
        empty = np.flatnonzero(codes.names == "")
        if empty.size:
            row = int(np.argmax(codes.numbers == empty[0]))
            raise self.error(row, f"the {kind} is empty. Give every row one.")
        return codes

    def floats(self, column: int, kind: str) -> Float64s:
        """The numbers of a column; an empty cell is NaN, as are the words NA and NaN."""
        codes = self.codes(column)
        values = np.empty(codes.names.size)
        for k, cell in enumerate(codes.names.tolist()):
            word = cell.strip()
            try:
                values[k] = np.nan if word.casefold() in ("", "na", "nan", "null", "none") else float(word)
                good = not np.isinf(values[k])
            except ValueError:
                good = False
            if not good:
                row = int(np.argmax(codes.numbers == k))
                raise self.error(row, f"the {kind} {quoted(cell)} is not a finite number.")
        return values[codes.numbers]

    def error(self, row: int, message: str) -> FileFormatError:
        """An error about a row."""
        return FileFormatError(self.path, int(self.lines[row]), message)

    def _cells(self, column: int) -> NDArray[Any]:
        starts, ends = self.starts[:, column], self.ends[:, column]
        sizes = ends - starts
        width = max(int(sizes.max(initial=0)), 1)
        if width > _WIDEST:
            whole = self.text.tobytes()
            return np.array([whole[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)], object)
        cells = np.zeros((starts.size, width), np.uint8)
        for k in range(width):
            inside = sizes > k
            cells[inside, k] = self.text[starts[inside] + k]
        return cells.view(f"S{width}").reshape(-1)

    def _first_not_text(self, cells: NDArray[Any]) -> FileFormatError:
        for row, cell in enumerate(cells.tolist()):
            try:
                cell.decode()
            except UnicodeDecodeError:
                return self.error(row, "the line is not UTF-8 text. Save the file as UTF-8.")
        raise AssertionError("called for a column of text")


def read_delimited(path: StrPath, delimiter: str) -> TextTable:
    """A CSV or TSV file: a header with the names of the columns, then one row per line."""
    text, start = _bytes_of(path)
    if (text == _QUOTE).any():
        return _read_quoted(path, text[start:].tobytes(), delimiter)
    line_starts, line_ends, lines = _lines(text, start)
    marks = np.flatnonzero(text == ord(delimiter))
    if line_starts.size == 0:
        raise FileFormatError(path, None, "the file is empty; it should have a header and a row per line.")
    low, high = np.searchsorted(marks, line_starts), np.searchsorted(marks, line_ends)
    columns = int(high[0] - low[0]) + 1
    odd = np.flatnonzero(high - low != columns - 1)
    if odd.size:
        k = int(odd[0])
        raise FileFormatError(
            path,
            int(lines[k]),
            f"the line has {int(high[k] - low[k]) + 1} cells, and the header has {columns}. Give every row "
            "as many cells; quote a cell that holds the delimiter.",
        )
    inside = marks[low[0] : high[-1]]
    edges = inside.reshape(line_starts.size, columns - 1)
    starts = np.column_stack([line_starts, edges + 1]).astype(np.int64)
    ends = np.column_stack([edges, line_ends]).astype(np.int64)
    names = _header(path, [text[a:b].tobytes() for a, b in zip(starts[0], ends[0], strict=True)])
    return TextTable(path, names, text, starts[1:], ends[1:], lines[1:])


def read_blank_table(path: StrPath, names: tuple[str, ...], kind: str) -> TextTable:
    """A file without header whose columns are parted by blanks."""
    text, start = _bytes_of(path)
    blank = (text == _SPACE) | (text == _TAB) | (text == _LF) | (text == _CR)
    blank[:start] = True
    edges = np.diff(np.concatenate(([True], blank, [True])).astype(np.int8))
    starts, ends = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
    breaks = np.flatnonzero(text == _LF)
    line = 1 + np.searchsorted(breaks, starts)
    if not starts.size:
        raise FileFormatError(path, None, f"the file has no lines; {kind} has lines of '{' '.join(names)}'.")
    firsts = np.flatnonzero(np.diff(line, prepend=0))
    many = np.diff(np.append(firsts, starts.size))
    odd = np.flatnonzero(many != len(names))
    if odd.size:
        k = int(odd[0])
        raise FileFormatError(
            path,
            int(line[firsts[k]]),
            f"the line has {int(many[k])} columns; {kind} has {len(names)}: '{' '.join(names)}'.",
        )
    shape = (firsts.size, len(names))
    return TextTable(path, names, text, starts.reshape(shape), ends.reshape(shape), line[firsts])


def _bytes_of(path: StrPath) -> tuple[NDArray[np.uint8], int]:
    text = np.frombuffer(open_bytes(path), dtype=np.uint8)
    return text, len(_BYTE_ORDER_MARK) if text[:3].tobytes() == _BYTE_ORDER_MARK else 0


def _lines(text: NDArray[np.uint8], start: int) -> tuple[Int64s, Int64s, Int64s]:
    """Where the lines that are not empty start and end, and their numbers."""
    breaks = np.flatnonzero(text == _LF)
    starts = np.concatenate(([start], breaks + 1))
    ends = np.append(breaks, text.size)
    # A carriage return before the end belongs to it.
    ends = ends - ((ends > starts) & (text[np.maximum(ends - 1, 0)] == _CR) if text.size else 0)
    kept = np.flatnonzero(ends > starts)
    return starts[kept].astype(np.int64), ends[kept].astype(np.int64), (kept + 1).astype(np.int64)


def _header(path: StrPath, cells: list[bytes]) -> tuple[str, ...]:
    names = tuple(cell.decode("utf-8", "replace").strip() for cell in cells)
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise FileFormatError(path, 1, f"the header names the column {quoted(twice[0])} twice. Rename one.")
    return names


def _read_quoted(path: StrPath, whole: bytes, delimiter: str) -> TextTable:
    """The same of a file with quotes."""
    try:
        reader = csv.reader(io.StringIO(whole.decode(), newline=""), delimiter=delimiter, strict=True)
        header = next(reader)
        rows: list[list[str]] = []
        lines: list[int] = []
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise FileFormatError(
                    path,
                    reader.line_num,
                    f"the line has {len(row)} cells, and the header has {len(header)}. Give every row as "
                    "many.",
                )
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise FileFormatError(path, reader.line_num, f"the line is not CSV: {error}.") from None
    except UnicodeDecodeError as error:
        line = 1 + whole.count(b"\n", 0, error.start)
        raise FileFormatError(path, line, "the line is not UTF-8 text. Save the file as UTF-8.") from None
    cells = [cell.encode() for row in rows for cell in row]
    ends = np.cumsum([len(cell) for cell in cells], dtype=np.int64).reshape(len(rows), len(header))
    starts = (np.concatenate(([0], ends.reshape(-1)[:-1])) if cells else ends).reshape(ends.shape)
    text = np.frombuffer(b"".join(cells), np.uint8)
    return TextTable(
        path, _header(path, [name.encode() for name in header]), text, starts, ends, np.array(lines, np.int64)
    )
