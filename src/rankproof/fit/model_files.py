"""The files of a saved model: a directory with ``model.json`` and ``weights.npz``. Nothing is pickled.

The JSON holds the kind of model, its parameters and what it learnt beside arrays; the arrays lie in the npz
file, whose SHA-256 the JSON has, as well as its own. A model of an engine has the engine's own model file
beside them, guarded in the same way. A directory is written beside its place and then renamed into it, so a
crash leaves no half-written model. A file that is damaged, or of a later version, is refused with the reason.
Parameters are words and numbers; metrics and losses stand there in their printed form.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import ArgumentError, FileFormatError
from rankproof.files import draft_folder, read_whole, replace_folder, sha256_of_bytes

__all__ = [
    "VERSION",
    "FittedState",
    "ModelFiles",
    "read_model",
    "write_model",
]

FORMAT, VERSION = "rankproof model", 1
_JSON, _ARRAYS = "model.json", "weights.npz"


@dataclass(frozen=True, eq=False)
class FittedState:
    """What a ranker has learnt: plain data for JSON, arrays, and files of its own by name."""

    plain: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ModelFiles:
    """The content of a model directory."""

    path: Path
    kind: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    files: dict[str, bytes] = field(default_factory=dict)
    # Of all that model.json says, the digests of the other files among it.
    sha256: str = ""

    def wrong(self, what: str) -> FileFormatError:
        """The error for content that fits the format but not the model."""
        return FileFormatError(self.path / _JSON, None, f"{what} The file is damaged; save the model again.")


def write_model(
    path: str | PathLike[str],
    kind: str,
    parameters: Mapping[str, Any],
    state: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    files: Mapping[str, bytes] | None = None,
) -> None:
    """Write a model directory; one that is there is replaced, any other directory or file is left alone.

    ``files`` are files of the model's own, by name.
    """
    place = Path(path).absolute()
    # A link stays; the model is where it leads to, even if nothing is there yet.
    target = Path(os.path.realpath(place))
    if os.path.lexists(target) and not read_whole(target, _replaceable):
        raise ArgumentError(
            f"Cannot save a model to {str(place)!r}: it exists and is not a model. Choose another place."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    # Numbers only, so nothing is pickled; to forbid it by a word would store that word in numpy before 2.1.
    np.savez(packed, **dict(arrays))  # type: ignore[arg-type]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rankproof": version("rankproof"),
        "kind": kind,
        "parameters": dict(parameters),
        "state": dict(state),
        "arrays": sha256_of_bytes(packed.getvalue()),
    }
    if files:
        content["files"] = {name: sha256_of_bytes(raw) for name, raw in files.items()}
    content["sha256"] = _digest(content)
    with draft_folder(target) as fresh:
        for name, raw in {_ARRAYS: packed.getvalue(), **(files or {})}.items():
            (fresh / name).write_bytes(raw)
        (fresh / _JSON).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        replace_folder(fresh, target, last=_JSON)


def read_model(path: str | PathLike[str]) -> ModelFiles:
    """The content of a model directory, checked: format, version, both checksums.

    All of it is of one model, even when another is saved in its place at the same moment.
    """
    return read_whole(Path(path), _read_model)


def _read_model(folder: Path) -> ModelFiles:
    file = folder / _JSON
    if not file.is_file():
        raise FileFormatError(folder, None, f"there is no model here: a model is a directory with {_JSON}.")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FileFormatError(
            file, error.lineno, f"not JSON ({error.msg}). The file is damaged; save the model again."
        ) from None
    except UnicodeDecodeError:
        raise FileFormatError(
            file, None, "not UTF-8 text. The file is damaged; save the model again."
        ) from None
    except (RecursionError, ValueError):
        # Nested thousands of times, or a number of thousands of digits.
        raise FileFormatError(file, None, "not a model of rankproof: no model is nested so deeply.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFormatError(file, None, f"not a model of rankproof: its format must be {FORMAT!r}.")
    number = content.get("version")
    if isinstance(number, int) and number > VERSION:
        raise FileFormatError(
            file,
            None,
            f"written in format version {number} by rankproof {content.get('rankproof', '(unknown)')}; "
            f"this one reads up to version {VERSION}. Upgrade rankproof.",
        )
    digest = content.pop("sha256", None)
    if number != VERSION or digest != _digest(content):
        raise FileFormatError(
            file, None, "the checksum does not fit the content. The file is damaged or was edited."
        )
    arrays = _read_arrays(folder / _ARRAYS, content.get("arrays"))
    kind, parameters, state = (content.get(name) for name in ("kind", "parameters", "state"))
    if not (isinstance(kind, str) and isinstance(parameters, dict) and isinstance(state, dict)):
        raise FileFormatError(file, None, "kind, parameters or state are missing. The file is damaged.")
    files = _read_files(folder, content.get("files", {}))
    return ModelFiles(folder, kind, parameters, state, arrays, files, digest)


def _replaceable(target: Path) -> bool:
    if not target.is_dir():
        return False
    inside = {file.name for file in target.iterdir()}
    return not inside or (_JSON in inside and inside <= {_JSON, _ARRAYS, *_own_files(target / _JSON)})


def _own_files(file: Path) -> list[str]:
    """The files that a model says are its own; none when it cannot be read."""
    try:
        names = json.loads(file.read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return list(names) if isinstance(names, dict) else []


def _digest(content: Mapping[str, Any]) -> str:
    return sha256_of_bytes(json.dumps(content, sort_keys=True).encode())


def _read_arrays(file: Path, digest: object) -> dict[str, NDArray[Any]]:
    if not file.is_file():
        raise FileFormatError(file, None, "the arrays of the model are missing. Save the model again.")
    raw = file.read_bytes()
    if sha256_of_bytes(raw) != digest:
        raise _damaged(file)
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        raise _damaged(file) from None


def _read_files(folder: Path, digests: object) -> dict[str, bytes]:
    if not isinstance(digests, dict) or not all(Path(name).name == name for name in digests):
        raise FileFormatError(folder / _JSON, None, "its list of files is not one. The file is damaged.")
    contents = {}
    for name, digest in digests.items():
        file = folder / name
        if not file.is_file():
            raise FileFormatError(file, None, "this part of the model is missing. Save the model again.")
        contents[name] = file.read_bytes()
        if sha256_of_bytes(contents[name]) != digest:
            raise _damaged(file)
    return contents


def _damaged(file: Path) -> FileFormatError:
    return FileFormatError(file, None, "the file is damaged (its checksum is wrong). Save the model again.")
