"""Where the numbers of a run come from: the command, the seed, versions, and the SHA-256 of all files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.evaluation.tables import Table
from rankproof.report.content import Block, Command, DataTable, Facts
from rankproof.runs.versions import versions

__all__ = ["origin_blocks", "versions_fact"]


def origin_blocks(run: Mapping[str, Any], command: str | None) -> list[Block]:
    """The command that makes the run again, if one made it, and what to compare with what it gives."""
    settings = run["settings"]
    rows = [
        ("seed", str(settings.get("seed", "-"))),
        versions_fact(run["versions"]),
        *((name, _one_line(run[name])) for name in ("solver",) if run.get(name)),
    ]
    files = [
        [part, file["path"], file["sha256"] or "-"]
        for part, source in run["data"].items()
        for file in source["files"]
    ]
    files += [["model", name, digest] for name, digest in run.get("model", {}).items()]
    table = Table(["part", "file", "SHA-256"], files, text_columns=["file", "SHA-256"])
    start: list[Block] = [] if command is None else [Command(command)]
    return [*start, Facts(rows), *([DataTable(table, "Files")] if files else [])]


def versions_fact(stored: Mapping[str, str] | None = None) -> tuple[str, str]:
    """The versions of all packages in a line; those of today unless others are given."""
    shown = versions() if stored is None else stored
    return "versions", ", ".join(f"{name} {one}" for name, one in shown.items())


def _one_line(report: Mapping[str, Any]) -> str:
    """How the solver ended, first in its own words.

    >>> _one_line({"solver": "lbfgs", "gradient_norm": 6.15e-05, "converged": True, "message": "as asked"})
    'as asked; solver lbfgs, gradient norm 6.15e-05, converged: yes'
    """
    facts = [
        f"{name}: {'yes' if value else 'no'}"
        if isinstance(value, bool)
        else f"{name.replace('_', ' ')} {f'{value:.6g}' if isinstance(value, float) else value}"
        for name, value in report.items()
        if name != "message"
    ]
    return "; ".join(filter(None, [str(report.get("message", "")), ", ".join(facts)]))
