"""What the readers read: a text file, a Parquet file or a data frame, as columns of ids and of numbers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.frames import column_floats, column_ids, open_frame
from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.files import StrPath, as_path, plain_name
from rankproof.judgments.columns import Codes, codes_of
from rankproof.judgments.text_table import TextTable, read_blank_table, read_delimited

__all__ = ["FORMATS", "QRELS_COLUMNS", "ColumnTable", "FrameTable", "open_table", "pick_column"]

FORMATS = ("csv", "tsv", "parquet", "qrels")
QRELS_COLUMNS = ("query", "judge", "item", "grade")


class ColumnTable(Protocol):
    """Columns by place."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    def ids(self, column: int, kind: str) -> Codes:
        """The different ids of a column, and the place of each row's."""

    def floats(self, column: int, kind: str) -> Float64s:
        """The numbers of a column, NaN where there is none."""

    def error(self, row: int, message: str) -> DataError:
        """An error about a row."""


@dataclass(frozen=True, eq=False)
class FrameTable:
    """A data frame; ``source`` is what errors call it."""

    frame: Any
    source: str = "the frame"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.frame.columns)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.frame.shape[0])

    def ids(self, column: int, kind: str) -> Codes:  # noqa: ARG002 - the column says it
        """The ids of a column; whole numbers stay numbers."""
        return codes_of(column_ids(self.frame, self.names[column], "Column"))

    def floats(self, column: int, kind: str) -> Float64s:
        """The numbers of a column; a null is NaN."""
        values = column_floats(self.frame, self.names[column], kind)
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise self.error(row, f"the {kind} {values[row]} is not a finite number.")
        return values

    def error(self, row: int, message: str) -> DataError:
        """An error about a row."""
        return DataError(f"Row {row} of {self.source} (rows counted from 0): {message}")


def open_table(source: Any, form: str | None) -> tuple[ColumnTable, str]:
    """The table and its format; the format is told by the name of the file unless it is said."""
    if hasattr(source, "columns") or hasattr(source, "collect"):
        return FrameTable(open_frame(source, "read_judgments")), "frame"
    path = as_path(source)
    if form is not None and form not in FORMATS:
        raise ArgumentError(f"Argument form must be one of {', '.join(map(repr, FORMATS))}, got {form!r}.")
    kind = form or _told_by_name(path)
    if kind == "parquet":
        return FrameTable(_parquet(path), str(path)), kind
    if kind == "qrels":
        return read_blank_table(path, QRELS_COLUMNS, "a file of judgments"), kind
    table: TextTable = read_delimited(path, "," if kind == "csv" else "\t")
    return table, kind


def _told_by_name(path: StrPath) -> str:
    ending = plain_name(path).suffix.lower().lstrip(".")
    return {"csv": "csv", "tsv": "tsv", "tab": "tsv", "parquet": "parquet", "pq": "parquet"}.get(
        ending, "qrels"
    )


def _parquet(path: StrPath) -> Any:
    try:
        from pyarrow import lib, parquet
    except ImportError:
        raise MissingDependencyError(
            "Parquet files need pyarrow, which is not installed: pip install pyarrow"
        ) from None
    try:
        return open_frame(parquet.read_table(path), "read_judgments")
    except FileNotFoundError:
        raise DataError(f"File {str(path)!r} does not exist. Check the name.") from None
    except (OSError, lib.ArrowException) as error:
        raise DataError(f"{path}: not a Parquet file that can be read: {error}.") from None


def pick_column(table: ColumnTable, argument: str, name: str | int | None, usual: Sequence[str]) -> int:
    """The place of a column: the one that is named, else the first that has a usual name."""
    names = table.names
    if name is not None:
        if str(name) in names:
            return names.index(str(name))
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(
            f"Argument {argument} of read_judgments names the column {name!r}, which is not there.{hint} "
            f"Columns: {', '.join(names)}."
        )
    plain = [own.casefold().replace(" ", "_") for own in names]
    for usual_name in usual:
        if usual_name in plain:
            return plain.index(usual_name)
    raise ArgumentError(
        f"read_judgments looks for the column of the {argument} under the names {', '.join(usual)}, and the "
        f"columns are {', '.join(names)}. Say which one it is: {argument}=..."
    )
