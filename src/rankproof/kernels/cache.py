"""Where compiled kernels are kept: a folder that never holds stale code.

numba's own cache looks only at the file a function stands in. A kernel that calls one of another file would
go on using the old code when that other file changes, after an upgrade, say. So the folder is named after the
content of the kernel's file and of every kernel file it imports. (No numba here: asking is cheap.)
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = ["cache_folder", "is_compiled"]

_HERE = Path(__file__).parent
_IMPORTED = re.compile(r"^from rankproof\.kernels\.([\w.]+) import", re.MULTILINE)


@cache
def cache_folder(module: str) -> Path | None:
    """The folder of one kernel file (``"metrics.dcg"``), or None: no place can be written to, so every
    process compiles.
    """
    digest = hashlib.sha256()
    for name, text in sorted(_sources(module, {}).items()):
        digest.update(f"{name} {len(text)}\n".encode() + text)
    name = f"{module}-{digest.hexdigest()[:16]}"
    for place in _places():
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def _places() -> Iterator[Path]:
    """Where compiled code may be kept, the first choice first; never beside the installed package."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    if os.environ.get("XDG_CACHE_HOME"):
        yield Path(os.environ["XDG_CACHE_HOME"]) / "rankproof"
    # A user without a name, as in a container that runs under any number, has no home.
    with suppress(RuntimeError):
        yield Path.home() / ".cache" / "rankproof"
    own = _own_temporary()
    if own is not None:
        yield own


def _own_temporary() -> Path | None:
    """A temporary folder that nobody else can write to: what is in it will be run."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"rankproof-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    private = stat.S_ISDIR(status.st_mode) and not stat.S_IMODE(status.st_mode) & 0o077
    return folder if private and status.st_uid == os.getuid() else None


def is_compiled(module: str) -> bool:
    """Whether an earlier process left compiled code of a kernel file behind."""
    folder = cache_folder(module)
    return folder is not None and any(folder.glob("*.kernel"))


def _sources(module: str, sources: dict[str, bytes]) -> dict[str, bytes]:
    """The text of a kernel file and of those it imports, by name."""
    if module not in sources:
        sources[module] = (_HERE / f"{module.replace('.', '/')}.py").read_bytes()
        for other in _IMPORTED.findall(sources[module].decode()):
            _sources(other, sources)
    return sources
