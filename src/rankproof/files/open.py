"""Reading files as bytes: plain or compressed (``.gz``, ``.bz2``, ``.xz``, ``.zst``).

A plain file is memory-mapped, so that opening it costs nothing and several threads may parse parts of it;
a compressed one is unpacked into memory. The content decides how a file is unpacked; a name that promises
a compression which the content does not keep is an error. ``-`` is standard input. What has to be held in
memory may be as large as `largest_input` says. No line of any file is longer than `LONGEST_LINE`.

The SHA-256 of a file or of bytes says whether it is still what it was.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import stat
import sys
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import IO, TypeAlias

from rankproof.errors import ArgumentError, DataError
from rankproof.files.unpack import (
    LONGEST_MAGIC,
    PACKED,
    Bytes,
    EndsEarlyError,
    compression_of,
    unpacked_pieces,
)

__all__ = [
    "STANDARD",
    "Bytes",
    "StrPath",
    "as_path",
    "forget",
    "largest_input",
    "open_bytes",
    "plain_name",
    "sha256_of",
    "sha256_of_bytes",
]

StrPath: TypeAlias = str | PathLike[str]

# The name of standard input, and of standard output.
STANDARD = "-"
# No line of a text is longer; a device that gives zeros, or an archive made of them, has no lines.
LONGEST_LINE = 1 << 26
_PIECE = 1 << 20
_NUL = re.compile(rb"\0")
_LARGEST = "RANKPROOF_LARGEST_INPUT"


def as_path(path: StrPath) -> Path:
    """``path`` as a `Path`; anything else than text or a path is refused."""
    if isinstance(path, (str, PathLike)) and isinstance(os.fspath(path), str) and "\0" not in os.fspath(path):
        return Path(path)
    raise ArgumentError(f"A path must be a str or a pathlib.Path, got {path!r}.")


def plain_name(path: StrPath) -> Path:
    """The path without its compression suffix.

    >>> plain_name("rank.train.xz").name, plain_name("rank.train").name
    ('rank.train', 'rank.train')
    """
    whole = as_path(path)
    return whole.with_suffix("") if whole.suffix.lower() in PACKED else whole


def open_bytes(path: StrPath) -> Bytes:
    """The content of a file, unpacked; fit for ``np.frombuffer(..., dtype=np.uint8)``.

    Parameters
    ----------
    path : str or path
        A plain file, or one packed by gzip, bzip2, xz or Zstandard (several members in a row are read
        as one). ``"-"`` is standard input.

    Returns
    -------
    bytes, bytearray or mmap
        A memory map of a plain file; it lives as long as something refers to it.

    Raises
    ------
    DataError
        The file is missing, is a folder, may not be read, or is a damaged archive; what has to be held in
        memory (an unpacked archive, a pipe, a device) is larger than `largest_input`; or a line has more than
        `LONGEST_LINE` bytes, so that this is no text.
    """
    whole = as_path(path)
    try:
        if os.fspath(path) == STANDARD:
            if sys.stdin is None:
                raise DataError("There is no standard input to read '-' from. Name a file.")
            return _read(whole, sys.stdin.buffer)
        with whole.open("rb") as file:
            return _read(whole, file)
    except FileNotFoundError:
        raise DataError(f"File {str(path)!r} does not exist. Check the name{_near(whole)}.") from None
    except IsADirectoryError:
        raise DataError(f"{str(path)!r} is a folder, not a file. Name a file in it.") from None
    except PermissionError:
        raise DataError(f"File {str(path)!r} is not readable. Change its permissions.") from None
    except MemoryError:
        raise DataError(
            f"File {str(path)!r} does not fit into memory when unpacked. Unpack it first."
        ) from None
    except OSError as error:
        raise DataError(f"File {str(path)!r} cannot be read: {error.strerror or error}.") from None


def forget(content: Bytes, start: int, stop: int) -> None:
    """Tell the system that the bytes ``start:stop`` of a memory map need not stay in memory.

    They stay readable; a process that has parsed a large file piece by piece does not keep all of it.
    """
    if isinstance(content, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        length = (stop if stop == len(content) else stop // mmap.PAGESIZE * mmap.PAGESIZE) - first
        if length > 0:
            content.madvise(mmap.MADV_DONTNEED, first, length)


def _read(path: Path, file: IO[bytes]) -> Bytes:
    content: Bytes
    if _is_regular(file):
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    else:
        content = _held(path, iter(lambda: file.read(_PIECE), b""))
    compression = compression_of(bytes(content[:LONGEST_MAGIC]))
    promised = path.suffix.lower()
    if compression is not None:
        return _unpacked(path, content, compression)
    if promised in PACKED:
        state = "is empty" if not len(content) else f"does not start as a {promised} archive does"
        raise DataError(
            f"File {str(path)!r} {state}, though its name ends in {promised}. "
            "Fetch it again if it is damaged, or take the suffix off if it is plain text."
        )
    if isinstance(content, mmap.mmap):
        _check_lines(path, content)
    return content


def _check_lines(path: Path, content: mmap.mmap) -> None:
    """Refuse a large file that is no text; looks at its beginning and at one line in every `LONGEST_LINE`."""
    size, start = len(content), 0
    while size - start > LONGEST_LINE:
        # The last end of a line that is near enough: no line before it is too long.
        end = content.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            raise _no_lines(path)
        start = end + 1
    if size > LONGEST_LINE:
        nul = _NUL.search(content, 0, LONGEST_LINE)
        if nul is not None:
            raise DataError(
                f"File {str(path)!r} has a NUL byte after {nul.start():,} bytes: it is damaged, binary, or "
                "UTF-16 (save it as UTF-8)."
            )


def _no_lines(path: Path, what: str = "") -> DataError:
    return DataError(
        f"File {str(path)!r} has a line of more than {LONGEST_LINE:,} bytes{what}: this is not text. "
        "Check the name."
    )


def _is_regular(file: IO[bytes]) -> bool:
    """Whether this is a file on a disk with something in it, read from its start."""
    try:
        status = os.fstat(file.fileno())
        return stat.S_ISREG(status.st_mode) and status.st_size > 0 and file.tell() == 0
    except OSError:
        # A stream that stands for standard input may have no number of a file.
        return False


def _held(path: Path, pieces: Iterable[bytes], what: str = "") -> bytearray:
    """All pieces in memory, which is refused when they are too many, or hold no lines."""
    most = largest_input()
    text, line = bytearray(), 0
    for piece in pieces:
        end = piece.rfind(b"\n")
        if end >= 0:
            line = len(text) + end + 1
        text += piece
        if len(text) > most:
            raise DataError(
                f"File {str(path)!r} holds more than {most:,} bytes{what}, the most that is read into memory "
                f"here. Write it to a plain file, which is read where it is, or set {_LARGEST}."
            )
        if len(text) - line > LONGEST_LINE and compression_of(bytes(text[:LONGEST_MAGIC])) is None:
            raise _no_lines(path, what)
    return text


def largest_input() -> int:
    """The most bytes of one input that are held in memory: of a pipe, a device or an unpacked archive.

    Half of the memory of this machine, or the number of bytes in the environment variable
    ``RANKPROOF_LARGEST_INPUT``. Plain files have no such limit: they are read where they are.
    """
    text = os.environ.get(_LARGEST)
    if text is not None:
        if not text.isdecimal() or int(text) < 1:
            raise ArgumentError(f"{_LARGEST} must be a whole number of bytes >= 1, got {text!r}.")
        return int(text)
    if not hasattr(os, "sysconf"):
        return 1 << 34
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _unpacked(path: Path, content: Bytes, compression: str) -> bytearray:
    """All members of an archive."""
    try:
        return _held(path, unpacked_pieces(content, compression), " when unpacked")
    except (MemoryError, DataError, ArgumentError):
        raise
    except EndsEarlyError:
        raise DataError(
            f"File {str(path)!r} is a {compression} archive that ends too early: the rest of it is missing. "
            "Fetch it again."
        ) from None
    except Exception as error:  # each format has its own error class, and all mean the same here
        raise DataError(
            f"File {str(path)!r} is a damaged {compression} archive ({error}). Fetch it again."
        ) from None


def _near(path: Path) -> str:
    """A file beside ``path`` that differs by its compression suffix alone."""
    plain = plain_name(path)
    for other in (plain, *(plain.with_name(plain.name + suffix) for suffix in PACKED)):
        if other != path and other.is_file():
            return f", there is {str(other)!r}"
    return ""


def sha256_of(path: StrPath) -> str | None:
    """The SHA-256 of a file; None for what is no file, such as a pipe, which cannot be read twice."""
    file = as_path(path)
    if not file.is_file():
        return None
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"File {str(path)!r} cannot be read: {error.strerror or error}.") from None


def sha256_of_bytes(*pieces: bytes | memoryview) -> str:
    """The SHA-256 of bytes; of several pieces, that of all of them in a row.

    >>> sha256_of_bytes(b"ran", b"k") == sha256_of_bytes(b"rank")
    True
    """
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
