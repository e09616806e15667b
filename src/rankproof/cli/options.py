"""Options that several commands share, and how they become arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = [
    "DEFAULT_METRICS",
    "data_options",
    "example_files",
    "load",
    "metric_option",
    "output_options",
    "read_items",
]

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_METRICS = ("nDCG@10", "AP", "RR")


def _all(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def metric_option(function: F) -> F:
    """``-m``, several times."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        metavar="METRIC",
        help=f"A metric such as nDCG@10, AP(rel=2)@100, ERR(max_grade=2)@20; several times. "
        f"[default: {', '.join(DEFAULT_METRICS)}]",
    )(function)


def data_options(function: F) -> F:
    """Where judgments come from, and the conventions."""
    return _all(
        click.option(
            "--qrels", metavar="FILE", help="Judgments, TREC format: query iteration document grade."
        ),
        click.option("--data", metavar="FILE", help="Judged items as LETOR text, scored by score files."),
        click.option(
            "--as",
            "convention",
            default="rankproof",
            metavar="TOOL",
            show_default=True,
            help="Count as this tool does: rankproof (exact ties), trec_eval, letor3, letor4, mslr, yahoo, "
            "lightgbm, xgboost, catboost, sklearn, ranx.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["zero", "skip"]),
            help="Judged queries that a run does not have count as an empty ranking, or are left out. "
            "[default: as the tool does; rankproof: zero]",
        ),
        click.option("--threads", type=int, default=None, help="Threads; the numbers do not depend on it."),
    )(function)


def output_options(function: F) -> F:
    """For programs: JSON, CSV, LaTeX instead of a table."""
    return _all(
        click.option("--json", "output", flag_value="json", help="Print one JSON object."),
        click.option(
            "--csv", "output", flag_value="csv", help="Print comma-separated text, numbers in full."
        ),
        click.option("--latex", "output", flag_value="latex", help="Print a LaTeX table (booktabs)."),
    )(function)


def example_files() -> dict[str, str]:
    """The small example shipped with the package."""
    from importlib.resources import files

    folder = files("rankproof") / "example"
    return {name: str(folder / name) for name in ("bm25.trec", "ranker.trec", "qrels.txt")}


def load(paths: tuple[str, ...], qrels: str | None, data: str | None) -> tuple[dict[str, Any], Any]:
    """Runs with qrels, or score files with LETOR data: name -> scores, and what to judge them by."""
    if not paths:
        raise click.UsageError("Name a run (with --qrels) or a score file (with --data), or try --example.")
    if (qrels is None) == (data is None):
        raise click.UsageError(
            "Give --qrels FILE for TREC runs, or --data FILE for score files (one of the two)."
        )
    names = _names(paths)
    if qrels is not None:
        from rankproof.data.trec import read_qrels, read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_qrels(qrels)
    from rankproof.data.letor import read_letor
    from rankproof.data.scores import read_scores
    from rankproof.errors import DataError

    judged = read_letor(str(data))
    scores = {name: read_scores(path) for name, path in zip(names, paths, strict=True)}
    for path, found in zip(paths, scores.values(), strict=True):
        if found.size != judged.items:
            raise DataError(f"{path} holds {found.size} scores, but {data} has {judged.items} items.")
    return scores, judged


def read_items(paths: tuple[str, ...], features: int | None = None, threads: int | None = None) -> Any:
    """LETOR files, several as one, with features that a model can compute with: none is NaN."""
    import numpy as np

    from rankproof.data.letor import read_letor
    from rankproof.errors import DataError

    items = read_letor(list(paths), features=features, threads=threads)
    named = ", ".join(paths)
    if items.X is None or not items.features:
        raise DataError(
            f"{named}: there are no features. A row is written LABEL qid:QUERY 1:VALUE 2:VALUE ..."
        )
    values = items.X if isinstance(items.X, np.ndarray) else items.X.data
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise DataError(
            f"{named}: {int(wrong.sum())} feature values are missing (nan) or infinite. A linear ranker "
            "cannot compute with them; put numbers in their place."
        )
    return items


def _names(paths: tuple[str, ...]) -> list[str]:
    """Short names where they differ: file names without suffix, else the paths as given."""
    from pathlib import PurePath

    short = [PurePath(p).name.split(".")[0] or p for p in paths]
    for candidate in (short, [PurePath(p).name for p in paths], list(paths)):
        if len(set(candidate)) == len(candidate):
            return candidate
    raise click.UsageError("The same file is named twice.")
