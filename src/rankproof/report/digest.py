"""The SHA-256 of files: whether a file is still what it was."""

from __future__ import annotations

import hashlib

from rankproof.data.open import StrPath, as_path
from rankproof.errors import DataError

__all__ = ["sha256_of"]


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
