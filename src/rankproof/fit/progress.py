"""What a fit shows while it works: a bar on a terminal, lines elsewhere, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ShowIteration", "ShowStep", "counted", "progress"]

# (iteration, value of the objective, norm of the gradient)
ShowIteration = Callable[[int, float, float], None]
# (how many are done, how it stands)
ShowStep = Callable[[int, str], None]


@contextmanager
def progress(verbose: int, title: str, most: int) -> Iterator[ShowIteration]:
    """A function for a solver to report to; see `counted`."""
    with counted(verbose, title, most, "iteration") as show:
        yield lambda iteration, value, norm: show(
            iteration, f"value {value:.6g}, relative gradient {norm:.2g}"
        )


@contextmanager
def counted(verbose: int, title: str, most: int, unit: str) -> Iterator[ShowStep]:
    """A function to report each of up to ``most`` steps to; with ``verbose=0`` it shows nothing.

    Off a terminal, ``verbose=1`` writes a line for steps 1, 2, 5, 10, 20, 50, ..., ``verbose=2`` for all.
    """
    if not verbose:
        yield lambda _done, _state: None
    elif sys.stderr.isatty():
        yield from _bar(title, most)
    else:
        yield lambda done, state: _line(verbose, f"{title}: {unit}", done, state)


def _line(verbose: int, start: str, done: int, state: str) -> None:
    digits = str(done)
    if verbose > 1 or (digits[0] in "125" and not digits[1:].strip("0")):
        # This is what verbose asks for.
        print(f"{start} {done}" + (f", {state}" if state else ""), file=sys.stderr)  # noqa: T201


def _bar(title: str, most: int) -> Iterator[ShowStep]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=most, state="")
        yield lambda done, state: bar.update(task, completed=done, state=state)
