"""NumPy files as columns: a matrix, a structured array, or the named arrays of an ``.npz``.

The columns of a matrix in ``.npy`` are called 0, 1, ...; in ``.npz`` those of ``X`` are called X0, X1, ...
unless the file has ``feature_names``. Arrays with one number or text per row are columns by their name.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.data.forms.arrow import arrow
from rankproof.errors import DataError, FileFormatError, RankproofError
from rankproof.files import StrPath, as_path, largest_input, open_bytes

__all__ = ["FEATURE_NAMES", "NumpyColumns"]

FEATURE_NAMES = "feature_names"
_WHAT_TO_DO = "Save arrays of numbers or text with one row per item."


@dataclass(frozen=True, eq=False)
class NumpyColumns:
    """The columns of a NumPy file, by name, and how many rows they have."""

    columns: dict[str, NDArray[Any]]
    rows: int

    @classmethod
    def open(cls, path: StrPath) -> NumpyColumns:
        """Those of a file; a plain ``.npy`` is read where it lies."""
        try:
            return cls._of(path, _loaded(path))
        except (MemoryError, RankproofError):
            raise
        except Exception as error:  # zipfile, zlib and NumPy have their own, and all mean the same here
            text = " ".join(str(error).split()).rstrip(".")
            if "Object arrays" in text or "pickled" in text or "Python objects" in text:
                text = "it holds Python objects, which are not read, since that runs code"
                raise FileFormatError(path, None, f"{text}. {_WHAT_TO_DO}") from None
            raise FileFormatError(
                path, None, f"the file is damaged ({text}). Write or fetch it again."
            ) from None

    @classmethod
    def _of(cls, path: StrPath, arrays: dict[str, NDArray[Any]]) -> NumpyColumns:
        names = arrays.pop(FEATURE_NAMES, None)
        columns: dict[str, NDArray[Any]] = {}
        wide = [name for name, array in arrays.items() if array.ndim == 2]
        if names is not None and (len(wide) != 1 or names.shape != (arrays[wide[0]].shape[1],)):
            raise FileFormatError(
                path, None, f"{FEATURE_NAMES} must name the columns of one matrix, has shape {names.shape}."
            )
        for name, array in arrays.items():
            if array.dtype.names and array.ndim == 1:
                columns.update((one, array[one]) for one in array.dtype.names)
            elif array.ndim == 1:
                columns[name] = array
            elif array.ndim == 2:
                own = [f"{name}{k}" for k in range(array.shape[1])] if names is None else names.tolist()
                columns.update((str(one), array[:, k]) for k, one in enumerate(own))
            else:
                raise FileFormatError(path, None, f"array {name!r} has shape {array.shape}. {_WHAT_TO_DO}")
        if not columns:
            raise FileFormatError(path, None, f"there are no arrays in it. {_WHAT_TO_DO}")
        sizes = {name: len(column) for name, column in columns.items()}
        first = next(iter(sizes))
        for name, size in sizes.items():
            if size != sizes[first]:
                raise FileFormatError(
                    path,
                    None,
                    f"array {name!r} has {size} rows, but {first!r} has {sizes[first]}. {_WHAT_TO_DO}",
                )
        return cls(columns, sizes[first])

    @property
    def schema(self) -> Any:
        """As pyarrow has it."""
        pa = arrow()
        return pa.schema([(name, _as_arrow(column[:0]).type) for name, column in self.columns.items()])

    def batches(self, names: list[str], rows_at_once: int) -> Iterator[Any]:
        """Record batches of some columns."""
        pa = arrow()
        for start in range(0, self.rows, rows_at_once):
            stop = min(start + rows_at_once, self.rows)
            arrays = [_as_arrow(self.columns[name][start:stop]) for name in names]
            yield pa.record_batch(arrays, names=names)


def _as_arrow(column: NDArray[Any]) -> Any:
    pa = arrow()
    if column.dtype.kind in "UST":
        texts = column.tolist()
        if column.dtype.kind == "S":
            texts = [one.decode("utf-8", "backslashreplace") for one in texts]
        return pa.array(texts, pa.string())
    return pa.array(np.ascontiguousarray(column.astype(column.dtype.newbyteorder("="), copy=False)))


def _loaded(path: StrPath) -> dict[str, NDArray[Any]]:
    place = as_path(path)
    head = b""
    if place.is_file():
        with place.open("rb") as file:
            head = file.read(6)
    if head == b"\x93NUMPY":
        return _named(np.load(place, mmap_mode="r", allow_pickle=False))
    if head[:2] == b"PK":
        return _archived(path, place)
    content = bytes(open_bytes(path))
    if content[:2] == b"PK":
        return _archived(path, io.BytesIO(content))
    return _named(np.load(io.BytesIO(content), allow_pickle=False))


def _named(array: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """A single array has no name: the columns of a matrix are called by their numbers."""
    return {"0" if array.ndim == 1 and not array.dtype.names else "": array}


def _archived(path: StrPath, content: Any) -> dict[str, NDArray[Any]]:
    """The arrays of an archive, which says how much they take: more than memory is refused before that."""
    with zipfile.ZipFile(content) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    most = largest_input()
    if size > most:
        raise DataError(
            f"File {str(path)!r} holds more than {most:,} bytes when unpacked ({size:,}), the most that is "
            "read into memory here. Save it as Parquet, or set RANKPROOF_LARGEST_INPUT."
        )
    with np.load(content, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
