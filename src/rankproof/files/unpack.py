"""Unpacking gzip, bzip2, xz and Zstandard in pieces of bounded size, so that no archive fills the memory.

>>> import gzip
>>> content = gzip.compress(b"one\\n") + gzip.compress(b"two\\n")
>>> compression_of(content), b"".join(unpacked_pieces(content, ".gz"))
('.gz', b'one\\ntwo\\n')
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

__all__ = ["LONGEST_MAGIC", "PACKED", "Bytes", "EndsEarlyError", "compression_of", "unpacked_pieces"]

Bytes: TypeAlias = mmap.mmap | bytes | bytearray

LONGEST_MAGIC = 10
_PIECE = 1 << 20
# A piece of an archive may unpack to thousands of times its size: so much is handed on at a time.
_MOST_AT_ONCE = 1 << 24
# Zstandard cannot be told how much to unpack. A block of 128 kB takes 4 bytes at least.
_ZSTD_PIECE = 1 << 9


class EndsEarlyError(Exception):
    """The archive ends before its last member does."""


def _gzip() -> Any:
    import zlib

    return zlib.decompressobj(wbits=31)


def _bz2() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _xz() -> Any:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ)


def _zstd() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


PACKED: dict[str, Callable[[], Any]] = {".gz": _gzip, ".bz2": _bz2, ".xz": _xz, ".zst": _zstd}


def compression_of(head: bytes) -> str | None:
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


def unpacked_pieces(content: Bytes, compression: str) -> Iterator[bytes]:
    """The text of all members of an archive, in pieces of bounded size."""
    start_member = PACKED[compression]
    stream, started = start_member(), False
    step = _ZSTD_PIECE if compression == ".zst" else _PIECE
    for start in range(0, len(content), step):
        piece = bytes(content[start : start + step])
        while piece:
            if not started:
                # Between members only padding may be.
                piece = piece.lstrip(b"\0")
                if not piece:
                    break
                started = True
            yield from _pieces(stream, piece, compression)
            piece = b""
            if stream.eof:
                piece = stream.unused_data
                stream, started = start_member(), False
    if started:
        raise EndsEarlyError


def _pieces(stream: Any, piece: bytes, compression: str) -> Iterator[bytes]:
    """What a piece unpacks to, up to the end of its member."""
    if compression == ".zst":
        yield stream.decompress(piece)
        return
    yield stream.decompress(piece, _MOST_AT_ONCE)
    if compression == ".gz":
        while stream.unconsumed_tail and not stream.eof:
            yield stream.decompress(stream.unconsumed_tail, _MOST_AT_ONCE)
    else:
        while not stream.needs_input and not stream.eof:
            yield stream.decompress(b"", _MOST_AT_ONCE)
