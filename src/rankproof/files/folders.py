"""Folders that are written whole: a draft beside the place, which then takes the place in one step.

Where the system can exchange two names at once (Linux, macOS; most file systems), there is no moment without
the folder. Elsewhere the earlier folder is put aside first; should the process be killed at that very moment,
readers find it there, and the next writer puts it back. A link to a folder stays a link: the folder that it
leads to is replaced. The new folder has the mode, and where possible the group, of the one it replaces.

A reader opens one file after another, while the folder may be replaced: `read_whole` reads again what was
replaced in the meantime, so that nothing is ever put together from two versions.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from rankproof.files.drafts import abandoned, draft_name, drafts_of, held_draft, locked, remove, sweep

__all__ = ["draft_folder", "read_whole", "replace_folder", "set_aside"]

T = TypeVar("T")

# Of renameat2 (Linux) and renamex_np (macOS): exchange the two names.
_EXCHANGE = 2
# The system, or the file system, cannot exchange names.
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
# Not this folder: it is a mount point, or the one above it may not be written to.
_NOT_THIS = {errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS}
# The name of an earlier folder while the new one takes its place.
_ASIDE = "old"
_LOOKS = 20


@contextmanager
def draft_folder(place: Path) -> Iterator[Path]:
    """An empty folder beside ``place``, which is gone at the end unless it was renamed.

    It is in ``place`` itself where there can be none beside it, as for a mount point.
    """
    place = _real(place)
    put_back(place)
    base = _base(place)
    base.parent.mkdir(parents=True, exist_ok=True)
    with held_draft(base, Path.mkdir) as draft:
        if base == place:
            # Already now, since files may get the group of the folder that they are made in.
            _take_after(draft, place, 0o700)
        yield draft


def _real(place: Path) -> Path:
    """Where the links of a path lead; a folder is renamed there, not the link."""
    return Path(os.path.realpath(place))


def _take_after(draft: Path, place: Path, least: int = 0) -> None:
    """Give a draft the group and mode of the folder in its place, and the rights ``least`` for us."""
    with suppress(OSError):
        status = place.stat()
        if not stat.S_ISDIR(status.st_mode):
            return
        if hasattr(os, "chown") and draft.stat().st_gid != status.st_gid:
            with suppress(OSError):
                os.chown(draft, -1, status.st_gid)
        draft.chmod(stat.S_IMODE(status.st_mode) | least)


def _base(place: Path) -> Path:
    if place.is_dir() and (os.path.ismount(place) or not os.access(place.parent, os.W_OK)):
        return place / "draft"
    return place


def replace_folder(draft: Path, place: Path, *, last: str, ours: Collection[str] | None = None) -> None:
    """Put a draft in the place of a folder.

    Parameters
    ----------
    draft, place
        The draft, of `draft_folder`, and the place.
    last
        The file without which the folder means nothing.
    ours
        The names of which those that the draft does not have are dropped; what others have put into the
        folder stays. None: everything in the folder is ours.
    """
    place = _real(place)
    if draft.parent == place or _is_working_directory(place):
        _fill(draft, place, last, ours)
        return
    strange = None if ours is None else _Strangers(draft, place, ours)
    while True:
        try:
            if read_whole(place, _is_free):
                _take_after(draft, place)
                _appear(draft, place)
                return
            # The old folder is locked as a draft is, so that nobody removes it before we have done with it.
            with locked(place):
                if strange is not None:
                    strange.bring()
                _take_after(draft, place)
                _exchange(draft, place)
                if strange is not None:
                    # What was put into the old folder at the last moment.
                    with suppress(FileNotFoundError):
                        strange.bring(late=True)
            return
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST) and draft.is_dir():
                # Another process replaced the folder at the same moment.
                continue
            if error.errno not in _NOT_THIS:
                raise
        _fill(draft, place, last, ours)
        return


class _Strangers:
    """Files and folders that somebody else put into a folder, brought into its next version."""

    def __init__(self, draft: Path, place: Path, ours: Collection[str]) -> None:
        self.draft, self.place, self.ours = draft, place, set(ours)
        self.written = {one.name for one in draft.iterdir()}

    def bring(self, *, late: bool = False) -> None:
        """Before the exchange from place to draft; afterwards the draft is the old folder."""
        old, new = (self.draft, self.place) if late else (self.place, self.draft)
        for name in [one.name for one in old.iterdir()]:
            if name in self.ours or name in self.written or os.path.lexists(new / name):
                continue
            if (old / name).is_dir() and not (old / name).is_symlink():
                shutil.copytree(old / name, new / name, symlinks=True, copy_function=_link)
            else:
                _link(old / name, new / name)


def _link(source: Any, target: Any) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _is_working_directory(place: Path) -> bool:
    """A shell that is in the folder would stay in the old one; so the files are moved into this one."""
    with suppress(OSError):
        return place.samefile(os.curdir)
    return False


def _is_free(place: Path) -> bool:
    return not place.is_dir() or not any(place.iterdir())


def _appear(draft: Path, place: Path) -> None:
    """Take a free place; an error when another process has taken it."""
    if os.name == "nt" and place.is_dir():
        place.rmdir()
    draft.rename(place)


def _fill(draft: Path, place: Path, last: str, ours: Collection[str] | None) -> None:
    """Move the files of a draft into a folder, ``last`` after the others."""
    written = sorted(draft.iterdir(), key=lambda one: one.name == last)
    for file in written:
        if file.is_dir():
            remove(place / file.name)
        file.replace(place / file.name)
    names = {file.name for file in written} | {draft.name}
    for name in ({one.name for one in place.iterdir()} if ours is None else set(ours)) - names:
        remove(place / name)


def _exchange(draft: Path, place: Path) -> None:
    """Exchange two folders, at once where the system can."""
    exchange = _system_exchange()
    if exchange is not None:
        failed = exchange(os.fsencode(draft), os.fsencode(place))
        if not failed:
            return
        if failed not in _CANNOT:
            raise OSError(failed, os.strerror(failed), str(place))
    aside = draft_name(place, _ASIDE)
    place.rename(aside)
    try:
        draft.rename(place)
    except OSError:
        try:
            aside.rename(place)
        except OSError:
            # Another process has put a folder there.
            _discard(aside, place)
        raise
    # From here on a draft, which will be removed, unless another process has done so.
    with suppress(FileNotFoundError):
        aside.rename(draft)


@cache
def _system_exchange() -> Callable[[bytes, bytes], int] | None:
    """A function of two paths that exchanges them and returns the number of the error, 0 for none."""
    here = -100  # AT_FDCWD
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            mac = library.renamex_np
            return lambda a, b: ctypes.get_errno() if mac(a, b, ctypes.c_uint(_EXCHANGE)) else 0
        linux = library.renameat2
        return lambda a, b: ctypes.get_errno() if linux(here, a, here, b, ctypes.c_uint(_EXCHANGE)) else 0
    return None


def _found(place: Path) -> Path | None:
    """``place``, or the folder that was there when a process has put it aside; None when there is neither."""
    # Between the two looks others may rename; that they do so every time is out of the question.
    for _ in range(_LOOKS):
        if place.exists():
            return place
        kept = drafts_of(_real(place), _ASIDE)
        if kept:
            return kept[-1]
    return None


def put_back(place: Path) -> None:
    """What a killed process has put aside is back in its place, or removed when a new folder is there."""
    for aside in drafts_of(place, _ASIDE):
        with abandoned(aside) as of_nobody, suppress(OSError):
            if of_nobody and not os.path.lexists(place):
                aside.rename(place)
            elif of_nobody:
                _discard(aside, place)


def _discard(aside: Path, place: Path) -> None:
    """Remove a folder that was put aside; half of it must not be found by a reader."""
    draft = draft_name(place)
    with suppress(FileNotFoundError):
        aside.rename(draft)
    remove(draft)


def read_whole(place: Path, read: Callable[[Path], T]) -> T:
    """``read(folder)``, from one version of the folder even when it is replaced meanwhile."""
    failed = None
    while True:
        folder = _found(place)
        if folder is None:
            return read(place)
        with _kept(folder) as before:
            try:
                result = read(folder)
            except Exception:
                # One folder that fails twice is damaged; once, it may just have been renamed and back.
                now = (folder, before)
                if before is not None and _now(place) == before and failed == now:
                    raise
                failed = now
            else:
                if before is not None and _now(place) == before:
                    return result


def _now(place: Path) -> tuple[int, int] | None:
    folder = _found(place)
    return None if folder is None else _identity(folder)


@contextmanager
def _kept(folder: Path) -> Iterator[tuple[int, int] | None]:
    """The identity of a folder, which no other folder gets while this block lasts."""
    handle = None
    # Folders cannot be opened on Windows; there a number is not given again so soon.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
    try:
        if handle is None:
            yield _identity(folder)
        else:
            status = os.fstat(handle)
            yield status.st_dev, status.st_ino
    finally:
        if handle is not None:
            os.close(handle)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


# What is put aside, and the same once nobody needs it any more.
_EARLIER, _DONE = "earlier", "done"


@contextmanager
def set_aside(folder: Path, names: Collection[str]) -> Iterator[None]:
    """Put files and folders of these names aside; they come back when the block does not end well.

    When the process is killed, the next call brings them back before it begins.
    """
    _bring_back(folder, names)
    sweep(folder / _DONE)
    with held_draft(folder / _EARLIER, Path.mkdir) as aside:
        complete = False
        try:
            _move(folder, aside, names)
            complete = True
            yield
        except BaseException:
            # Until all is put aside, what is in the folder is of the earlier time too.
            for name in names if complete else ():
                remove(folder / name)
            _move(aside, folder, names)
            raise
        # From this moment on it is not brought back: a part of it may be gone when the process is killed.
        done = draft_name(folder / _DONE)
        aside.rename(done)
        remove(done)


def _bring_back(folder: Path, names: Collection[str]) -> None:
    for aside in drafts_of(folder / _EARLIER):
        with abandoned(aside) as of_nobody:
            if of_nobody:
                for name in [one.name for one in aside.iterdir()]:
                    remove(folder / name)
                _move(aside, folder, names)
                remove(aside)


def _move(source: Path, target: Path, names: Collection[str]) -> None:
    for name in names:
        if os.path.lexists(source / name):
            (source / name).replace(target / name)
