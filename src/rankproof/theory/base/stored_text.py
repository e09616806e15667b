"""JSON text of stored verdicts and proofs, read back as plain data."""

from __future__ import annotations

import json
from typing import Any

from rankproof.errors import ArgumentError, DataError

__all__ = ["plain_from_json"]


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
