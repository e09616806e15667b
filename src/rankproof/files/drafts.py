"""Drafts: files and folders under a temporary name, beside the place that they will be renamed into.

A draft is locked as long as the process that writes it lives, so that the next one that writes to the same
place can tell what a killed process left behind, and remove it.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["abandoned", "draft_name", "drafts_of", "empty_file", "held_draft", "locked", "remove", "sweep"]

# Where nothing can be locked (some network file systems, Windows), a draft this old is of nobody.
_ABANDONED_SECONDS = 24 * 3600.0
_LONGEST = 100


def draft_name(path: Path, kind: str = "tmp") -> Path:
    """A name beside ``path`` that nobody else uses."""
    return path.with_name(f".{path.name[:_LONGEST]}.{os.urandom(6).hex()}.{kind}")


def drafts_of(path: Path, kind: str = "tmp") -> list[Path]:
    """The drafts of ``path`` that lie beside it, those of others too."""
    pattern = re.compile(rf"\.{re.escape(path.name[:_LONGEST])}\.[0-9a-f]{{12}}\.{kind}")
    try:
        return sorted(one for one in path.parent.iterdir() if pattern.fullmatch(one.name))
    except OSError:
        return []


@contextmanager
def held_draft(place: Path, make: Callable[[Path], object]) -> Iterator[Path]:
    """A locked draft of ``place``, which is gone at the end unless it was renamed.

    What killed processes left beside the place is removed first.
    """
    sweep(place)
    handle = None
    draft = draft_name(place)
    try:
        while handle is None:
            draft = draft_name(place)
            make(draft)
            handle = _hold(draft)
        yield draft
    finally:
        if handle is not None:
            os.close(handle)
        remove(draft)


def empty_file(draft: Path) -> None:
    """Make an empty file; an error when something has this name."""
    draft.open("xb").close()


def _hold(draft: Path) -> int | None:
    """Lock a new draft; the lock lasts until `os.close` of what is returned, or the end of the process.

    None when another process took the draft for abandoned before it was locked, and removes it.
    """
    try:
        handle = os.open(draft, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        if _lock(handle) is not False and os.path.samestat(os.fstat(handle), draft.lstat()):
            return handle
    except FileNotFoundError:
        pass
    os.close(handle)
    return None


def _lock(handle: int) -> bool | None:
    """Whether nobody else has the lock, which is ours then; None where there are no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@contextmanager
def abandoned(draft: Path) -> Iterator[bool]:
    """Whether the process that wrote a draft is gone; in the block no other process can take the draft."""
    try:
        handle = os.open(draft, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        free = _lock(handle)
        yield time.time() - os.fstat(handle).st_mtime > _ABANDONED_SECONDS if free is None else free
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Nobody takes ``path`` for abandoned in this block, under whatever name it is then."""
    with abandoned(path):
        yield


def sweep(path: Path) -> None:
    """Remove the drafts of ``path`` that killed processes left behind."""
    for draft in drafts_of(path):
        with abandoned(draft) as of_nobody:
            if of_nobody:
                remove(draft)


def remove(path: Path) -> None:
    """Remove a file or a folder, as far as the system allows."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
