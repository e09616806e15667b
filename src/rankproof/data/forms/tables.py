"""Files with named columns as streams of record batches: Parquet, Arrow, CSV and NumPy in one shape."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankproof.data.forms.arrow import arrow, reading
from rankproof.data.forms.content import FormFile, delimiter_of, files_of, head_of, is_table
from rankproof.data.forms.numpy_arrays import NumpyColumns
from rankproof.errors import DataError, FileFormatError
from rankproof.files import STANDARD, StrPath, open_bytes

__all__ = ["FormTable", "open_tables"]

_ROWS_AT_ONCE = 1 << 16
# Of CSV text that is read piece by piece, as much is looked at to tell what a column holds.
_TEXT_AT_ONCE = 1 << 21
# What is no value in CSV text.
_NO_VALUE = ["", "NULL", "null", "NA", "N/A", "NaN", "nan", "None", "#N/A", "<NA>"]


@dataclass(frozen=True, eq=False)
class FormTable:
    """One file; its ``names`` are the columns in it, then those of its folders (``fold=1``)."""

    file: FormFile

    @property
    def name(self) -> str:
        """The file as messages name it."""
        return self.file.name

    @cached_property
    def types(self) -> dict[str, Any]:
        """The type of every column, by name."""
        pa = arrow()
        schema = self._opened.schema_arrow if self.file.form == "parquet" else self._opened.schema
        with reading(self.name):
            names = list(schema.names)
        twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
        if twice is not None:
            raise FileFormatError(self.name, None, f"there is more than one column {twice!r}. Rename one.")
        keys = {name: pa.int64() if self._is_whole(name) else pa.string() for name in self.file.keys}
        return {**dict(zip(names, schema.types, strict=True)), **keys}

    @cached_property
    def rows(self) -> int | None:
        """How many there are, where that can be told without reading them."""
        if self.file.form == "parquet":
            return int(self._opened.metadata.num_rows)
        return self._opened.rows if self.file.form == "numpy" else None

    def batches(
        self, columns: Sequence[str], *, streamed: bool = False, widened: bool = False
    ) -> Iterator[Any]:
        """Record batches with these columns, in the order of the rows.

        ``streamed`` reads CSV text piece by piece: what a column holds is then told by the first piece, and
        ``widened`` takes whole numbers there for any numbers.
        """
        pa = arrow()
        own = [name for name in columns if name not in self.file.keys]
        with reading(self.name):
            for batch in self._raw(own, streamed, widened):
                arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
                for name, text in self.file.keys.items():
                    value = int(text) if self._is_whole(name) else text
                    arrays[name] = pa.repeat(pa.scalar(value), batch.num_rows)
                # Without columns a batch does not know how many rows it has.
                yield pa.record_batch([arrays[name] for name in columns], names=list(columns))

    def _raw(self, own: list[str], streamed: bool, widened: bool) -> Iterator[Any]:
        form = self.file.form
        if form == "parquet":
            yield from self._opened.iter_batches(batch_size=_ROWS_AT_ONCE, columns=own or None)
        elif form == "numpy":
            yield from self._opened.batches(own, _ROWS_AT_ONCE)
        elif form == "arrow":
            yield from self._arrow_batches(own)
        elif streamed:
            yield from self._text_reader(own, widened)
        else:
            yield from self._whole_text(own).to_batches()

    @cached_property
    def _opened(self) -> Any:
        form = self.file.form
        with reading(self.name):
            if form == "parquet":
                # Read ahead, the whole file would be held.
                return arrow("pyarrow.parquet").ParquetFile(self._source, pre_buffer=False)
            if form == "numpy":
                return NumpyColumns.open(self.file.path)
            if form == "arrow":
                return self._arrow_reader()
            return _TextStart(self._text_start(None))

    @cached_property
    def _source(self) -> Any:
        """The bytes of the file, where it lies or held in memory."""
        pa = arrow()
        packed = os.fspath(self.file.path) == STANDARD or self.file.form == "delimited"
        if not packed and _is_plain(self.file):
            place = os.fspath(self.file.path)
            # Pages of a mapped file would stay in memory; Arrow's are the arrays themselves.
            return pa.OSFile(place) if self.file.form == "parquet" else pa.memory_map(place)
        content = open_bytes(self.file.path)
        return pa.py_buffer(content)

    def _arrow_reader(self) -> Any:
        ipc = arrow("pyarrow.ipc")
        source = self._source
        if hasattr(source, "seek"):
            source.seek(0)
        if head_of_source(source) == b"ARROW1":
            return ipc.open_file(source)
        return ipc.open_stream(source)

    def _arrow_batches(self, own: list[str]) -> Iterator[Any]:
        reader = self._arrow_reader()
        numbered = hasattr(reader, "num_record_batches")
        batches = (
            (reader.get_batch(k) for k in range(reader.num_record_batches)) if numbered else iter(reader)
        )
        for batch in batches:
            # What is in the file is taken as it is, so it is checked before anything follows its offsets.
            batch.validate(full=True)
            chosen = batch.select(own)
            for start in range(0, chosen.num_rows, _ROWS_AT_ONCE):
                yield chosen.slice(start, _ROWS_AT_ONCE)

    def _text_options(self, own: list[str] | None) -> dict[str, Any]:
        csv = arrow("pyarrow.csv")
        first = bytes(memoryview(self._source)[: 1 << 16])
        convert = csv.ConvertOptions(null_values=_NO_VALUE, strings_can_be_null=True, include_columns=own)
        parse = csv.ParseOptions(delimiter=delimiter_of(first), newlines_in_values=True)
        return {"parse_options": parse, "convert_options": convert}

    def _text_reader(self, own: list[str], widened: bool) -> Any:
        """A reader of pieces, which all have the types of the first."""
        pa, csv = arrow(), arrow("pyarrow.csv")
        options = self._text_options(own)
        types = {field.name: field.type for field in self._text_start(own)}
        for name, dtype in types.items():
            if pa.types.is_null(dtype) or (widened and pa.types.is_integer(dtype)):
                types[name] = pa.float64()
        options["convert_options"].column_types = types
        read = csv.ReadOptions(block_size=_TEXT_AT_ONCE)
        return csv.open_csv(self._text(), read_options=read, **options)

    def _text_start(self, own: list[str] | None) -> Any:
        """The schema that the first piece tells."""
        pa, csv = arrow(), arrow("pyarrow.csv")
        # A reader reads far ahead: it gets no more than it needs.
        start = pa.BufferReader(self._source.slice(0, min(self._source.size, 2 * _TEXT_AT_ONCE)))
        read = csv.ReadOptions(block_size=_TEXT_AT_ONCE)
        with csv.open_csv(start, read_options=read, **self._text_options(own)) as reader:
            return reader.schema

    def _text(self) -> Any:
        """The text from its start: of a plain file by and by, so that its pages do not stay in memory."""
        pa, path = arrow(), os.fspath(self.file.path)
        return pa.OSFile(path) if path != STANDARD and _is_plain(self.file) else pa.BufferReader(self._source)

    def _whole_text(self, own: list[str]) -> Any:
        pa, csv = arrow(), arrow("pyarrow.csv")
        return csv.read_csv(pa.BufferReader(self._source), **self._text_options(own))

    def _is_whole(self, key: str) -> bool:
        text = self.file.keys[key]
        return text.lstrip("-").isdecimal() and str(int(text)) == text


@dataclass(frozen=True)
class _TextStart:
    """What is told of CSV text before it is read."""

    schema: Any


def head_of_source(source: Any) -> bytes:
    """The first six bytes of a buffer or a mapped file."""
    if hasattr(source, "seek"):
        head = bytes(source.read(6))
        source.seek(0)
        return head
    return bytes(memoryview(source)[:6])


def _is_plain(file: FormFile) -> bool:
    """Whether the file starts with the bytes of its form, and not with those of an archive."""
    with open(file.path, "rb") as content:  # noqa: PTH123 - a path of any kind
        return content.read(4) == head_of(file.path)[:4]


def open_tables(paths: Sequence[StrPath]) -> list[FormTable] | None:
    """The tables of all paths, or None when they are LETOR text."""
    listed = [one for path in paths for one in files_of(path)]
    tabular = [is_table(one.form) for one in listed]
    if not any(tabular):
        return None
    if not all(tabular):
        table, text = listed[tabular.index(True)], listed[tabular.index(False)]
        raise DataError(
            f"{table.name!r} has named columns and {text.name!r} is text without them: data that belong "
            "together must have one form. Convert one of them: rankproof convert."
        )
    return [FormTable(one) for one in listed]
