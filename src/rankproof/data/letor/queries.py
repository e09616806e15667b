"""Which rows of LETOR texts belong to which query: by their ``qid:``, or by a side file of query sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankproof.data.letor.errors import spell
from rankproof.errors import FileFormatError
from rankproof.files import StrPath, as_path, open_bytes, plain_name
from rankproof.ids import as_ids
from rankproof.shown import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankproof.arrays import Int64s
    from rankproof.data.letor.rows import LetorText, Piece, Rows

__all__ = ["Fault", "Queries", "QueryFinder", "side_file"]

_CANONICAL = re.compile(rb"0|-?[1-9][0-9]{0,18}")
_WHAT_TO_DO = (
    "Give every row a qid:QUERY after its label, or name a file of query sizes with query_file=FILE."
)


class Fault(NamedTuple):
    """An error and its place in reading order: the row it stands at, the file it is in."""

    row: int
    file: int
    error: FileFormatError


class Queries(NamedTuple):
    """The queries found; ``order`` brings the rows of a query together, None when they already are."""

    ids: NDArray[Any] | None
    offsets: Int64s
    order: Int64s | None


@dataclass
class QueryFinder:
    """Looks for the queries of parsed rows and collects what is wrong with them."""

    texts: list[LetorText]
    pieces: list[Piece]
    first_row: Int64s
    rows: Rows
    query_files: list[StrPath | None]
    query_files_given: bool
    faults: list[Fault] = field(default_factory=list)

    def find(self, group: bool) -> Queries:
        """The queries; when ``faults`` is not empty afterwards, they mean nothing."""
        for text in self.texts:
            self._check_qid(text)
        # Faults may still hide among the rows before the first one found.
        whole = int(self.first_row[-1]) if self.rows.bad is None else self.rows.bad.row
        stop = min([whole, *(fault.row for fault in self.faults)])
        runs = self.rows.runs
        return self._by_id(group, stop) if len(runs) and runs[0, 2] else self._by_size(stop)

    def place_of_row(self, row: int) -> tuple[LetorText, int]:
        """The file of a row and the byte its line starts at."""
        from rankproof.kernels.text.letor import row_place

        k = int(np.searchsorted(self.first_row, row, side="right")) - 1
        piece = self.pieces[k]
        place = row_place(piece.data, piece.start, piece.stop, row - int(self.first_row[k]))
        return piece.text, int(place) + piece.shift

    def _blame(self, row: int, message: str) -> None:
        text, place = self.place_of_row(row)
        self.faults.append(Fault(row, text.number, text.error(place, message)))

    def _run_files(self) -> Int64s:
        return np.array([piece.text.number for piece in self.pieces], dtype=np.int64)[self.rows.run_piece]

    def _check_qid(self, text: LetorText) -> None:
        """All rows of a file must carry a query id, or none and it has a file of query sizes."""
        runs = self.rows.runs[self._run_files() == text.number]
        if not len(runs):
            return
        has = runs[:, 2] > 0
        first = int(runs[0, 0])
        side = self.query_files[text.number]
        if has[0] and self.query_files_given and side is not None:
            self._blame(first, f"the row has a qid, though query_file={str(side)!r} is given. Leave one out.")
        elif has[0] != (self.rows.runs[0, 2] > 0):
            self._blame(first, f"the row has {'a' if has[0] else 'no'} qid, unlike the files read before it.")
        elif not has[0] and side is None:
            self._blame(first, f"the row has no qid. {_WHAT_TO_DO}")
        elif not has[0] and not self.query_files_given and not as_path(side or "").exists():
            self._blame(first, f"the row has no qid, and there is no file {str(side)!r}. {_WHAT_TO_DO}")
        odd = np.flatnonzero(has != has[0])
        if odd.size:
            word = "no" if has[0] else "a"
            self._blame(int(runs[odd[0], 0]), f"the row has {word} qid, unlike the rows before it.")

    def _by_size(self, stop: int) -> Queries:
        """Queries by the side files, numbered 0, 1, 2, ... over all files."""
        sizes = []
        for text in self.texts:
            ends = [k + 1 for k, piece in enumerate(self.pieces) if piece.text is text]
            items = int(self.first_row[ends[-1]] - self.first_row[ends[0] - 1]) if ends else 0
            side = self.query_files[text.number]
            if items == 0 or side is None or self.first_row[ends[-1]] > stop:
                continue
            try:
                sizes.append(_read_sizes(side))
                if sizes[-1].sum() != items:
                    message = f"the query sizes sum to {sizes[-1].sum()}, but {text.name!r} has {items} rows."
                    raise FileFormatError(side, None, message)
            except FileFormatError as error:
                self.faults.append(Fault(int(self.first_row[ends[-1]]), text.number, error))
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(sizes or [self.first_row[:0]]))))
        return Queries(None, offsets, None)

    def _by_id(self, group: bool, stop: int) -> Queries:
        runs, ids, codes = self._merged(stop)
        firsts = np.unique(codes, return_index=True)[1]
        again = np.flatnonzero(firsts[codes] != np.arange(codes.size))
        sizes = np.diff(np.append(runs[:, 0], stop))
        if again.size and not group:
            name = ids[firsts[codes[again[0]]]]
            text, place = self.place_of_row(int(runs[firsts[codes[again[0]]], 0]))
            before = text.error(place, "")
            self._blame(
                int(runs[again[0], 0]),
                f"query {quoted(name)} comes back after another one; its first row is "
                f"{before.path}:{before.line}. Sort the rows by query, or pass group=True to do this.",
            )
        order = None
        if again.size:
            # Queries in the order of their first row, the rows of a query in the order of the file.
            order = np.argsort(np.repeat(codes, sizes), kind="stable")
            sizes = np.bincount(codes, weights=sizes).astype(np.int64)
        return Queries(
            as_ids([ids[k] for k in firsts.tolist()]), np.concatenate(([0], np.cumsum(sizes))), order
        )

    def _merged(self, stop: int) -> tuple[Int64s, list[Any], Int64s]:
        """Runs before row ``stop`` that no edge of a piece cuts, with the id and the query number of each."""
        runs, files = self.rows.runs[self.rows.runs[:, 0] < stop], self._run_files()
        texts = [self._id(k) for k in range(len(runs))] if not runs[:, 4].all() else None
        names: list[Any] = runs[:, 3].tolist() if texts is None else texts
        cut = np.ones(len(runs), dtype=np.bool_)
        for k in np.flatnonzero(np.diff(self.rows.run_piece[: len(runs)])) + 1:
            cut[k] = names[k] != names[k - 1] or files[k] != files[k - 1]
        names = [name for name, keep in zip(names, cut.tolist(), strict=True) if keep]
        if texts is not None:
            whole = all(_CANONICAL.fullmatch(name) and -(2**63) <= int(name) < 2**63 for name in names)
            names = [int(name) if whole else name.decode("utf-8", "backslashreplace") for name in names]
        numbers: dict[Any, int] = {}
        codes = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        return runs[cut], names, codes

    def _id(self, run: int) -> bytes:
        _, start, size, _, _ = self.rows.runs[run].tolist()
        return bytes(self.pieces[self.rows.run_piece[run]].data[start : start + size])


def side_file(path: StrPath) -> Path:
    """Where LightGBM keeps the query sizes of a file.

    >>> side_file("rank.train.xz").name
    'rank.train.query'
    """
    return Path(f"{plain_name(path)}.query")


def _read_sizes(path: StrPath) -> Int64s:
    """The query sizes of a side file, one per line."""
    sizes = []
    for number, line in enumerate(bytes(open_bytes(path)).split(b"\n"), 1):
        text = line.strip()
        if not text:
            continue
        if not re.fullmatch(rb"0*[1-9][0-9]{0,17}", text):
            raise FileFormatError(path, number, f"query size {spell(text)} is not a whole number >= 1.")
        sizes.append(int(text))
    return np.array(sizes, dtype=np.int64)
