"""The folder of a run: the model, and everything needed to know where its numbers come from.

``results.json`` says what was asked (settings, seed), of which data (files with their SHA-256), by which
versions, and what came out; beside it lie the files of the model, whose SHA-256 stand in it too. A run
appears when all of it is written. A folder that is not a run is never written to, and a run is replaced only
when that is asked for; files that somebody else put into it stay.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankproof.data.open import StrPath, as_path
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError

__all__ = [
    "RESULTS",
    "SCHEMA",
    "check_model",
    "check_run_folder",
    "data_facts",
    "is_run",
    "new_run",
    "read_run",
    "versions",
    "write_results",
]

SCHEMA = "rankproof.run/1"
RESULTS = "results.json"
_PACKAGES = ("rankproof", "numpy", "scipy", "numba", "scikit-learn")


# Looked up once: it searches the whole path.
_version = cache(version)


def versions(*more: str) -> dict[str, str]:
    """What the numbers depend on beside data and settings; ``more`` are packages that a model needs."""
    known = {name: _version(name) for name in (*_PACKAGES, *more)}
    return {**known, "python": platform.python_version(), "machine": platform.machine()}


def data_facts(paths: Sequence[StrPath], data: RankingData) -> dict[str, Any]:
    """The files of a data set as they lie on the disk, and what they hold."""
    return {
        "files": [{"path": str(path), "sha256": _sha256_if_file(Path(path))} for path in paths],
        "queries": data.queries,
        "items": data.items,
        "features": data.features,
    }


def is_run(path: StrPath) -> bool:
    """Whether a folder holds a run."""
    try:
        found = json.loads((Path(path) / RESULTS).read_bytes())
    except (OSError, ValueError):
        return False
    return (
        isinstance(found, dict) and str(found.get("schema")).startswith("rankproof.run/") and "model" in found
    )


def check_run_folder(path: StrPath, *, replace: bool = False) -> None:
    """Raise `ArgumentError` when a run must not, or cannot, be written to ``path``.

    To be asked before the work starts, not when it is done.
    """
    folder = as_path(path)
    if folder.is_dir():
        if not os.access(folder, os.W_OK):
            raise ArgumentError(f"Folder {str(path)!r} may not be written to by this user. Name another.")
        if is_run(folder):
            if not replace:
                raise ArgumentError(
                    f"Folder {str(path)!r} holds a run. Name another, or replace it with --force."
                )
        elif any(folder.iterdir()):
            raise ArgumentError(
                f"Folder {str(path)!r} is there, is not empty and holds no run of rankproof: "
                "it is left alone. Name another."
            )
        return
    if os.path.lexists(folder):
        raise ArgumentError(f"A run is a folder, and {str(path)!r} is a file. Name another.")
    above = folder.absolute().parent
    while not above.exists():
        above = above.parent
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise ArgumentError(f"Folder {str(path)!r} cannot be made: {str(above)!r} may not be written to.")


@contextmanager
def new_run(path: StrPath, *, replace: bool = False) -> Iterator[Path]:
    """An empty folder to write a model and its results to; they appear under ``path`` when all are written.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "run"
    >>> with new_run(place) as draft:
    ...     _ = (draft / "model.json").write_text("{}")
    ...     write_results(draft, {"metric": "nDCG@10"})
    ...     place.exists()
    False
    >>> sorted(file.name for file in place.iterdir())
    ['model.json', 'results.json']
    >>> read_run(place)["metric"]
    'nDCG@10'
    """
    check_run_folder(path, replace=replace)
    folder = as_path(path).absolute()
    draft = folder.with_name(f".{folder.name[:100]}.{os.urandom(6).hex()}.tmp")
    try:
        draft.mkdir(parents=True)
        yield draft
        if folder.exists():
            old = _model_files(folder) - {file.name for file in draft.iterdir()}
            # The results last: until then the SHA-256 in the old ones tells that the model is not theirs.
            for file in sorted(draft.iterdir(), key=lambda one: one.name == RESULTS):
                file.replace(folder / file.name)
            for name in old:
                (folder / name).unlink(missing_ok=True)
        else:
            draft.replace(folder)
    except OSError as error:
        raise DataError(f"Run {str(path)!r} cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _model_files(folder: Path) -> set[str]:
    """The files of the model that a run is about; another model may have others."""
    if not is_run(folder):
        return set()
    names = json.loads((folder / RESULTS).read_bytes())["model"]
    return {name for name in names if Path(name).name == name} if isinstance(names, dict) else set()


def write_results(folder: Path, facts: dict[str, Any]) -> None:
    """``results.json`` of a run whose model is already written."""
    files = sorted(file for file in folder.iterdir() if file.name != RESULTS)
    whole = {"schema": SCHEMA, **facts, "model": {file.name: _sha256(file) for file in files}}
    text = json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False)
    (folder / RESULTS).write_text(text + "\n", encoding="utf-8")


def read_run(path: StrPath) -> dict[str, Any]:
    """What ``results.json`` of a run says."""
    folder = as_path(path)
    if not folder.is_dir():
        raise DataError(f"Folder {str(path)!r} does not exist. Check the name.")
    if not is_run(folder):
        raise DataError(f"Folder {str(path)!r} holds no run: its {RESULTS} is missing or of another kind.")
    found: dict[str, Any] = json.loads((folder / RESULTS).read_bytes())
    if found["schema"] != SCHEMA:
        raise DataError(
            f"Run {str(path)!r} is of the form {found['schema']!r}, this version reads {SCHEMA!r}. "
            "Update rankproof."
        )
    return found


def check_model(path: StrPath) -> None:
    """Raise `DataError` when the model in a run folder is not the one that its results are about.

    A folder that holds a model alone, without results, passes.
    """
    folder = as_path(path)
    if not is_run(folder):
        return
    for name, digest in read_run(folder)["model"].items():
        file = folder / str(name)
        if not file.is_file():
            raise DataError(f"Run {str(path)!r} has lost {name}, a part of its model. Fit it again.")
        if _sha256(file) != digest:
            raise DataError(
                f"{str(file)!r} is not of the model that {RESULTS} beside it is about (another SHA-256). "
                "Fit it again."
            )


def _sha256_if_file(path: Path) -> str | None:
    """None for a pipe, which cannot be read twice."""
    return _sha256(path) if path.is_file() else None


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"File {str(path)!r} cannot be read: {error.strerror or error}.") from None
