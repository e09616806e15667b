"""The same small data in every form, written by the libraries that people use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

QUERIES = ["a", "a", "b", "b", "b", "c"]
LABELS = [2.0, 0.0, 1.0, 0.0, 3.0, 1.0]
DOCS = ["d1", "d2", "d3", "d4", "d5", "d6"]
X = np.array([[0.5, 1], [0.25, 2], [1.5, 3], [-1, 4], [0.125, 5], [7, 6]], dtype=np.float32)


def table(**more: Any) -> pa.Table:
    """The data as a table, with more columns or others."""
    columns = {"query": QUERIES, "doc": DOCS, "label": LABELS, "f1": X[:, 0], "f2": X[:, 1], **more}
    return pa.table({name: values for name, values in columns.items() if values is not None})


def as_parquet(path: Path, data: pa.Table) -> Path:
    pa.parquet.write_table(data, path, row_group_size=4)
    return path


def as_arrow_file(path: Path, data: pa.Table) -> Path:
    with pa.ipc.new_file(str(path), data.schema) as out:
        out.write_table(data, max_chunksize=4)
    return path


def as_arrow_stream(path: Path, data: pa.Table) -> Path:
    with pa.ipc.new_stream(str(path), data.schema) as out:
        out.write_table(data, max_chunksize=4)
    return path


def as_feather(path: Path, data: pa.Table) -> Path:
    pa.feather.write_feather(data, str(path), compression="lz4")
    return path


def _separated(delimiter: str) -> Callable[[Path, pa.Table], Path]:
    def write(path: Path, data: pa.Table) -> Path:
        pa.csv.write_csv(data, path, pa.csv.WriteOptions(delimiter=delimiter))
        return path

    return write


as_csv, as_tsv, as_semicolons, as_bars = map(_separated, (",", "\t", ";", "|"))


def as_npz(path: Path, data: pa.Table) -> Path:
    arrays = {name: np.array(data[name].to_pylist()) for name in data.column_names if name[0] != "f"}
    features = [name for name in data.column_names if name[0] == "f"]
    matrix = np.column_stack([data[name].to_numpy() for name in features]).astype(np.float32)
    with path.open("wb") as out:
        np.savez_compressed(out, X=matrix, feature_names=np.array(features), **arrays)
    return path


def as_structured(path: Path, data: pa.Table) -> Path:
    kinds = {"query": "U8", "doc": "U8", "label": "f8"}
    rows = np.zeros(data.num_rows, dtype=[(name, kinds.get(name, "f4")) for name in data.column_names])
    for name in data.column_names:
        rows[name] = data[name].to_pylist()
    with path.open("wb") as out:
        np.save(out, rows)
    return path


WRITERS: dict[str, Callable[[Path, pa.Table], Path]] = {
    "parquet": as_parquet,
    "arrow file": as_arrow_file,
    "arrow stream": as_arrow_stream,
    "feather": as_feather,
    "csv": as_csv,
    "tsv": as_tsv,
    "semicolons": as_semicolons,
    "bars": as_bars,
    "npz": as_npz,
    "structured npy": as_structured,
}
