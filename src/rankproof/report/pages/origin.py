"""Where the numbers of a run come from: the command, the seed, versions, and the SHA-256 of all files."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rankproof.evaluation.tables import Table
from rankproof.report.content import Block, Command, DataTable, Facts
from rankproof.report.run_folder import versions

__all__ = ["fit_command", "origin_blocks", "versions_fact"]


def fit_command(run: Mapping[str, Any], out: str = "run") -> str:
    """The command that makes the run again, with every setting, so that it does not hang on defaults.

    >>> data = {"train": {"files": [{"path": "my train.txt"}]}, "test": {"files": [{"path": "test.txt"}]}}
    >>> settings = {"metric": "nDCG@10", "l2": "1,0.1", "max_iter": 500, "noise": None, "seed": 0}
    >>> print(fit_command({"data": data, "settings": settings}))
    rankproof fit 'my train.txt' --test test.txt --metric nDCG@10 --l2 1,0.1 --max-iter 500 --seed 0 --out run
    """
    words = ["rankproof", "fit"]
    for part, known in run["data"].items():
        for file in known["files"]:
            words += [file["path"]] if part == "train" else [f"--{part}", file["path"]]
    for name, value in run["settings"].items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words += [option] if value else []
        elif isinstance(value, list | tuple):
            words += [word for one in value for word in (option, str(one))]
        elif value is not None:
            words += [option, str(value)]
    return shlex.join([*words, "--out", out])


def origin_blocks(run: Mapping[str, Any], out: str) -> list[Block]:
    """The command to make the run again, and what to compare when that gives something else."""
    settings = run["settings"]
    rows = [
        ("seed", str(settings.get("seed", "-"))),
        versions_fact(run["versions"]),
        *((name, _one_line(run[name])) for name in ("solver",) if run.get(name)),
    ]
    files = [
        [part, file["path"], file["sha256"] or "-"]
        for part, known in run["data"].items()
        for file in known["files"]
    ]
    files += [["model", name, digest] for name, digest in run["model"].items()]
    table = Table(["part", "file", "SHA-256"], files, words=["file", "SHA-256"])
    return [Command(fit_command(run, out)), Facts(rows), DataTable(table, "Files")]


def versions_fact(known: Mapping[str, str] | None = None) -> tuple[str, str]:
    """The versions of all packages in a line; those of today unless others are given."""
    found = versions() if known is None else known
    return "versions", ", ".join(f"{name} {one}" for name, one in found.items())


def _one_line(known: Mapping[str, Any]) -> str:
    """How the solver ended, first in its own words.

    >>> _one_line({"solver": "lbfgs", "gradient_norm": 6.15e-05, "converged": True, "message": "as asked"})
    'as asked; solver lbfgs, gradient norm 6.15e-05, converged: yes'
    """
    facts = [
        f"{name}: {'yes' if value else 'no'}"
        if isinstance(value, bool)
        else f"{name.replace('_', ' ')} {f'{value:.6g}' if isinstance(value, float) else value}"
        for name, value in known.items()
        if name != "message"
    ]
    return "; ".join(filter(None, [str(known.get("message", "")), ", ".join(facts)]))
