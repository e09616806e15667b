"""Writing files: what is written goes to a temporary name in the same folder first and is renamed at the end.

A reader never sees half a file; an interrupt or a full disk leaves what was there before. This is the one
place of the package that does so: `create_bytes` and `write_bytes` for a file, `write_files` for several of
which all appear or none.

So with folders: `draft_folder` gives a draft beside the place, `replace_folder` renames it into the place,
`fill_folder` moves its files into a folder in which others may have files too, and `set_aside` keeps what was
there until something new has ended well.

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
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

from rankproof.errors import ArgumentError, DataError
from rankproof.files.open import StrPath, as_path

__all__ = [
    "check_folder",
    "create_bytes",
    "draft_folder",
    "draft_name",
    "fill_folder",
    "replace_folder",
    "set_aside",
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


def draft_name(path: Path) -> Path:
    """A name beside ``path`` that nobody else uses, to write to before it is renamed."""
    return path.with_name(f".{path.name[:100]}.{os.urandom(6).hex()}.tmp")


@contextmanager
def create_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """A file to write bytes to, packed as its suffix says; it appears under its name when all is written.

    Raises
    ------
    DataError
        The folder is missing, the path is a folder, or the system refuses (permissions, disk full).
    """
    name = as_path(path)
    # A link stays a link: the file it points to is the one replaced.
    whole = Path(os.path.realpath(name))
    if whole.is_dir():
        raise DataError(f"File {str(path)!r} cannot be written: this is a folder. Name a file in it.")
    if not whole.parent.is_dir():
        raise DataError(f"File {str(path)!r} cannot be written: its folder does not exist. Make it first.")
    # A pipe or a device cannot be replaced by a file; it is written straight.
    straight = whole.exists() and not whole.is_file()
    draft = whole if straight else draft_name(whole)
    pack = _PACKERS.get(name.suffix.lower(), nullcontext)
    try:
        with draft.open("wb" if straight else "xb") as file, pack(file) as packed:
            yield packed
        if not straight:
            draft.replace(whole)
    except OSError as error:
        raise DataError(f"File {str(path)!r} cannot be written: {error.strerror or error}.") from None
    finally:
        if not straight:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


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
    drafts = {root / name: draft_name(root / name) for name in files}
    try:
        for draft, content in zip(drafts.values(), files.values(), strict=True):
            with draft.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for place, draft in drafts.items():
            draft.replace(place)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    return list(drafts)


def check_folder(folder: StrPath) -> None:
    """Raise `ArgumentError` when ``folder`` cannot hold files; to be asked before the work, not after it."""
    path = as_path(folder)
    first = next(p for p in (path, *path.absolute().parents) if p.exists())
    if not first.is_dir() or not os.access(first, os.W_OK):
        raise ArgumentError(f"Cannot write to {str(folder)!r}: {first} is not a directory one may write in.")


@contextmanager
def draft_folder(place: Path) -> Iterator[Path]:
    """An empty folder beside ``place``, which is gone at the end unless it was renamed."""
    draft = draft_name(place)
    try:
        draft.mkdir(parents=True)
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def replace_folder(draft: Path, place: Path) -> None:
    """Rename a folder to ``place``; what is there is put aside first, and back when that fails."""
    if not place.exists():
        draft.rename(place)
        return
    aside = draft_name(place)
    place.rename(aside)
    try:
        draft.rename(place)
    except OSError:
        aside.rename(place)
        raise
    shutil.rmtree(aside)


def fill_folder(draft: Path, place: Path, *, last: str, obsolete: Iterable[str] = ()) -> None:
    """Move the files of a draft into a folder, ``last`` after the others; then drop ``obsolete`` files."""
    for file in sorted(draft.iterdir(), key=lambda one: one.name == last):
        file.replace(place / file.name)
    for name in obsolete:
        (place / name).unlink(missing_ok=True)


@contextmanager
def set_aside(folder: Path, names: Iterable[str]) -> Iterator[None]:
    """Put files and folders of these names aside; they come back when the block does not end well."""
    listed = tuple(names)
    aside = folder / f".earlier.{os.urandom(6).hex()}.tmp"
    complete = False
    try:
        aside.mkdir()
        _move(folder, aside, listed)
        complete = True
        yield
    except BaseException:
        # Until all is put aside, what stands in the folder is of the earlier time too.
        for name in listed if complete else ():
            _remove(folder / name)
        _move(aside, folder, listed)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _move(source: Path, target: Path, names: Iterable[str]) -> None:
    for name in names:
        if os.path.lexists(source / name):
            (source / name).replace(target / name)
