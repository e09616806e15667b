"""What commands read: runs with judgments, score files with data, and data to train on.

``-`` is standard input, once in a command.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from rankproof.files import STANDARD

__all__ = ["load", "named_metrics", "once_standard", "read_items", "read_rows", "watched"]


def load(
    paths: tuple[str, ...],
    qrels: str | None,
    data: str | None,
    *,
    prefs: str | None = None,
    group: bool = False,
    query_files: tuple[str, ...] = (),
) -> tuple[dict[str, Any], Any]:
    """Runs with qrels or preferences, or score files with LETOR data: by name, and the judge."""
    if not paths:
        raise click.UsageError("Give a run (with --qrels) or a score file (with --data), or try --example.")
    if prefs is not None and (qrels is not None or data is not None):
        other = "--data" if qrels is None else "--qrels"
        raise click.UsageError(f"--prefs replaces {other}: give one of them.")
    if prefs is None and (qrels is None) == (data is None):
        raise click.UsageError("Give either --qrels FILE (for TREC runs) or --data FILE (for score files).")
    if data is None and (group or query_files):
        option = "--group" if group else "--query-file"
        raise click.UsageError(f"{option} is about LETOR text, which --data reads; TREC files need no order.")
    names = _names(paths)
    once_standard((*paths, qrels, prefs, data, *query_files))
    if prefs is not None:
        from rankproof.data.trec.prefs import read_prefs
        from rankproof.data.trec.read import read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_prefs(prefs)
    if qrels is not None:
        from rankproof.data.trec.read import read_qrels, read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_qrels(qrels)
    from rankproof.data.scores import read_scores
    from rankproof.errors import DataError

    judged, order = read_rows((str(data),), group=group, query_files=query_files)
    scores = {name: read_scores(path) for name, path in zip(names, paths, strict=True)}
    for path, one in zip(paths, scores.values(), strict=True):
        if one.size != judged.items:
            raise DataError(f"{path} has {one.size} scores, but {data} has {judged.items} items.")
    if order is not None:
        # A score file has the order of the rows in the data file.
        scores = {name: one[order] for name, one in scores.items()}
    return scores, judged


def named_metrics(metrics: Iterable[str], **about: Any) -> list[Any]:
    """The metrics that a command names; a function in a file is loaded, which runs the file."""
    named = list(metrics)
    if any(about.values()) or any(".py" in name for name in named):
        from rankproof.cli.own_metrics import as_metrics

        return as_metrics(named, **about)
    return named


def watched(metrics: Iterable[Any]) -> AbstractContextManager[None]:
    """Shows how far the queries are while a function of the user's is computed, to a person who looks."""
    if not any(one.by_users for one in metrics):
        return nullcontext()
    from rankproof.cli.own_metrics import shown_progress

    return shown_progress()


def read_rows(
    paths: tuple[str, ...],
    features: int | None = None,
    *,
    group: bool = False,
    query_files: tuple[str, ...] = (),
) -> tuple[Any, Any]:
    """LETOR files, several as one, and the rows in their order if ``group`` moved them; it says so."""
    from rankproof.cli.terminal import warn
    from rankproof.data.letor.read import read_letor_in_order

    if query_files and len(query_files) != len(paths):
        raise click.UsageError(
            f"--query-file must be given once per data file ({len(paths)}), got {len(query_files)}."
        )
    judged, order = read_letor_in_order(
        list(paths), features=features, group=group, query_file=list(query_files) or "auto"
    )
    if order is not None:
        moved = int((order[1:] != order[:-1] + 1).sum()) + 1
        text = (
            f"--group brought the rows of {', '.join(paths)} together by query: {judged.items} rows in "
            f"{moved} pieces are now {judged.queries} queries, in the order of their first rows."
        )
        warn([text])
    return judged, order


def read_items(
    paths: tuple[str, ...],
    features: int | None = None,
    *,
    missing: bool = False,
    group: bool = False,
    query_files: tuple[str, ...] = (),
) -> tuple[Any, Any]:
    """What `read_rows` gives, with features that a model can compute with.

    None of them is infinite, and none is NaN unless the model takes ``missing`` values.
    """
    import numpy as np

    from rankproof.errors import DataError

    items, order = read_rows(paths, features, group=group, query_files=query_files)
    named = ", ".join(paths)
    if items.X is None or not items.features:
        raise DataError(f"{named}: no features found. A row has the form LABEL qid:QUERY 1:VALUE 2:VALUE ...")
    values = items.X if isinstance(items.X, np.ndarray) else items.X.data
    wrong = np.isinf(values) if missing else ~np.isfinite(values)
    if wrong.any():
        what = "infinite" if missing else "missing (nan) or infinite"
        raise DataError(
            f"{named}: {int(wrong.sum())} feature values are {what}. This model does not accept them; "
            "replace them by numbers."
        )
    return items, order


def once_standard(paths: Iterable[str | None]) -> None:
    """Refuse standard input for two files: the second would be empty."""
    if list(paths).count(STANDARD) > 1:
        raise click.UsageError("Standard input (-) can be read once; name a file for the others.")


def _names(paths: tuple[str, ...]) -> list[str]:
    """Short names where they differ: file names without suffix, else the paths as given."""
    from pathlib import PurePath

    short = ["stdin" if p == STANDARD else PurePath(p).name.split(".")[0] or p for p in paths]
    for candidate in (short, [PurePath(p).name for p in paths], list(paths)):
        if len(set(candidate)) == len(candidate):
            return candidate
    raise click.UsageError("The same file is given twice.")
