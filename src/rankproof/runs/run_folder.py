"""The folder of a run: the model, and everything needed to know where its numbers come from.

``results.json`` says what was asked (settings, seed), of which data (files with their SHA-256), by which
versions, and what came out; beside it lie the files of the model, whose SHA-256 stand in it too. A run
appears when all of it is written. A folder that is not a run is never written to, and a run is replaced only
when that is asked for; files that somebody else put into it stay.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rankproof.data.forms.columns import TakenColumns
from rankproof.data.forms.digest import digest_of
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.files import StrPath, as_path, draft_folder, read_whole, replace_folder, sha256_of

__all__ = [
    "CARD",
    "CARD_TEXT",
    "RESULTS",
    "SCHEMA",
    "VERDICT",
    "as_json",
    "check_model",
    "check_run_folder",
    "data_facts",
    "is_run",
    "new_run",
    "read_run",
    "write_results",
]

SCHEMA = "rankproof.run/1"
RESULTS = "results.json"
# Of the model card, and the verdict that it cites.
CARD, CARD_TEXT, VERDICT = "card.json", "card.md", "verdict.json"
_CARDS = (CARD, CARD_TEXT, VERDICT)


def data_facts(
    paths: Sequence[StrPath], data: RankingData, columns: TakenColumns | None = None
) -> dict[str, Any]:
    """The files of a data set as they lie on the disk, what they hold, and of tables the columns taken."""
    return {
        "files": [{"path": str(path), "sha256": digest_of(path)} for path in paths],
        "queries": data.queries,
        "items": data.items,
        "features": data.features,
        **({} if columns is None else {"columns": columns.to_dict()}),
    }


def is_run(path: StrPath) -> bool:
    """Whether a folder holds a run."""
    try:
        results = json.loads((Path(path) / RESULTS).read_bytes())
    except (OSError, ValueError):
        return False
    return (
        isinstance(results, dict)
        and str(results.get("schema")).startswith("rankproof.run/")
        and "model" in results
    )


def check_run_folder(path: StrPath, *, replace: bool = False, way: str = "replace=True") -> None:
    """Raise `ArgumentError` when a run must not, or cannot, be written to ``path``.

    To be asked before the work starts, not when it is done. ``way`` is how the user asks for a replacement.
    """
    folder = as_path(path)
    if folder.is_dir():
        if not os.access(folder, os.W_OK):
            raise ArgumentError(f"Folder {str(path)!r} is not writable. Choose another.")
        _try_to_write(folder.absolute().parent, path)
        if is_run(folder):
            if not replace:
                raise ArgumentError(
                    f"Folder {str(path)!r} already contains a run. Choose another folder, or replace it "
                    f"with {way}."
                )
        elif any(folder.iterdir()):
            raise ArgumentError(
                f"Folder {str(path)!r} is not empty and holds no run of rankproof, so it is left alone. "
                "Choose another folder."
            )
        return
    if os.path.lexists(folder):
        raise ArgumentError(f"A run is a folder, but {str(path)!r} is a file. Choose another name.")
    above = folder.absolute().parent
    while not above.exists():
        above = above.parent
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise ArgumentError(f"Folder {str(path)!r} cannot be made: {str(above)!r} is not writable.")
    _try_to_write(above, path)


def _try_to_write(above: Path, path: StrPath) -> None:
    """Raise `ArgumentError` when no folder can be made in ``above``: rights alone do not say so."""
    try:
        with draft_folder(above / "rankproof"):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(
            f"Folder {str(path)!r} cannot be written: no folder can be made in {str(above)!r} ({reason}). "
            "Choose another."
        ) from None


@contextmanager
def new_run(path: StrPath, *, replace: bool = False) -> Iterator[Path]:
    """An empty folder to write a model and its results to; they appear under ``path`` when all are written.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "run"
    >>> with new_run(place) as draft:
    ...     _ = (draft / "model.json").write_text("{}")
    ...     _ = write_results(draft, {"metric": "nDCG@10"})
    ...     place.exists()
    False
    >>> sorted(file.name for file in place.iterdir())
    ['model.json', 'results.json']
    >>> read_run(place)["metric"]
    'nDCG@10'
    """
    check_run_folder(path, replace=replace)
    folder = as_path(path).absolute()
    try:
        with draft_folder(folder) as draft:
            yield draft
            # One who sees the results sees the model that they are about.
            replace_folder(draft, folder, last=RESULTS, ours={RESULTS, *_CARDS, *_model_files(folder)})
    except OSError as error:
        raise DataError(f"Run {str(path)!r} cannot be written: {error.strerror or error}.") from None


def _model_files(folder: Path) -> set[str]:
    """The files of the model that a run is about; another model may have others."""
    if not is_run(folder):
        return set()
    names = json.loads((folder / RESULTS).read_bytes())["model"]
    return {name for name in names if Path(name).name == name} if isinstance(names, dict) else set()


def as_json(facts: Mapping[str, Any]) -> str:
    """The text of a ``results.json``."""
    return json.dumps(facts, ensure_ascii=False, indent=2, allow_nan=False)


def write_results(folder: Path, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write ``results.json`` of a run whose model is already written, and return what it says."""
    files = sorted(file for file in folder.iterdir() if file.name != RESULTS)
    whole = {"schema": SCHEMA, **facts, "model": {file.name: sha256_of(file) for file in files}}
    text = as_json(whole)
    (folder / RESULTS).write_text(text + "\n", encoding="utf-8")
    said: dict[str, Any] = json.loads(text)
    return said


def read_run(path: StrPath) -> dict[str, Any]:
    """What ``results.json`` of a run says."""
    return read_whole(as_path(path), _read_run)


def _read_run(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise DataError(f"Folder {str(folder)!r} does not exist. Check the name.")
    if not is_run(folder):
        raise DataError(f"Folder {str(folder)!r} holds no run: its {RESULTS} is missing or of another kind.")
    results: dict[str, Any] = json.loads((folder / RESULTS).read_bytes())
    if results["schema"] != SCHEMA:
        raise DataError(
            f"Run {str(folder)!r} is of the form {results['schema']!r}, this version reads {SCHEMA!r}. "
            "Update rankproof."
        )
    return results


def check_model(path: StrPath) -> None:
    """Raise `DataError` when the model in a run folder is not the one that its results are about.

    A folder that holds a model alone, without results, passes.
    """
    read_whole(as_path(path), _check_model)


def _check_model(folder: Path) -> None:
    if not is_run(folder):
        return
    for name, digest in _read_run(folder)["model"].items():
        file = folder / str(name)
        if not file.is_file():
            raise DataError(
                f"Run {str(folder)!r} is incomplete: {name}, a part of its model, is missing. Fit it again."
            )
        if sha256_of(file) != digest:
            raise DataError(
                f"{str(file)!r} does not belong to the model described in {RESULTS}: its SHA-256 differs. "
                "Fit it again."
            )
