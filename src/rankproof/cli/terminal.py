"""Tables on the terminal: drawn when a person looks, plain text when a program reads.

A number is never cut to fit a narrow window: heads are broken into lines first, and where that is not enough
every row becomes a list.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from rankproof.evaluation.tables import Table, as_text
from rankproof.files import STANDARD
from rankproof.shown import visible

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod

__all__ = [
    "as_list",
    "beside",
    "narrowed",
    "print_start",
    "progress_bar",
    "show_facts",
    "show_table",
    "warn",
    "widest",
]

# (done, of how many, what comes next)
Progress: TypeAlias = Callable[[int, int, str], None]


def show_table(table: Table, title: str | None = None) -> None:
    """Print a table to standard output; ids in it may hold anything, and are shown, not obeyed."""
    table, title = _visible(table), None if title is None else visible(title)
    if sys.stdout is None or not sys.stdout.isatty():
        click.echo((f"{title}\n" if title else "") + as_text(table))
        return
    from rich.console import Console
    from rich.text import Text

    console, many = Console(), len(table.columns)
    wide = widest(table)
    tight = narrowed(table, console.width - 2 * (many - 1))
    if sum(wide) + 3 * many + 1 <= console.width:
        _draw(console, table, title, wide, (1, 1))
    elif tight is not None:
        _draw(console, table, title, tight, (0, 1))
    else:
        console.print(Text(f"{title}\n" * bool(title) + as_list(table) + "\n"), soft_wrap=True)
    for note in table.notes:
        console.print(Text(note, style="dim"))


def _visible(table: Table) -> Table:
    return Table(
        [visible(column) for column in table.columns],
        [[visible(cell) for cell in row] for row in table.rows],
        [visible(note) for note in table.notes],
        [visible(column) for column in table.text_columns],
    )


def widest(table: Table) -> list[int]:
    """The widths of columns that need no second line."""
    return [max(map(_width, (column, *cells))) for column, cells in _columns(table)]


def narrowed(table: Table, room: int) -> list[int] | None:
    """Widths of columns with so much room in all, that cut no number and no word; None if there are none.

    Heads may be broken into lines, and so may the cells of a column of words, but for the first.

    >>> columns, row = ["loss", "with all data", "why"], ["ListNet", "0.0015", "not the mean"]
    >>> table = Table(columns, [row], text_columns=["why"])
    >>> narrowed(table, 40), narrowed(table, 21), narrowed(table, 16)
    ([7, 6, 12], [7, 6, 8], None)
    """
    widths, breakable = [], []
    for at, (column, cells) in enumerate(_columns(table)):
        is_text = at > 0 and table.is_left(at)
        pieces = [word for cell in cells for word in cell.split()] if is_text else cells
        widths.append(max(map(_width, (*column.split(), *pieces)), default=0))
        breakable += [at] if is_text else []
    spare = room - sum(widths)
    if spare < 0:
        return None
    wide = widest(table)
    for at in breakable:
        more = min(spare, wide[at] - widths[at])
        widths[at] += more
        spare -= more
    return widths


def _columns(table: Table) -> list[tuple[str, list[str]]]:
    return [(column, [row[at] for row in table.rows]) for at, column in enumerate(table.columns)]


def _width(text: str) -> int:
    """How many places a text takes; letters of some scripts take two."""
    from rich.cells import cell_len

    return cell_len(text)


def as_list(table: Table) -> str:
    """Every row as lines of column and cell; cells without text are left out.

    >>> print(as_list(Table(["pair", "difference", "winner"], [["a - b", "0.1", ""], ["a - c", "0.2", "a"]])))
    pair        a - b
    difference  0.1
    <BLANKLINE>
    pair        a - c
    difference  0.2
    winner      a
    """
    width = max(map(len, table.columns))
    rows = (zip(table.columns, row, strict=True) for row in table.rows)
    return "\n\n".join(
        "\n".join(f"{name.ljust(width)}  {cell}" for name, cell in row if cell) for row in rows
    )


def _draw(
    console: Console, table: Table, title: str | None, widths: list[int], padding: tuple[int, int]
) -> None:
    """A table of these widths; ``padding`` is the space to the left and to the right of a cell."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    left, right = padding
    rich_table = RichTable(
        title=None if title is None else Text(title),
        box=SIMPLE_HEAD,
        title_justify="left",
        padding=(0, right, 0, left),
        pad_edge=bool(left),
        show_edge=bool(left),
    )
    for at, column in enumerate(table.columns):
        side: JustifyMethod = "left" if table.is_left(at) else "right"
        rich_table.add_column(Text(column), justify=side, width=widths[at])
    for row in table.rows:
        # Text, not markup: an id such as "[bold]" is shown as it is.
        rich_table.add_row(*map(Text, row))
    console.print(rich_table)


def show_facts(lines: Sequence[tuple[str, str]]) -> None:
    """Print words with a sentence for each, below each other; a person gets lines that fit the window."""
    width = max(len(word) for word, _ in lines)
    room = None
    if sys.stdout is not None and sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
    for word, sentence in lines:
        start = f"{word.ljust(width)}  "
        text = start + sentence
        if room is not None and room > 2 * len(start):
            # The name of a loss, or a path, stays whole, to be copied.
            text = fill(
                sentence,
                room,
                initial_indent=start,
                subsequent_indent=" " * len(start),
                break_long_words=False,
                break_on_hyphens=False,
            )
        click.echo(text)


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


def print_start(lines: Sequence[tuple[str, str]], data: Mapping[str, Any]) -> None:
    """What is trained and why, and the data."""
    from rankproof.papers import sources_in

    sources = sources_in(" ".join(sentence for _, sentence in lines))
    parts = [
        (part, f"{one.queries} queries, {one.items} items, {one.features} features")
        for part, one in data.items()
    ]
    show_facts([*lines, *(("", f"{name}: {paper}") for name, paper in sources.items()), *parts])


def beside(out: str) -> Callable[[str], None]:
    """How to tell a person about what is written to ``out``: not among it, when that is standard output."""
    return lambda text: click.echo(text, err=out == STANDARD)


def warn(texts: Sequence[str | None]) -> None:
    """Warnings, on standard error."""
    for text in texts:
        if text:
            click.echo(f"rankproof: warning: {visible(text)}", err=True)
