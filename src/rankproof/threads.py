"""How many threads work, and the pool that they work in.

The number is set in one place, for everything that runs inside it: `using` opens a context, and what cuts and
runs work reads the number from there. Results do not depend on it: each range writes a part of the output
that no other range touches, and what is computed for a query does not depend on the range it is in.

>>> with using(2):
...     thread_count()
2
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import ArgumentError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["chunks_by_items", "one_blas_thread", "run", "setting", "thread_count", "using"]

T = TypeVar("T")

# Below this many items a thread costs more than it saves.
_ITEMS_WORTH_A_THREAD = 20_000
_SETTING: ContextVar[int | None] = ContextVar("rankproof.threads", default=None)


@contextmanager
def using(threads: int | None) -> Iterator[None]:
    """A context in which work runs on up to ``threads`` threads; None leaves the number as it is.

    The innermost context counts, and the one around it is back when it ends, also by an error. It holds for
    the thread that opened it: one that is started elsewhere, as an engine may do for its callbacks, has to
    open a context itself.
    """
    if threads is None:
        yield
        return
    token = _SETTING.set(_checked(threads))
    try:
        yield
    finally:
        _SETTING.reset(token)


def setting() -> int | None:
    """The number that `using` has set here; None outside of any."""
    return _SETTING.get()


def thread_count() -> int:
    """How many threads to use: what `using` says, else ``RANKPROOF_THREADS``, else the cores we may use."""
    threads = _SETTING.get()
    if threads is not None:
        return threads
    text = os.environ.get("RANKPROOF_THREADS", "")
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit():
        raise ArgumentError(f"Environment variable RANKPROOF_THREADS must be an int >= 1, got {text!r}.")
    return _checked(int(text))


def _checked(threads: Any) -> int:
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ArgumentError(f"Argument threads must be an int >= 1 or None, got {threads!r}.")
    return int(threads)


def chunks_by_items(offsets: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of queries with about equally many items each, a few per thread so that none waits long."""
    queries, items, threads = offsets.size - 1, int(offsets[-1]), thread_count()
    pieces = 1 if threads == 1 else min(queries, 4 * threads, max(1, items // _ITEMS_WORTH_A_THREAD))
    cuts = np.searchsorted(offsets, [items * piece // pieces for piece in range(1, pieces)]).tolist()
    return list(pairwise(sorted({0, *cuts, queries})))


def run(work: Callable[[int, int], T], ranges: list[tuple[int, int]]) -> list[T]:
    """``[work(a, b) for a, b in ranges]``, in that order, on up to `thread_count` threads.

    The caller's thread is one of them: it takes ranges like the others, and waits for them only at the end.
    """
    workers = min(thread_count(), len(ranges))
    if workers <= 1:
        return [work(a, b) for a, b in ranges]
    results: dict[int, T] = {}
    errors: dict[int, BaseException] = {}
    waiting = deque(range(len(ranges)))

    def take_ranges() -> None:
        # Work that waited for its own pool could wait for ever, so it has one thread.
        with using(1):
            while waiting:
                try:
                    at = waiting.popleft()
                except IndexError:
                    return
                try:
                    results[at] = work(*ranges[at])
                except BaseException as error:
                    errors[at] = error
                    waiting.clear()

    helpers = [_helpers(workers - 1).submit(take_ranges) for _ in range(workers - 1)]
    take_ranges()
    for helper in helpers:
        # One that has not begun finds nothing to do any more.
        if not helper.cancel():
            helper.result()
    if errors:
        raise errors[min(errors)]
    return [results[at] for at in range(len(ranges))]


@lru_cache(maxsize=4)
def _helpers(count: int) -> ThreadPoolExecutor:
    # A pool that falls out of the cache ends its threads once all that was submitted to it is done, so that
    # callers on other threads lose nothing.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(count, thread_name_prefix="rankproof")


# Threads do not survive a fork: a child that kept the pools would wait for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def one_blas_thread(*, of_scipy: bool = True) -> AbstractContextManager[Any]:
    """A context in which numpy and scipy multiply matrices on one thread.

    The solvers' own products are small, for which the threads of a BLAS cost more than they save, much more
    on a busy machine; and a sum that is cut by the number of threads would make the result depend on it.
    Without ``of_scipy``, that of numpy is enough, and scipy is not loaded for it.
    """
    limit: AbstractContextManager[Any] = _blas(of_scipy).limit(limits=1, user_api="blas")
    return limit


@cache
def _blas(of_scipy: bool) -> Any:
    if of_scipy:
        # scipy brings a BLAS of its own, which is found only once it is loaded.
        import scipy.optimize  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
