"""Files of a run, all or none: every one is written beside its place first, then all are moved there.

An interrupt or a full disk leaves what was there before, never half a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from rankproof.errors import ArgumentError

__all__ = ["check_folder", "write_files"]


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Raise `ArgumentError` when ``folder`` cannot hold files; to be asked before the work, not after it."""
    path = Path(folder)
    first = next(p for p in (path, *path.absolute().parents) if p.exists())
    if not first.is_dir() or not os.access(first, os.W_OK):
        raise ArgumentError(f"Cannot write to {str(folder)!r}: {first} is not a directory one may write in.")


def write_files(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> list[Path]:
    """Write ``files`` (name to content) into ``folder``, which is made when missing; returns their paths."""
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    places = {root / name: root / f".{name}.{os.getpid()}.part" for name in files}
    try:
        for temporary, content in zip(places.values(), files.values(), strict=True):
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for place, temporary in places.items():
            temporary.replace(place)
    finally:
        for temporary in places.values():
            temporary.unlink(missing_ok=True)
    return list(places)
