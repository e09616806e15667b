"""Tables on the terminal: drawn when a person looks, plain text when a program reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import click

from rankproof.evaluation.tables import Table, as_text

__all__ = ["progress_bar", "show_table"]

# (done, of how many, what comes next)
Progress: TypeAlias = Callable[[int, int, str], None]


def show_table(table: Table, title: str | None = None) -> None:
    """Print a table to standard output."""
    if sys.stdout is None or not sys.stdout.isatty():
        click.echo((f"{title}\n" if title else "") + as_text(table))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=None if title is None else Text(title), box=SIMPLE_HEAD, title_justify="left")
    for at, column in enumerate(table.columns):
        drawn.add_column(Text(column), justify="left" if table.is_left(at) else "right", no_wrap=at == 0)
    for row in table.rows:
        # Text, not markup: an id such as "[bold]" is shown as it is.
        drawn.add_row(*map(Text, row))
    console = Console()
    console.print(drawn)
    for note in table.notes:
        console.print(Text(note, style="dim"))


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A bar on standard error when a person looks at it; nothing otherwise."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress

    columns = (
        *(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()),
        TextColumn("{task.description}", markup=False),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("reading", total=None)
        yield lambda done, of, what: shown.update(task, completed=done, total=of, description=what)
