"""Which form the data of a path have, by what is in it and not by its name.

>>> form_of_bytes(b"2 qid:1 1:0.5"), form_of_bytes(b"qid,label,bm25"), form_of_bytes(b"PAR1....PAR1")
('letor', 'delimited', 'parquet')
>>> form_of_bytes(b"q1 Q0 a 1 2.5 tag"), form_of_bytes(b"q1 0 a 2")
('run', 'qrels')
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from rankproof.errors import DataError, FileFormatError
from rankproof.files import STANDARD, StrPath, as_path, open_bytes, plain_name
from rankproof.files.unpack import LONGEST_MAGIC, compression_of, unpacked_pieces

__all__ = [
    "TABLES",
    "FormFile",
    "delimiter_of",
    "files_of",
    "form_of",
    "form_of_bytes",
    "head_of",
    "is_table",
]

# Forms with named columns; the others are LETOR text ("letor") and TREC files ("run", "qrels").
TABLES = ("delimited", "parquet", "arrow", "numpy")
DELIMITERS = (",", "\t", ";", "|")
_HEAD = 1 << 16
_MAGIC = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
    (b"\x93NUMPY", "numpy"),
    (b"PK\x03\x04", "numpy"),
    (b"PK\x05\x06", "numpy"),
)
# What a name promises that cannot be text.
_PROMISED = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npy": "NumPy",
    ".npz": "NumPy",
}
_LETOR = re.compile(rb"[^\s,;|]+[ \t]+(qid:|\d+:)")
_KEY = re.compile(r"([^=/]+)=(.*)")


@dataclass(frozen=True)
class FormFile:
    """One file of data; ``keys`` are the columns that the folders above it stand for (``fold=1``)."""

    path: StrPath
    form: str
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As the user wrote it, or below the folder that the user wrote."""
        return os.fspath(self.path)


def is_table(form: str) -> bool:
    """Whether data of this form have named columns."""
    return form in TABLES


def form_of_bytes(head: bytes) -> str:
    """The form of a file that starts with these bytes; what is nothing else is taken for LETOR text."""
    for magic, form in _MAGIC:
        if head.startswith(magic):
            return form
    line = _first_line(head)
    if _LETOR.match(line):
        return "letor"
    words = line.split()
    if len(words) == 6 and _is_number(words[3]) and _is_number(words[4]):
        return "run"
    if len(words) == 4 and _is_number(words[3]) and not any(mark.encode() in line for mark in ",;|"):
        return "qrels"
    if b"\0" not in line and any(mark.encode() in line for mark in DELIMITERS):
        return "delimited"
    return "letor"


def form_of(path: StrPath) -> str:
    """The form of the data of a file, or of all files in a folder."""
    return files_of(path)[0].form


def files_of(path: StrPath) -> list[FormFile]:
    """The file, or in order the files of a folder and of those in it; all of the same form.

    Names that start with a dot or an underscore are left out: other programs mark with them what is not data.
    """
    folder = as_path(path)
    if os.fspath(path) == STANDARD or not folder.is_dir():
        return [FormFile(path, _form_of_file(path))]
    files = [
        FormFile(place, _form_of_file(place), _keys(place.relative_to(folder)))
        for place in sorted(folder.rglob("*"))
        if place.is_file() and not any(part[0] in "._" for part in place.relative_to(folder).parts)
    ]
    if not files:
        raise DataError(
            f"Folder {str(path)!r} holds no data: no file in it whose name starts with neither a dot nor an "
            "underscore. Check the name."
        )
    first = files[0]
    for one in files:
        if one.form != first.form:
            raise DataError(
                f"Folder {str(path)!r} holds files of different forms: {first.name!r} is {first.form}, "
                f"{one.name!r} is {one.form}. Move what does not belong to it elsewhere."
            )
        if one.keys.keys() != first.keys.keys():
            raise DataError(
                f"Folder {str(path)!r} is not partitioned alike: {first.name!r} has the keys "
                f"{', '.join(first.keys) or 'none'}, {one.name!r} has {', '.join(one.keys) or 'none'}."
            )
    if not is_table(first.form):
        raise DataError(
            f"Folder {str(path)!r} holds text without named columns, such as {first.name!r}. "
            "Name the files one by one."
        )
    return files


def head_of(path: StrPath) -> bytes:
    """The first bytes of a file, unpacked; empty for a pipe, which could not be read again."""
    if os.fspath(path) == STANDARD:
        # What is peeked at can be read again, unless the stream is another than Python's own.
        stream: Any = getattr(sys.stdin, "buffer", None)
        head = bytes(stream.peek(LONGEST_MAGIC)[:_HEAD]) if hasattr(stream, "peek") else b""
    else:
        place = as_path(path)
        if not place.is_file():
            if not place.exists() or place.is_dir():
                # It says what is wrong with the name.
                open_bytes(path)
            return b""
        try:
            with place.open("rb") as file:
                head = file.read(_HEAD)
        except OSError:
            open_bytes(path)
            raise
    compression = compression_of(head[:LONGEST_MAGIC])
    if compression is None:
        return head
    try:
        return next(unpacked_pieces(head, compression), b"")[:_HEAD]
    except Exception:  # each format has its own error class; the reader says what is wrong
        return b""


def _form_of_file(path: StrPath) -> str:
    head = head_of(path)
    form = form_of_bytes(head)
    suffix = plain_name(path).suffix.lower()
    promised = _PROMISED.get(suffix)
    if promised is None or form in ("parquet", "arrow", "numpy"):
        return form
    if head.startswith(b"PARE"):
        raise FileFormatError(path, None, "the Parquet file is encrypted. Decrypt it first.")
    if head.startswith(b"FEA1"):
        raise FileFormatError(
            path, None, "this is version 1 of Feather, which is no longer read. Write it again as version 2."
        )
    if os.fspath(path) != STANDARD and not as_path(path).is_file():
        return form
    state = "is empty" if not head else f"does not start as {promised} data do"
    raise FileFormatError(
        path,
        None,
        f"the file {state}, though its name ends in {suffix}. Write or fetch it again if it is damaged, or "
        "take the suffix off if it is text.",
    )


def _first_line(head: bytes) -> bytes:
    """The first line with something in it that is no comment."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        text = line.strip(b" \r")
        if text and not text.startswith(b"#"):
            return text
    return b""


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _keys(place: PurePath) -> dict[str, str]:
    matches = [_KEY.fullmatch(part) for part in place.parts[:-1]]
    return {match[1]: match[2] for match in matches if match is not None}


def delimiter_of(head: bytes) -> str:
    """What stands between the names in the first line: the one that makes most columns.

    >>> delimiter_of(b"qid;label;f1,f2\\n1;0;3"), delimiter_of(b"qid\\tlabel\\n")
    (';', '\\t')
    """
    line = _first_line(head).decode("utf-8", "replace")
    return max(DELIMITERS, key=line.count)
