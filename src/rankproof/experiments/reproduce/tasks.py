"""Independent pieces of work on a few threads, with progress, results in the order asked for.

A piece runs on one thread and shares nothing with the others, so no result depends on how many threads there
are. Kernels release the interpreter, which is why threads are enough.

>>> run_all([lambda stop: 1, lambda stop: 2])
[1, 2]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import TypeAlias, TypeVar

from rankproof.threads import thread_count, using

__all__ = ["Stop", "StoppedError", "Task", "Tick", "run_all"]

T = TypeVar("T")
# Asked between steps of a long piece: True once the others have failed or the user has interrupted.
Stop: TypeAlias = Callable[[], bool]
Task: TypeAlias = Callable[[Stop], T]
# Called when a piece is done, with its number.
Tick: TypeAlias = Callable[[int], None]


class StoppedError(Exception):
    """Raised by a piece that was told to stop; nobody waits for its result any more."""


def run_all(tasks: Sequence[Task[T]], *, tick: Tick | None = None) -> list[T]:
    """The results of all tasks; the first error, or an interrupt, stops the rest and is raised."""
    stop = Event()
    workers = max(1, min(thread_count(), len(tasks)))
    with ThreadPoolExecutor(workers, thread_name_prefix="rankproof-task") as pool:
        futures = {pool.submit(_alone, task, stop.is_set): number for number, task in enumerate(tasks)}
        try:
            for future in as_completed(futures):
                future.result()
                if tick is not None:
                    tick(futures[future])
        except BaseException:
            # Also KeyboardInterrupt: leaving the pool waits for the pieces that run, so tell them to end.
            stop.set()
            for future in futures:
                future.cancel()
            raise
    return [future.result() for future in futures]


def _alone(task: Task[T], stop: Stop) -> T:
    """Run a task on its one thread: the others have their own tasks."""
    with using(1):
        return task(stop)
