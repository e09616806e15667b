"""JSON text of stored verdicts and proofs, read back as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rankproof.errors import ArgumentError, DataError

__all__ = ["check_format", "plain_from_json"]


def plain_from_json(text: str, what: str) -> Any:
    """The data of a JSON text that holds ``what``.

    >>> plain_from_json('{"items": 2}', "matrix")
    {'items': 2}
    >>> plain_from_json({"items": 2}, "matrix")
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: A matrix is read from JSON text, got dict. Use from_dict for plain data.
    """
    if not isinstance(text, str | bytes):
        raise ArgumentError(
            f"A {what} is read from JSON text, got {type(text).__name__}. Use from_dict for plain data."
        )
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f"The text of the {what} is not JSON: {error}.") from error


def check_format(plain: Any, what: str, name: str, version: int) -> None:
    """Raise `DataError` unless plain data says that it is of this format and version.

    >>> check_format({"format": "rankproof.law", "version": 7}, "law", "rankproof.law", 1)
    Traceback (most recent call last):
        ...
    rankproof.errors.DataError: This law was written in version 7 of the format, which is not known here:
    version 1. Use the rankproof that wrote it.
    """
    if not isinstance(plain, Mapping) or plain.get("format") != name:
        raise DataError(f"A stored {what} is a dict with format {name!r}, got {plain!r:.80}.")
    if plain.get("version") != version:
        raise DataError(
            f"This {what} was written in version {plain.get('version')!r} of the format, which is not known "
            f"here: version {version}. Use the rankproof that wrote it."
        )
