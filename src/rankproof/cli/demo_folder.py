"""The folder of a demonstration: whatever goes wrong, what was there before is there again.

A mark is the first thing in the folder and stays there, so that a killed demonstration can be repeated.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rankproof.errors import ArgumentError
from rankproof.files import set_aside, write_bytes, writing

__all__ = ["MARK", "demo_folder", "replacing"]

MARK = "demo.json"
# All that a demonstration writes beside its mark.
_NAMES = ("train.txt", "test.txt", "run", "report.html")


@contextmanager
def demo_folder(out: str) -> Iterator[Path]:
    """The folder, new or of an earlier demonstration; one with other things in it is left alone."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"--out must be a folder, but {out!r} is a file. Choose another name.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ArgumentError(
            f"The folder {out!r} contains files that are not from an earlier demo. Choose another folder "
            "with --out."
        )
    if folder.is_dir() and not os.access(folder, os.W_OK):
        raise ArgumentError(f"The folder {out!r} is not writable. Choose another folder with --out.")
    new = not folder.exists()
    unmarked = not (folder / MARK).exists()
    try:
        with writing(out):
            folder.mkdir(parents=True, exist_ok=True)
        if unmarked:
            write_bytes(folder / MARK, b"{}\n")
        yield folder
    except BaseException:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        elif unmarked:
            (folder / MARK).unlink(missing_ok=True)
        raise


@contextmanager
def replacing(folder: Path) -> Iterator[None]:
    """What an earlier demonstration left is put aside, and put back when the new one does not end well."""
    with ExitStack() as aside:
        with writing(folder):
            aside.enter_context(set_aside(folder, _NAMES))
        yield
