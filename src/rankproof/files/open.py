"""Reading files as bytes: plain or compressed (``.gz``, ``.bz2``, ``.xz``, ``.zst``).

A plain file is memory-mapped, so that opening it costs nothing and several threads may parse parts of it;
a compressed one is unpacked into memory. The content decides how a file is unpacked; a name that promises
a compression which the content does not keep is an error.

The SHA-256 of a file or of bytes says whether it is still what it was.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias

from rankproof.errors import ArgumentError, DataError

__all__ = [
    "Bytes",
    "StrPath",
    "as_path",
    "forget",
    "open_bytes",
    "plain_name",
    "sha256_of",
    "sha256_of_bytes",
]

StrPath: TypeAlias = str | PathLike[str]
Bytes: TypeAlias = mmap.mmap | bytes | bytearray

_PIECE = 1 << 20
_LONGEST_MAGIC = 10


def _unpack_gzip() -> Any:
    import zlib

    return zlib.decompressobj(wbits=31)


def _unpack_bz2() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _unpack_xz() -> Any:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ)


def _unpack_zstd() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


_UNPACKERS: dict[str, Callable[[], Any]] = {
    ".gz": _unpack_gzip,
    ".bz2": _unpack_bz2,
    ".xz": _unpack_xz,
    ".zst": _unpack_zstd,
}


def _compression_of(head: bytes) -> str | None:
    """The suffix that the first bytes of a file speak for."""
    if head[:2] == b"\x1f\x8b":
        return ".gz"
    # "BZh1" alone could be text: the number of the first block (pi), or of an empty stream, must follow.
    if head[:3] == b"BZh" and head[4:10] in (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"):
        return ".bz2"
    if head[:6] == b"\xfd7zXZ\x00":
        return ".xz"
    # A frame, or a frame to be skipped, as the parallel packer writes at the front.
    if head[:4] == b"\x28\xb5\x2f\xfd" or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5):
        return ".zst"
    return None


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
    return whole.with_suffix("") if whole.suffix.lower() in _UNPACKERS else whole


def open_bytes(path: StrPath) -> Bytes:
    """The content of a file, unpacked; fit for ``np.frombuffer(..., dtype=np.uint8)``.

    Parameters
    ----------
    path : str or path
        A plain file, or one packed by gzip, bzip2, xz or Zstandard (several members in a row are read
        as one).

    Returns
    -------
    bytes, bytearray or mmap
        A memory map of a plain file; it lives as long as something refers to it.

    Raises
    ------
    DataError
        The file is missing, is a folder, may not be read, or is a damaged archive.
    """
    whole = as_path(path)
    try:
        with whole.open("rb") as file:
            return _read(whole, file)
    except FileNotFoundError:
        raise DataError(f"File {str(path)!r} does not exist. Check the name{_near(whole)}.") from None
    except IsADirectoryError:
        raise DataError(f"{str(path)!r} is a folder, not a file. Name a file in it.") from None
    except PermissionError:
        raise DataError(f"File {str(path)!r} may not be read by this user. Change its permissions.") from None
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
    regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    content: Bytes
    if regular and os.fstat(file.fileno()).st_size > 0:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    else:
        content = file.read()
    compression = _compression_of(bytes(content[:_LONGEST_MAGIC]))
    promised = path.suffix.lower()
    if compression is not None:
        return _unpacked(path, content, compression)
    if promised in _UNPACKERS:
        state = "is empty" if not len(content) else f"does not start as a {promised} archive does"
        raise DataError(
            f"File {str(path)!r} {state}, though its name ends in {promised}. "
            "Fetch it again if it is damaged, or take the suffix off if it is plain text."
        )
    return content


def _unpacked(path: Path, content: Bytes, compression: str) -> bytearray:
    """All members of an archive; the unpackers of the four formats share one interface."""
    unpack = _UNPACKERS[compression]
    text = bytearray()
    stream, started = unpack(), False
    try:
        for start in range(0, len(content), _PIECE):
            piece = bytes(content[start : start + _PIECE])
            while piece:
                if not started:
                    # Between members only padding may stand.
                    piece = piece.lstrip(b"\0")
                    if not piece:
                        break
                    started = True
                text += stream.decompress(piece)
                piece = b""
                if stream.eof:
                    piece = stream.unused_data
                    stream, started = unpack(), False
    except MemoryError:
        raise
    except Exception as error:  # each format has its own error class, and all mean the same here
        raise DataError(
            f"File {str(path)!r} is a damaged {compression} archive ({error}). Fetch it again."
        ) from None
    if started:
        raise DataError(
            f"File {str(path)!r} is a {compression} archive that ends too early: the rest of it is missing. "
            "Fetch it again."
        )
    return text


def _near(path: Path) -> str:
    """A file beside ``path`` that differs by its compression suffix alone."""
    plain = plain_name(path)
    for other in (plain, *(plain.with_name(plain.name + suffix) for suffix in _UNPACKERS)):
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
