"""Where compiled kernels are kept: a folder that never holds stale code.

numba's own cache looks only at the file a function stands in. A kernel that calls one of another file would
go on using the old code when that other file changes, after an upgrade, say. So the folder is named after the
content of the kernel's file and of every kernel file it imports. (No numba here: asking is cheap.)
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
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
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    chosen = [Path(os.environ["NUMBA_CACHE_DIR"])] if os.environ.get("NUMBA_CACHE_DIR") else []
    for place in (*chosen, _HERE / "__pycache__", user / "rankproof"):
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def is_compiled(module: str) -> bool:
    """Whether an earlier process left compiled code of a kernel file behind."""
    folder = cache_folder(module)
    return folder is not None and any(folder.rglob("*.nbi"))


def _sources(module: str, sources: dict[str, bytes]) -> dict[str, bytes]:
    """The text of a kernel file and of those it imports, by name."""
    if module not in sources:
        sources[module] = (_HERE / f"{module.replace('.', '/')}.py").read_bytes()
        for other in _IMPORTED.findall(sources[module].decode()):
            _sources(other, sources)
    return sources
