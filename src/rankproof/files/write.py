"""Writing files: what is written goes to a temporary name in the same folder first and is renamed at the end.

A reader never sees half a file; an interrupt or a full disk leaves what was there before. This is the one
place of the package that does so: `create_bytes` and `write_bytes` for a file, `write_files` for several of
which all appear or none.

What a killed process leaves behind is removed when the same file is written again.

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "greeting.txt.gz"
>>> with create_bytes(path) as file:
...     _ = file.write(b"hello")
>>> from rankproof.files.open import open_bytes
>>> bytes(open_bytes(path))
b'hello'
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from rankproof.errors import ArgumentError, DataError
from rankproof.files.drafts import empty_file, held_draft
from rankproof.files.open import STANDARD, StrPath, as_path

__all__ = [
    "check_folder",
    "create_bytes",
    "write_bytes",
    "write_files",
    "writing",
]


def _pack_gzip(file: IO[bytes]) -> AbstractContextManager[Any]:
    import gzip

    return gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)


def _pack_bz2(file: IO[bytes]) -> AbstractContextManager[Any]:
    import bz2

    return bz2.BZ2File(file, "wb")


def _pack_xz(file: IO[bytes]) -> AbstractContextManager[Any]:
    import lzma

    return lzma.LZMAFile(file, "wb")


def _pack_zstd(file: IO[bytes]) -> AbstractContextManager[Any]:
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


_PACKERS: dict[str, Callable[[IO[bytes]], AbstractContextManager[Any]]] = {
    ".gz": _pack_gzip,
    ".bz2": _pack_bz2,
    ".xz": _pack_xz,
    ".zst": _pack_zstd,
}


@contextmanager
def create_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """A file to write bytes to, packed as its suffix says; it appears under its name when all is written.

    ``"-"`` is standard output, which is written straight.

    Raises
    ------
    DataError
        The folder is missing, the path is a folder, or the system refuses (permissions, disk full).
    """
    name = as_path(path)
    if os.fspath(path) == STANDARD:
        yield from _standard_output()
        return
    # A link stays a link: the file it points to is the one replaced.
    whole = Path(os.path.realpath(name))
    if whole.is_dir():
        raise DataError(f"File {str(path)!r} cannot be written: this is a folder. Name a file in it.")
    if not whole.parent.is_dir():
        raise DataError(f"File {str(path)!r} cannot be written: its folder does not exist. Create it first.")
    # A pipe or a device cannot be replaced by a file; it is written straight.
    straight = whole.exists() and not whole.is_file()
    pack = _PACKERS.get(name.suffix.lower(), nullcontext)
    try:
        with nullcontext(whole) if straight else held_draft(whole, empty_file) as draft:
            with draft.open("wb") as file, pack(file) as packed:
                yield packed
            if not straight:
                draft.replace(whole)
    except OSError as error:
        raise DataError(f"File {str(path)!r} cannot be written: {error.strerror or error}.") from None


def _standard_output() -> Iterator[IO[bytes]]:
    if sys.stdout is None:
        raise DataError("There is no standard output to write '-' to. Name a file.")
    # What was printed before comes first.
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def writing(place: StrPath) -> Iterator[None]:
    """An error of the system in this block becomes a `DataError` that names the place.

    >>> import errno
    >>> with writing("run"):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
        ...
    rankproof.errors.DataError: 'run' cannot be written: No space left on device.
    """
    try:
        yield
    except OSError as error:
        raise DataError(f"{os.fspath(place)!r} cannot be written: {error.strerror or error}.") from None


def write_bytes(path: StrPath, content: bytes) -> None:
    """Write a whole file, as `create_bytes` does."""
    with create_bytes(path) as file:
        file.write(content)


def write_files(folder: StrPath, files: Mapping[str, bytes]) -> list[Path]:
    """Write ``files`` (name to content) into ``folder``, which is made when missing; returns their paths.

    All are on the disk before the first of them is renamed into its place.
    """
    root = as_path(folder)
    root.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        drafts = {root / name: held.enter_context(held_draft(root / name, empty_file)) for name in files}
        for draft, content in zip(drafts.values(), files.values(), strict=True):
            with draft.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for place, draft in drafts.items():
            draft.replace(place)
    return list(drafts)


def check_folder(folder: StrPath) -> None:
    """Raise `ArgumentError` when ``folder`` cannot hold files; to be asked before the work, not after it."""
    path = as_path(folder)
    first = next(p for p in (path, *path.absolute().parents) if p.exists())
    if not first.is_dir() or not os.access(first, os.W_OK):
        raise ArgumentError(f"Cannot write to {str(folder)!r}: {first} is not a writable directory.")
