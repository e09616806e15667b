"""Universal Binary JSON, as far as XGBoost writes it (ubjson.org, draft 12)."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError

__all__ = ["parse_ubjson"]

_NUMBERS = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q", "d": ">f", "D": ">d"}
_MOST_LEVELS = 64


def parse_ubjson(raw: bytes) -> Any:
    """The value that the bytes hold; typed arrays come as arrays of numpy.

    >>> parse_ubjson(b"{i\\x01aSi\\x02hii\\x01b[$d#i\\x02" + b"\\x3f\\x80\\x00\\x00" * 2 + b"}")
    {'a': 'hi', 'b': array([1., 1.], dtype=float32)}
    """
    try:
        value, end = _value(raw, 1, chr(raw[0]), 0)
    except (IndexError, struct.error, UnicodeDecodeError, ValueError) as error:
        raise ArgumentError(f"The file is not binary JSON, or it is cut off ({error}).") from None
    if end != len(raw):
        raise ArgumentError(f"The file has {len(raw) - end} bytes after its end.")
    return value


def _number(raw: bytes, at: int, kind: str) -> tuple[Any, int]:
    form = _NUMBERS[kind]
    size = struct.calcsize(form)
    return struct.unpack(form, raw[at : at + size])[0], at + size


def _length(raw: bytes, at: int) -> tuple[int, int]:
    kind = chr(raw[at])
    if kind not in "iUIlL":
        raise ValueError(f"a length of type {kind!r}")
    size, at = _number(raw, at + 1, kind)
    if not 0 <= size <= len(raw):
        raise ValueError(f"a length of {size}")
    return int(size), at


def _text(raw: bytes, at: int) -> tuple[str, int]:
    size, at = _length(raw, at)
    if at + size > len(raw):
        raise ValueError("a text that goes on after the end")
    return raw[at : at + size].decode("utf-8"), at + size


def _value(raw: bytes, at: int, kind: str, level: int) -> tuple[Any, int]:
    if level > _MOST_LEVELS:
        raise ValueError("nested too deeply")
    if kind in _NUMBERS:
        return _number(raw, at, kind)
    if kind in "SH":
        return _text(raw, at)
    if kind in "TFZ":
        return {"T": True, "F": False, "Z": None}[kind], at
    if kind == "C":
        return chr(raw[at]), at + 1
    if kind == "[":
        return _array(raw, at, level)
    if kind == "{":
        return _object(raw, at, level)
    raise ValueError(f"an unknown type {kind!r}")


def _counted(raw: bytes, at: int) -> tuple[str | None, int | None, int]:
    kind, count = None, None
    if raw[at : at + 1] == b"$":
        kind, at = chr(raw[at + 1]), at + 2
    if raw[at : at + 1] == b"#":
        count, at = _length(raw, at + 1)
    return kind, count, at


def _array(raw: bytes, at: int, level: int) -> tuple[Any, int]:
    kind, count, at = _counted(raw, at)
    if kind in _NUMBERS and count is not None:
        form = np.dtype(_NUMBERS[kind])
        end = at + count * form.itemsize
        if end > len(raw):
            raise ValueError("an array that goes on after the end")
        return np.frombuffer(raw[at:end], form).astype(form.newbyteorder("=")), end
    values: list[Any] = []
    while raw[at : at + 1] != b"]" if count is None else len(values) < count:
        entry = kind
        if entry is None:
            entry, at = chr(raw[at]), at + 1
        value, at = _value(raw, at, entry, level + 1)
        values.append(value)
    return values, at + (count is None)


def _object(raw: bytes, at: int, level: int) -> tuple[dict[str, Any], int]:
    kind, count, at = _counted(raw, at)
    values: dict[str, Any] = {}
    while raw[at : at + 1] != b"}" if count is None else len(values) < count:
        name, at = _text(raw, at)
        entry = kind
        if entry is None:
            entry, at = chr(raw[at]), at + 1
        values[name], at = _value(raw, at, entry, level + 1)
    return values, at + (count is None)
