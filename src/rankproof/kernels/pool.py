"""Run a kernel over ranges on a few threads.

The pool holds no state between calls that could change a result: ranges are cut by size alone, and each
range writes its own part of the output.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import ArgumentError

__all__ = ["chunks_by_items", "run", "thread_count"]

T = TypeVar("T")

# Below this many items a thread costs more than it saves.
_ITEMS_WORTH_A_THREAD = 20_000


def thread_count(threads: int | None = None) -> int:
    """The number of threads to use: the argument, else ``RANKPROOF_THREADS``, else the cores we may use."""
    if threads is None:
        text = os.environ.get("RANKPROOF_THREADS", "")
        if not text:
            return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if not text.isdigit():
            raise ArgumentError(f"Environment variable RANKPROOF_THREADS must be an int >= 1, got {text!r}.")
        threads = int(text)
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ArgumentError(f"Argument threads must be an int >= 1 or None, got {threads!r}.")
    return int(threads)


def chunks_by_items(offsets: NDArray[np.int64], threads: int) -> list[tuple[int, int]]:
    """Ranges of queries with about equally many items each, a few per thread so that none waits long."""
    queries, items = offsets.size - 1, int(offsets[-1])
    pieces = 1 if threads == 1 else min(queries, 4 * threads, max(1, items // _ITEMS_WORTH_A_THREAD))
    cuts = np.searchsorted(offsets, np.linspace(0, items, pieces + 1)[1:-1])
    edges = np.unique(np.concatenate(([0], cuts, [queries])))
    return list(pairwise(edges.tolist()))


@lru_cache(maxsize=4)
def _executor(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="rankproof")


def run(work: Callable[[int, int], T], ranges: list[tuple[int, int]], threads: int | None = None) -> list[T]:
    """``[work(a, b) for a, b in ranges]``, in that order, on up to ``threads`` threads."""
    workers = thread_count(threads)
    if workers == 1 or len(ranges) <= 1:
        return [work(a, b) for a, b in ranges]
    return list(_executor(workers).map(lambda span: work(*span), ranges))
