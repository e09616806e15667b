"""The data of a run, read again from the files that it names, when these are still what they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.data.forms.columns import ColumnRequest, TakenColumns
from rankproof.data.forms.digest import digest_of
from rankproof.data.forms.read import read_in_order
from rankproof.data.letor.read import read_letor
from rankproof.data.ranking import RankingData
from rankproof.errors import DataError, RankproofError

__all__ = ["RunData", "read_parts"]


@dataclass(frozen=True, eq=False)
class RunData:
    """The parts (train, valid, test) that could be read, and of the others why not."""

    parts: Mapping[str, RankingData]
    problems: Mapping[str, str]


def read_parts(facts: Mapping[str, Any], settings: Mapping[str, Any]) -> RunData:
    """The data of ``results.json["data"]``, read as its ``"settings"`` say.

    A file that is gone, or has another SHA-256 than it had, is not read: what would be said of it would not
    be about this run.
    """
    parts: dict[str, RankingData] = {}
    problems: dict[str, str] = {}
    sides = list(settings.get("query_file", ()))
    for part, source in facts.items():
        own, sides = sides[: len(source["files"])], sides[len(source["files"]) :]
        try:
            if not source["files"]:
                raise DataError("they were not read from files, but given as arrays.")
            for file in source["files"]:
                _check(file)
            paths = [file["path"] for file in source["files"]]
            if "columns" in source:
                request = ColumnRequest.of_taken(TakenColumns.from_dict(source["columns"]))
                parts[part], _, _ = read_in_order(paths, request)
                continue
            parts[part] = read_letor(
                paths,
                features=source["features"],
                group=bool(settings.get("group")),
                query_file=own or "auto",
            )
        except RankproofError as problem:
            problems[part] = str(problem)
    return RunData(parts, problems)


def _check(file: Mapping[str, Any]) -> None:
    path = str(file["path"])
    if file["sha256"] is None:
        raise DataError(f"{path!r} was a pipe, which cannot be read again.")
    digest = digest_of(path)
    if digest is None:
        raise DataError(f"{path!r} does not exist (any more, or not relative to this folder).")
    if digest != file["sha256"]:
        raise DataError(f"{path!r} has changed since the run: its SHA-256 differs.")
