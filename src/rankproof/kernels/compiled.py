"""`kernel`: the one way a function is compiled, and a disk cache that never serves stale code.

numba's own cache looks only at the file a function stands in. A kernel that calls one of another file would
go on using the old code when that other file changes, after an upgrade, say. So the folder of the cache is
named after the content of the kernel's file and of every kernel file it imports.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

__all__ = ["kernel"]

_HERE = Path(__file__).parent
_IMPORTED = re.compile(r"^from rankproof\.kernels\.(\w+) import", re.MULTILINE)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function: without the GIL, cached on disk, never in parallel (threads are `pool`'s job)."""
    before = numba.config.CACHE_DIR
    folder = _cache_folder(Path(function.__code__.co_filename).stem)
    numba.config.CACHE_DIR = folder or ""
    try:
        return numba.njit(nogil=True, cache=folder is not None)(function)
    finally:
        numba.config.CACHE_DIR = before


def _sources(module: str, found: dict[str, bytes]) -> dict[str, bytes]:
    """The text of a kernel file and of those it imports, by name."""
    if module not in found:
        found[module] = (_HERE / f"{module}.py").read_bytes()
        for other in _IMPORTED.findall(found[module].decode()):
            _sources(other, found)
    return found


@cache
def _cache_folder(module: str) -> str | None:
    """A folder that can be written to, or None: then every process compiles for itself."""
    digest = hashlib.sha256()
    for name, text in sorted(_sources(module, {}).items()):
        digest.update(f"{name} {len(text)}\n".encode() + text)
    name = f"{module}-{digest.hexdigest()[:16]}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    chosen = [Path(os.environ["NUMBA_CACHE_DIR"])] if os.environ.get("NUMBA_CACHE_DIR") else []
    for place in (*chosen, _HERE / "__pycache__", user / "rankproof"):
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None
