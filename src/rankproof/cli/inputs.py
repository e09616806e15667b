"""What commands read: runs with judgments, score files with data, and data to train on.

``-`` is standard input, once in a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rankproof.cli.commands import option_name
from rankproof.files import STANDARD

if TYPE_CHECKING:
    from rankproof.arrays import Int64s
    from rankproof.data.forms.columns import ColumnRequest, TakenColumns
    from rankproof.data.ranking import RankingData

__all__ = [
    "RowsRead",
    "load",
    "named_metrics",
    "named_numbers",
    "once_standard",
    "read_items",
    "read_rows",
    "watched",
]


class RowsRead(NamedTuple):
    """Data, the row of the files that every item was if some were moved, and what columns were taken for."""

    data: RankingData
    order: Int64s | None
    taken: TakenColumns | None


def load(
    paths: tuple[str, ...],
    qrels: str | None,
    data: str | None,
    *,
    prefs: str | None = None,
    group: bool = False,
    query_files: tuple[str, ...] = (),
    columns: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], Any]:
    """Runs with qrels or preferences, or score files with data: by name, and the judge.

    ``columns`` are the options that name columns of the data.
    """
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
    if data is None and columns is not None and any(columns.values()):
        option = option_name(next(name for name, value in columns.items() if value))
        raise click.UsageError(f"{option} is about a table, which --data reads; TREC files have no columns.")
    names = _names(paths)
    once_standard((*paths, qrels, prefs, data, *query_files))
    if prefs is not None:
        from rankproof.data.trec.prefs import read_prefs
        from rankproof.data.trec.read import read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_prefs(prefs)
    if qrels is not None:
        from rankproof.data.trec.read import read_qrels, read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_qrels(qrels)
    from rankproof.cli.column_options import request_of
    from rankproof.data.forms.predictions import read_predictions

    # To judge scores no features are needed.
    request, _ = request_of(columns or {})
    read = read_rows(
        (str(data),),
        group=group,
        query_files=query_files,
        request=replace(request, features=(), unread=("item_weight",)),
        needs_label=True,
    )
    # A file of scores has the order of the rows in the data file.
    scores = {
        name: read_predictions(path, read.data, read.order, str(data))
        for name, path in zip(names, paths, strict=True)
    }
    return scores, read.data


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
    request: ColumnRequest | None = None,
    judged: bool = False,
    needs_label: bool = False,
    quiet: bool = False,
) -> RowsRead:
    """Files of data, several as one; it says which rows were moved and, unless ``quiet``, what columns are.

    ``judged`` refuses rows without a label, ``needs_label`` tables without a column of them.
    """
    from rankproof.cli.terminal import warn
    from rankproof.data.forms.columns import ColumnRequest
    from rankproof.data.forms.read import read_in_order
    from rankproof.shown import visible

    if query_files and len(query_files) != len(paths):
        raise click.UsageError(
            f"--query-file must be given once per data file ({len(paths)}), got {len(query_files)}."
        )
    data, order, taken = read_in_order(
        list(paths),
        request or ColumnRequest(),
        features=features,
        group=group,
        query_file=list(query_files) or "auto",
        judged=judged,
        needs_label=needs_label,
    )
    if taken is not None and not quiet:
        click.echo(f"rankproof: {visible(f'{paths[0]}: {taken}')}", err=True)
    if taken is None and order is not None:
        moved = int((order[1:] != order[:-1] + 1).sum()) + 1
        text = (
            f"--group brought the rows of {', '.join(paths)} together by query: {data.items} rows in "
            f"{moved} pieces are now {data.queries} queries, in the order of their first rows."
        )
        warn([text])
    return RowsRead(data, order, taken)


def read_items(
    paths: tuple[str, ...],
    features: int | None = None,
    *,
    missing: bool = False,
    group: bool = False,
    query_files: tuple[str, ...] = (),
    **about: Any,
) -> RowsRead:
    """What `read_rows` gives, with features that a model can compute with.

    None of them is infinite, and none is NaN unless the model takes ``missing`` values.
    """
    import numpy as np

    from rankproof.errors import DataError

    read = read_rows(paths, features, group=group, query_files=query_files, **about)
    items = read.data
    named = ", ".join(paths)
    if items.X is None or not items.features:
        what = "A row has the form LABEL qid:QUERY 1:VALUE 2:VALUE ..."
        if read.taken is not None:
            what = "No column of numbers is left for features."
        raise DataError(f"{named}: no features found. {what}")
    values = items.X if isinstance(items.X, np.ndarray) else items.X.data
    wrong = np.isinf(values) if missing else ~np.isfinite(values)
    if wrong.any():
        what = "infinite" if missing else "missing (nan) or infinite"
        raise DataError(
            f"{named}: {int(wrong.sum())} feature values are {what}. This model does not accept them; "
            "replace them by numbers."
        )
    return read


def named_numbers(
    paths: tuple[str, ...], request: ColumnRequest, categorical: str | None
) -> tuple[str | None, ColumnRequest]:
    """Categorical features by their numbers, counted from 1, and the request; of tables they may be named."""
    from rankproof.data.forms.read import columns_of_data
    from rankproof.errors import ArgumentError

    parts = [] if categorical is None else [part.strip() for part in categorical.split(",") if part.strip()]
    if all(part.isdecimal() and int(part) >= 1 for part in parts):
        return categorical, request
    request = replace(request, categories=tuple(parts))
    taken = None if STANDARD in paths else columns_of_data(paths, request)
    if taken is None:
        raise ArgumentError(
            "--categorical takes whole numbers >= 1, or names of columns of a table, separated by commas, "
            f"got {categorical!r}."
        )
    return ",".join(str(taken.features.index(part) + 1) for part in parts), request


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
