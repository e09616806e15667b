"""Models on disk: a directory with ``model.json`` and ``weights.npz``. Nothing is pickled.

The JSON holds the kind of model, its parameters and what it learnt beside arrays; the arrays lie in the npz
file, whose SHA-256 the JSON has, as well as its own. A model of an engine has the engine's own model file
beside them, guarded in the same way. A directory is written beside its place and then renamed into it, so a
crash leaves no half-written model. A file that is damaged, or of a later version, is refused with the reason.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import uuid
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import ArgumentError, FileFormatError, RankproofError
from rankproof.fit.saved_parameters import as_text, from_text, printed

__all__ = ["VERSION", "Saved", "load_model", "read_model", "save_model", "write_model"]

FORMAT, VERSION = "rankproof model", 1
_JSON, _ARRAYS = "model.json", "weights.npz"
# Kind -> the word in the name of its module, saved_WORD, which has two functions: `parts` takes a fitted
# ranker apart into state, arrays and files; `restore` makes one from what was saved and the parameters.
_KINDS = {
    "LinearRanker": "linear",
    "LinearRankerCV": "linear",
    "BoostedRanker": "boosted",
    "NeuralRanker": "neural",
}


@dataclass(frozen=True, eq=False)
class Saved:
    """What a model directory holds."""

    path: Path
    kind: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    files: dict[str, bytes] = field(default_factory=dict)

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
    target = Path(path).absolute()
    if target.exists() and not _replaceable(target):
        raise ArgumentError(
            f"Cannot save a model to {str(target)!r}: it exists and is not a model. Choose another place."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **dict(arrays))
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rankproof": version("rankproof"),
        "kind": kind,
        "parameters": dict(parameters),
        "state": dict(state),
        "arrays": hashlib.sha256(packed.getvalue()).hexdigest(),
    }
    if files:
        content["files"] = {name: hashlib.sha256(raw).hexdigest() for name, raw in files.items()}
    content["sha256"] = _digest(content)
    mark = uuid.uuid4().hex
    fresh = target.with_name(f".{target.name}.new-{mark}")
    fresh.mkdir()
    try:
        for name, raw in {_ARRAYS: packed.getvalue(), **(files or {})}.items():
            (fresh / name).write_bytes(raw)
        (fresh / _JSON).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        _put_in_place(fresh, target, target.with_name(f".{target.name}.old-{mark}"))
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _put_in_place(fresh: Path, target: Path, aside: Path) -> None:
    """Rename a directory to ``target``; what is there is put aside first, and back when that fails."""
    if not target.exists():
        fresh.rename(target)
        return
    target.rename(aside)
    try:
        fresh.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside)


def read_model(path: str | PathLike[str]) -> Saved:
    """The content of a model directory, checked: format, version, both checksums."""
    folder = Path(path)
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
    if number != VERSION or content.pop("sha256", None) != _digest(content):
        raise FileFormatError(
            file, None, "the checksum does not fit the content. The file is damaged or was edited."
        )
    arrays = _read_arrays(folder / _ARRAYS, content.get("arrays"))
    kind, parameters, state = (content.get(name) for name in ("kind", "parameters", "state"))
    if not (isinstance(kind, str) and isinstance(parameters, dict) and isinstance(state, dict)):
        raise FileFormatError(file, None, "kind, parameters or state are missing. The file is damaged.")
    return Saved(folder, kind, parameters, state, arrays, _read_files(folder, content.get("files", {})))


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted ranker into the directory ``path``."""
    kind = type(model).__name__
    if kind not in _KINDS:
        raise ArgumentError(f"Models that can be saved are {', '.join(_KINDS)}, got a {kind}.")
    names = getattr(model, "feature_names_in_", None)
    state, arrays, files = _module(kind).parts(model)
    shared = {
        "features": model.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "loss": printed(kind, "loss_", model.loss_),
    }
    parameters = {name: as_text(kind, name, value) for name, value in model.get_params(deep=False).items()}
    write_model(path, kind, parameters, {**shared, **state}, arrays, files)


def load_model(path: str | PathLike[str]) -> Any:
    """The fitted model that ``save`` wrote into the directory ``path``."""
    from rankproof.losses.parse import loss as parse_loss

    saved = read_model(path)
    if saved.kind not in _KINDS:
        raise saved.wrong(f"unknown kind of model {saved.kind!r}; known: {', '.join(_KINDS)}.")
    try:
        model = _module(saved.kind).restore(saved, from_text(saved.parameters))
        model.n_features_in_, names = int(saved.state["features"]), saved.state["feature_names"]
        model.loss_ = parse_loss(saved.state["loss"])
    # These say themselves what is wrong; a loss of one's own, say, that is not registered here.
    except RankproofError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise saved.wrong(f"a part of the model is missing or of a wrong kind: {error}.") from None
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _module(kind: str) -> Any:
    return import_module(f"rankproof.fit.saved_{_KINDS[kind]}")


def _replaceable(target: Path) -> bool:
    if not target.is_dir() or target.is_symlink():
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
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _read_arrays(file: Path, digest: object) -> dict[str, NDArray[Any]]:
    if not file.is_file():
        raise FileFormatError(file, None, "the arrays of the model are missing. Save the model again.")
    raw = file.read_bytes()
    if hashlib.sha256(raw).hexdigest() != digest:
        raise _damaged(file)
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        raise _damaged(file) from None


def _read_files(folder: Path, digests: object) -> dict[str, bytes]:
    if not isinstance(digests, dict) or not all(Path(name).name == name for name in digests):
        raise FileFormatError(folder / _JSON, None, "its list of files is not one. The file is damaged.")
    found = {}
    for name, digest in digests.items():
        file = folder / name
        if not file.is_file():
            raise FileFormatError(file, None, "this part of the model is missing. Save the model again.")
        found[name] = file.read_bytes()
        if hashlib.sha256(found[name]).hexdigest() != digest:
            raise _damaged(file)
    return found


def _damaged(file: Path) -> FileFormatError:
    return FileFormatError(file, None, "the file is damaged (its checksum is wrong). Save the model again.")
