"""Tables written piece by piece: Parquet, Arrow, CSV and NumPy; the file appears when all of it is written.

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
>>> write_columns(path, {"query": np.array(["a", "a"]), "score": np.array([0.5, 2.0])}, "csv")
>>> print(path.read_text(), end="")
"query","score"
"a",0.5
"a",2
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rankproof.data.forms.arrow import NUMBER, arrow, kind_of
from rankproof.data.forms.columns import TakenColumns
from rankproof.data.forms.numpy_arrays import FEATURE_NAMES
from rankproof.data.ranking import RankingData
from rankproof.errors import DataError
from rankproof.files import StrPath, create_bytes, plain_name

__all__ = ["WRITTEN", "form_by_name", "table_writer", "write_columns", "write_data"]

# What is written -> how a name says so.
WRITTEN: dict[str, tuple[str, ...]] = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "npz": (".npz",),
    "letor": (".txt", ".letor", ".svm", ".svmlight", ".libsvm"),
    "run": (".trec", ".run"),
    "qrels": (".qrels",),
}
# A row group holds so many rows, or so many cells where there are many columns: all of them are in memory.
_ROWS_OF_A_GROUP, _CELLS_OF_A_GROUP = 1 << 17, 1 << 23

Write = Callable[[Any], None]


def form_by_name(path: StrPath) -> str | None:
    """The form that the name of a file to write says, if any.

    >>> form_by_name("scores.parquet"), form_by_name("train.csv.gz"), form_by_name("scores")
    ('parquet', 'csv', None)
    """
    suffix = plain_name(path).suffix.lower()
    return next((form for form, suffixes in WRITTEN.items() if suffix in suffixes), None)


def write_columns(path: StrPath, columns: Mapping[str, NDArray[Any]], form: str) -> None:
    """A table of columns that are in memory."""
    pa = arrow()
    arrays = {
        name: pa.array(column.tolist(), pa.string()) if column.dtype.kind in "UTO" else pa.array(column)
        for name, column in columns.items()
    }
    batch = pa.record_batch(list(arrays.values()), names=list(arrays))
    with table_writer(path, batch.schema, form) as write:
        write(batch)


def write_data(path: StrPath, data: RankingData, form: str, names: TakenColumns | None = None) -> None:
    """Ranking data as a table; ``names`` are those of the columns that they were read from."""
    features = data.feature_names or tuple(f"f{k + 1}" for k in range(data.features))
    columns: dict[str, Any] = {"query" if names is None else names.query: data.qids}
    for role, values in (
        ("doc", data.doc_ids),
        ("label", data.labels),
        ("query_weight", None if data.query_weights is None else np.repeat(data.query_weights, data.sizes)),
        ("item_weight", data.item_weights),
    ):
        if values is not None:
            columns[getattr(names, role, None) or role] = values
    dense: Any = data.X if data.X is None or isinstance(data.X, np.ndarray) else data.X.toarray()
    if dense is not None:
        columns.update(zip(features, np.ascontiguousarray(dense.T), strict=True))
    write_columns(path, columns, form)


@contextmanager
def table_writer(path: StrPath, schema: Any, form: str) -> Iterator[Write]:
    """What writes record batches of this schema to a file, which appears when the block ends."""
    opened: dict[str, Callable[[IO[bytes], Any], AbstractContextManager[Write]]] = {
        "parquet": _parquet,
        "arrow": _arrow,
        "csv": _csv,
        "tsv": _tsv,
        "npz": _npz,
    }
    with create_bytes(path) as file, opened[form](file, schema) as write:
        yield write


@contextmanager
def _parquet(file: IO[bytes], schema: Any) -> Iterator[Write]:
    pa, parquet = arrow(), arrow("pyarrow.parquet")
    most = max(1024, min(_ROWS_OF_A_GROUP, _CELLS_OF_A_GROUP // max(1, len(schema))))
    held: list[Any] = []
    # Features rarely repeat: looking for repetitions takes far longer than to write them.
    repeat = [field.name for field in schema if not pa.types.is_floating(field.type)]
    with parquet.ParquetWriter(file, schema, use_dictionary=repeat) as writer:

        def write(batch: Any) -> None:
            held.append(batch)
            if sum(one.num_rows for one in held) >= most:
                flush()

        def flush() -> None:
            if held:
                table = pa.Table.from_batches(held, schema)
                held.clear()
                writer.write_table(table, row_group_size=most)

        yield write
        flush()


@contextmanager
def _arrow(file: IO[bytes], schema: Any) -> Iterator[Write]:
    with arrow("pyarrow.ipc").new_file(file, schema) as writer:
        yield writer.write_batch


@contextmanager
def _csv(file: IO[bytes], schema: Any, delimiter: str = ",") -> Iterator[Write]:
    pa, csv = arrow(), arrow("pyarrow.csv")
    with csv.CSVWriter(
        pa.PythonFile(file, mode="w"),
        _without_dictionaries(schema),
        write_options=csv.WriteOptions(delimiter=delimiter),
    ) as writer:

        def write(batch: Any) -> None:
            plain = [
                column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
                for column in batch.columns
            ]
            writer.write_batch(pa.record_batch(plain, names=batch.schema.names))

        yield write


def _tsv(file: IO[bytes], schema: Any) -> AbstractContextManager[Write]:
    return _csv(file, schema, "\t")


def _without_dictionaries(schema: Any) -> Any:
    pa = arrow()
    return pa.schema(
        [
            (field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
            for field in schema
        ]
    )


@contextmanager
def _npz(file: IO[bytes], schema: Any) -> Iterator[Write]:
    """An archive of arrays: ``X`` of all float32 columns, with their ``feature_names``, and the others alone.

    An array says its length at its start, so rows are kept in a temporary file until all have come.
    """
    pa = arrow()
    numbers = [field.name for field in schema if pa.types.is_float32(field.type)]
    others = [field.name for field in schema if field.name not in numbers]
    kept: dict[str, list[NDArray[Any]]] = {name: [] for name in others}
    rows = 0
    with tempfile.TemporaryFile() as values:

        def write(batch: Any) -> None:
            nonlocal rows
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            out = np.empty((batch.num_rows, len(numbers)), dtype=np.float32)
            for k, name in enumerate(numbers):
                out[:, k] = columns[name].to_numpy(zero_copy_only=False)
            values.write(out.tobytes())
            for name in others:
                kept[name].append(_plain(columns[name], name))
            rows += batch.num_rows

        yield write
        import zipfile

        with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            for name in others:
                column = np.concatenate(kept[name]) if kept[name] else np.empty(0)
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, column, allow_pickle=False)
            if numbers:
                header = {"descr": "<f4", "fortran_order": False, "shape": (rows, len(numbers))}
                values.seek(0)
                with archive.open("X.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array_header_1_0(entry, header)
                    while piece := values.read(1 << 22):
                        entry.write(piece)
                with archive.open(f"{FEATURE_NAMES}.npy", "w") as entry:
                    np.lib.format.write_array(entry, np.array(numbers), allow_pickle=False)


def _plain(values: Any, name: str) -> NDArray[Any]:
    pa = arrow()
    plain = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    if kind_of(plain.type) == NUMBER:
        return np.asarray(plain.to_numpy(zero_copy_only=False))
    texts = plain.cast(pa.string()).to_pylist()
    if None in texts:
        raise DataError(
            f"Column {name!r} has a null among text, which NumPy files cannot hold. Fill it first."
        )
    return np.array(texts, dtype=str)
