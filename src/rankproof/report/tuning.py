"""The folder of a search: every finished trial is a line of ``trials.jsonl``, so nothing is done twice.

The first line says what is searched: settings, versions, a digest of the data. A search continues only under
the same; anything else would compare numbers that cannot be compared. A last line that was cut off by a crash
is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.data.open import StrPath, as_path
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, FileFormatError
from rankproof.evaluation.tables import Table, number
from rankproof.fit.tuning import Trial, best_trial
from rankproof.metrics.base import Metric

__all__ = ["SCHEMA", "TRIALS", "Search", "check_search_folder", "digest", "fit_command", "trials_table"]

SCHEMA = "rankproof.tune/1"
TRIALS = "trials.jsonl"


def digest(data: RankingData) -> str:
    """SHA-256 of what a data set holds: labels, queries, features."""
    parts: list[NDArray[Any]] = [data.labels, data.offsets]
    if isinstance(data.X, np.ndarray):
        parts.append(data.X)
    elif data.X is not None:
        parts += [data.X.data, data.X.indices, data.X.indptr]
    found = hashlib.sha256()
    for part in parts:
        found.update(f"{part.dtype}{part.shape}".encode())
        found.update(np.ascontiguousarray(part).data)
    return found.hexdigest()


def check_search_folder(path: StrPath) -> None:
    """Raise `ArgumentError` when a folder is of something else; to be asked before the work starts."""
    folder = as_path(path)
    if os.path.lexists(folder) and not folder.is_dir():
        raise ArgumentError(f"A search is a folder, and {str(path)!r} is a file. Name another.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / TRIALS).is_file():
        raise ArgumentError(
            f"Folder {str(path)!r} is not empty and holds no search ({TRIALS}): it is left alone. "
            "Name another."
        )


class Search:
    """The trials of a folder; those that are there already, and those that are added."""

    def __init__(self, path: StrPath, about: Mapping[str, Any]) -> None:
        """Open a search, or begin one. Raises `ArgumentError` when the one there is about something else."""
        check_search_folder(path)
        self.file = as_path(path) / TRIALS
        # What JSON makes of it: lists for tuples.
        self.about: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, **about}))
        self.trials: dict[int, Trial] = {}
        if self.file.is_file():
            self._read()
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(f".{TRIALS}.{os.urandom(6).hex()}.tmp")
        try:
            draft.write_bytes(_line(self.about))
            draft.replace(self.file)
        finally:
            draft.unlink(missing_ok=True)

    def add(self, trial: Trial) -> None:
        """Keep a finished trial, on the disk before this returns."""
        with self.file.open("ab") as out:
            out.write(_line(trial.as_dict()))
            out.flush()
            os.fsync(out.fileno())
        self.trials[trial.number] = trial

    def _read(self) -> None:
        raw = self.file.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        rows = []
        for place, line in enumerate(whole.splitlines(), start=1):
            try:
                rows.append(json.loads(line))
            except ValueError:
                raise FileFormatError(
                    self.file, place, "not JSON. The file is damaged; begin a search in another folder."
                ) from None
        if not rows or not isinstance(rows[0], dict) or rows[0].get("schema") != SCHEMA:
            raise FileFormatError(self.file, 1, f"not a search of rankproof: its schema must be {SCHEMA!r}.")
        self._refuse_changes(rows[0])
        for place, row in enumerate(rows[1:], start=2):
            try:
                trial = Trial.from_dict(row)
            except (KeyError, TypeError):
                raise FileFormatError(self.file, place, "not a trial. The file is damaged.") from None
            self.trials[trial.number] = trial
        if whole != raw:
            with self.file.open("r+b") as out:
                out.truncate(len(whole))

    def _refuse_changes(self, before: dict[str, Any]) -> None:
        old, new = _flat(before), _flat(self.about)
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        if changed:
            told = "; ".join(f"{name} was {old.get(name)!r}, is {new.get(name)!r}" for name in changed)
            raise ArgumentError(
                f"{str(self.file)!r} holds trials of another search: {told}. Numbers of the two cannot be "
                "compared. Ask for the same, or name another folder."
            )


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _flat(about: Mapping[str, Any]) -> dict[str, Any]:
    """One level: what stands in a group is told by its own name."""
    found: dict[str, Any] = {}
    for name, value in about.items():
        found |= value if isinstance(value, dict) else {name: value}
    return found


def trials_table(trials: Sequence[Trial], metric: Metric, folds: int) -> Table:
    """All trials, the best first."""
    best = best_trial(trials, metric)
    sign = 1.0 if metric.direction == "higher" else -1.0
    ranked = sorted(trials, key=lambda trial: (-sign * trial.value, trial.number))
    several = len({trial.loss for trial in trials}) > 1
    rows = [
        [
            str(trial.number),
            f"{trial.learning_rate:g}",
            str(trial.num_leaves),
            "engine's" if trial.l2 is None else f"{trial.l2:g}",
            *([trial.loss] if several else []),
            str(trial.trees),
            number(trial.value),
            "best" if trial is best else "",
        ]
        for trial in ranked
    ]
    head = ["trial", "learning rate", "leaves", "l2", *(["loss"] if several else []), "trees"]
    notes = ["Chosen by these numbers, so that of the best flatters it. Trial 0 has the defaults."]
    return Table([*head, f"{metric}, mean of {folds} folds", ""], rows, notes, words=["", "loss"])


def fit_command(trial: Trial, paths: Sequence[str], settings: Mapping[str, Any], *, out: str = "run/") -> str:
    """The command that trains with the settings of a trial on all of the data."""
    words = ["rankproof", "fit", *paths, "--metric", settings["metric"], "--model", settings["model"]]
    if trial.loss != "auto":
        words += ["--loss", trial.loss]
    if settings["noise"] is not None:
        words += ["--noise", settings["noise"]]
    words += ["--n-estimators", str(trial.trees), "--learning-rate", f"{trial.learning_rate:g}"]
    words += ["--num-leaves", str(trial.num_leaves)]
    if trial.l2 is not None:
        words += ["--l2", f"{trial.l2:g}"]
    for name in ("min_data_in_leaf", "categorical", "features"):
        if settings[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(settings[name])]
    for text in settings["parameter"]:
        words += ["--parameter", text]
    return shlex.join([*words, "--seed", str(settings["seed"]), "--out", out])
