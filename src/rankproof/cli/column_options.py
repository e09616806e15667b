"""Options that name the columns of tables: Parquet, CSV, Arrow and NumPy files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.errors import ArgumentError

if TYPE_CHECKING:
    from rankproof.data.forms.columns import ColumnRequest

__all__ = [
    "COLUMNS",
    "column_options",
    "drop_option",
    "feature_options",
    "judging_options",
    "request_of",
    "settings_of_columns",
]

F = TypeVar("F", bound=Callable[..., Any])
# The options that are kept with a run, beside --features, in the order in which they are shown.
COLUMNS = ("query", "label", "doc", "query_weight", "item_weight", "drop")


def judging_options(function: F) -> F:
    """Which columns of a table hold what scores are judged with."""
    for option in reversed(
        (
            click.option(
                "--query",
                metavar="COLUMN",
                help="Tables: the column of query ids. [default: query, qid, query_id]",
            ),
            click.option(
                "--label",
                metavar="COLUMN",
                help="Tables: the column of labels. [default: label, grade, relevance]",
            ),
            click.option(
                "--doc",
                metavar="COLUMN",
                help="Tables: the column of document ids. [default: doc, doc_id, docid, docno]",
            ),
            click.option(
                "--query-weight",
                metavar="COLUMN",
                help="Tables: a column of weights of queries. [default: query_weight]",
            ),
        )
    ):
        function = option(function)
    return function


def column_options(function: F) -> F:
    """Which columns of a table hold the queries, the labels and so on."""
    weights = click.option(
        "--item-weight",
        metavar="COLUMN",
        help="Tables: a column of weights of items. [default: item_weight]",
    )
    return judging_options(weights(function))


def drop_option(function: F) -> F:
    """Which columns of a table are not used."""
    return click.option(
        "--drop",
        multiple=True,
        metavar="PATTERN",
        help="Tables: a column, or several as score_*, that is not used; can be repeated.",
    )(function)


def feature_options(function: F) -> F:
    """Which columns of a table are features."""
    function = drop_option(function)
    return click.option(
        "--features",
        multiple=True,
        metavar="PATTERN|N",
        help="Tables: a feature column, or several as 'f*'; can be repeated. LETOR text: the number of "
        "features. [default: all columns of numbers that are nothing else; as in the data]",
    )(function)


def request_of(
    options: Mapping[str, Any], *, unread: tuple[str, ...] = ()
) -> tuple[ColumnRequest, int | None]:
    """The columns that options name, and the number of features of LETOR text.

    >>> request_of({"query": "qid", "features": ("46",)})
    (ColumnRequest(query='qid', ..., features=None, ...), 46)
    """
    from rankproof.data.forms.columns import ColumnRequest

    features, count = tuple(options.get("features") or ()), None
    if len(features) == 1 and features[0].lstrip("-").isdecimal():
        count, features = int(features[0]), ()
        if count < 1:
            raise ArgumentError(f"Argument features must be an int >= 1, or name columns, got {count}.")
    roles: dict[str, Any] = {name: options.get(name) for name in COLUMNS if name != "drop"}
    request = ColumnRequest(
        **roles, features=features or None, drop=tuple(options.get("drop") or ()), unread=unread
    )
    return request, count


def settings_of_columns(options: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of columns, to be kept, so that a run can be made again."""
    values = {name: options.get(name) for name in COLUMNS}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value
    }
