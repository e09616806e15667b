"""What a forked process needs: a fork copies memory, with every lock as it was, but not the other threads.

``multiprocessing`` forks by default on Linux, and so do servers that load first and then start workers. A
child must not wait for threads that were not copied:

- our own threads are started anew (`rankproof.threads`);
- libraries that use GNU OpenMP (LightGBM, XGBoost, torch) keep their threads by the thread that called them,
  so a child calls them from a fresh thread, for which they start new ones: `fork_safe`;
- CatBoost is given a moment to come to rest before a fork;
- before Python 3.12 a ``cached_property`` has a lock, which another thread may have held at the fork.

>>> @fork_safe
... def twice(number):
...     return 2 * number
>>> twice(3)
6
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar

__all__ = ["fork_safe"]

P = ParamSpec("P")
T = TypeVar("T")

# Packages that bring OpenMP. Two of them may share one library, so any of them counts for all.
_WITH_OPENMP = ("lightgbm", "xgboost", "catboost", "torch", "sklearn", "tl2cgen")
# Seconds after which CatBoost is at rest; half of the forks right after training had a child that hung.
_SETTLED = 0.2
# Whether this process was forked from one that may have used OpenMP.
_forked = False


def fork_safe(work: Callable[P, T]) -> Callable[P, T]:
    """A function that uses OpenMP, made to work in a forked process too.

    There it runs on a thread of its own, with the context of the caller; elsewhere it is called as it is.
    """

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return _on_fresh_thread(lambda: work(*args, **kwargs)) if _forked else work(*args, **kwargs)

    return call


def _on_fresh_thread(work: Callable[[], T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []
    context = copy_context()

    def target() -> None:
        try:
            results.append(context.run(work))
        except BaseException as error:
            errors.append(error)

    # A daemon, so that an interrupted process does not wait for it.
    fresh = threading.Thread(target=target, name="rankproof-forked", daemon=True)
    fresh.start()
    fresh.join()
    if errors:
        raise errors[0]
    return results[0]


def _before() -> None:
    # For a moment after training, threads of CatBoost still hold its locks; a child would wait for ever.
    if "catboost" in sys.modules:
        time.sleep(_SETTLED)


def _in_child() -> None:
    global _forked
    _forked = _forked or any(name in sys.modules for name in _WITH_OPENMP)
    if sys.version_info < (3, 12):
        _renew_locks()


def _renew_locks() -> None:
    """A new lock for every ``cached_property`` of this package."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("rankproof")]
    for module in modules:
        for thing in list(vars(module).values()):
            if isinstance(thing, type) and thing.__module__ == module.__name__:
                _renew_locks_of(thing)


def _renew_locks_of(kind: type) -> None:
    for entry in list(vars(kind).values()):
        if isinstance(entry, cached_property):
            renewed: Any = entry
            renewed.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
