"""What a solver says while it works: a bar on a terminal, lines elsewhere, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Tell", "progress"]

# (iteration, value of the objective, norm of the gradient)
Tell = Callable[[int, float, float], None]


@contextmanager
def progress(verbose: int, title: str, most: int) -> Iterator[Tell]:
    """A function for a solver to report to; with ``verbose=0`` it says nothing.

    Off a terminal, ``verbose=1`` writes a line for iterations 1, 2, 5, 10, 20, 50, ..., ``verbose=2`` for
    all.
    """
    if not verbose:
        yield lambda _iteration, _value, _norm: None
    elif sys.stderr.isatty():
        yield from _bar(title, most)
    else:
        yield lambda iteration, value, norm: _line(verbose, title, iteration, value, norm)


def _line(verbose: int, title: str, iteration: int, value: float, norm: float) -> None:
    digits = str(iteration)
    if verbose > 1 or (digits[0] in "125" and not digits[1:].strip("0")):
        print(  # noqa: T201 - this is what verbose asks for
            f"{title}: iteration {iteration}, value {value:.6g}, relative gradient {norm:.2g}",
            file=sys.stderr,
        )


def _bar(title: str, most: int) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=False) as bar:
        task = bar.add_task(title, total=most, state="")

        def tell(iteration: int, value: float, norm: float) -> None:
            bar.update(task, completed=iteration, state=f"value {value:.6g}, relative gradient {norm:.2g}")

        yield tell
