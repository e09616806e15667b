"""The folder of a demonstration: whatever goes wrong, what was there before is there again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankproof.cli.trouble import writing
from rankproof.errors import ArgumentError

__all__ = ["MARK", "demo_folder", "replacing"]

MARK = "demo.json"
# All that a demonstration writes.
_NAMES = ("train.txt", "test.txt", "run", "report.html", MARK)


@contextmanager
def demo_folder(out: str) -> Iterator[Path]:
    """The folder, new or of an earlier demonstration; one with other things in it is left alone."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"--out must be a folder, and {out!r} is a file. Give another name.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ArgumentError(
            f"The folder {out!r} holds other things than an earlier demonstration. Give another name with "
            "--out."
        )
    if folder.is_dir() and not os.access(folder, os.W_OK):
        raise ArgumentError(f"The folder {out!r} may not be written to. Give another name with --out.")
    new = not folder.exists()
    with writing(out):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    except BaseException:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def replacing(folder: Path) -> Iterator[None]:
    """What an earlier demonstration left is put aside, and put back when the new one does not end well."""
    aside = folder / f".earlier.{os.urandom(6).hex()}.tmp"
    all_aside = False
    try:
        with writing(folder):
            aside.mkdir()
            _move(folder, aside)
        all_aside = True
        yield
    except BaseException:
        # Until all is put aside, what stands in the folder is of the earlier one too.
        for name in _NAMES if all_aside else ():
            _remove(folder / name)
        _move(aside, folder)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    for name in _NAMES:
        if os.path.lexists(source / name):
            (source / name).replace(target / name)
