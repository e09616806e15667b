"""The folder of a search: every finished trial is a line of ``trials.jsonl``, so nothing is done twice.

The first line says what is searched: settings, versions, a digest of the data. A search continues only under
the same; anything else would compare numbers that cannot be compared. A last line that was cut off by a crash
is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, FileFormatError
from rankproof.files import StrPath, as_path, sha256_of_bytes, write_bytes, writing
from rankproof.runs.trials import Trial

__all__ = ["SCHEMA", "TRIALS", "Search", "check_search_folder", "digest"]

SCHEMA = "rankproof.tune/1"
TRIALS = "trials.jsonl"


def digest(data: RankingData) -> str:
    """SHA-256 of what a data set holds: labels, queries, features."""
    parts: list[NDArray[Any]] = [data.labels, data.offsets]
    if isinstance(data.X, np.ndarray):
        parts.append(data.X)
    elif data.X is not None:
        parts += [data.X.data, data.X.indices, data.X.indptr]
    kinds = [f"{part.dtype}{part.shape}".encode() for part in parts]
    return sha256_of_bytes(
        *(piece for kind, part in zip(kinds, parts, strict=True) for piece in (kind, _bytes_of(part)))
    )


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).data


def check_search_folder(path: StrPath) -> None:
    """Raise `ArgumentError` when a folder is of something else; to be asked before the work starts."""
    folder = as_path(path)
    if os.path.lexists(folder) and not folder.is_dir():
        raise ArgumentError(f"A search is a folder, but {str(path)!r} is a file. Choose another name.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / TRIALS).is_file():
        raise ArgumentError(
            f"Folder {str(path)!r} is not empty and holds no search ({TRIALS}), so it is left alone. "
            "Choose another folder."
        )


class Search:
    """The trials of a folder, those that are there already and those that are added; or of memory alone."""

    def __init__(self, path: StrPath | None, about: Mapping[str, Any]) -> None:
        """Open a search, or begin one; None keeps it in memory.

        Raises `ArgumentError` when the one there is about something else.
        """
        # What JSON makes of it: lists for tuples.
        self.about: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, **about}))
        self.trials: dict[int, Trial] = {}
        self.file = None if path is None else as_path(path) / TRIALS
        if path is None or self.file is None:
            return
        check_search_folder(path)
        if self.file.is_file():
            self._read(self.file)
            return
        with writing(path):
            self.file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(self.file, _line(self.about))

    def add(self, trial: Trial) -> None:
        """Keep a finished trial, on the disk before this returns."""
        if self.file is not None:
            with writing(self.file.parent), self.file.open("ab") as out:
                out.write(_line(trial.to_dict()))
                out.flush()
                os.fsync(out.fileno())
        self.trials[trial.number] = trial

    def _read(self, file: Path) -> None:
        raw = file.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        rows = []
        for place, line in enumerate(whole.splitlines(), start=1):
            try:
                rows.append(json.loads(line))
            except ValueError:
                raise FileFormatError(
                    file, place, "not JSON. The file is damaged; begin a search in another folder."
                ) from None
        if not rows or not isinstance(rows[0], dict) or rows[0].get("schema") != SCHEMA:
            raise FileFormatError(file, 1, f"not a search of rankproof: its schema must be {SCHEMA!r}.")
        self._refuse_changes(rows[0])
        for place, row in enumerate(rows[1:], start=2):
            try:
                trial = Trial.from_dict(row)
            # AttributeError: a line that is JSON, but no object.
            except (AttributeError, KeyError, TypeError):
                raise FileFormatError(file, place, "not a trial. The file is damaged.") from None
            self.trials[trial.number] = trial
        if whole != raw:
            with file.open("r+b") as out:
                out.truncate(len(whole))

    def _refuse_changes(self, before: dict[str, Any]) -> None:
        old, new = _flat(before), _flat(self.about)
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        if changed:
            changes = "; ".join(f"{name} was {old.get(name)!r}, is {new.get(name)!r}" for name in changed)
            raise ArgumentError(
                f"{str(self.file)!r} holds trials of another search: {changes}. Numbers of the two cannot be "
                "compared. Ask for the same, or name another folder."
            )


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _flat(about: Mapping[str, Any]) -> dict[str, Any]:
    """One level: what stands in a group is told by its own name."""
    flat: dict[str, Any] = {}
    for name, value in about.items():
        flat |= value if isinstance(value, dict) else {name: value}
    return flat
