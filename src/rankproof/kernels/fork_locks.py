"""Locks that a fork waits for: ours, and those of numba and LLVM.

A forked child has a copy of every lock, but not the threads that hold them: one that was held at the fork
stays held for ever. So a fork first takes them all, in the order in which a thread that compiles takes them,
and both processes give them back. numba and LLVM may be in use by the code of others, so they are looked for
at each fork, and never loaded for it.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from threading import RLock
from typing import Any

__all__ = ["LOADING"]

LOADING = RLock()
"""Held while code is loaded or compiled: neither LLVM nor numba is made for two threads."""

_held = ExitStack()


def _take() -> None:
    # The fork may run while another thread forks, too: who has the first lock writes `_held`.
    LOADING.acquire()
    _held.callback(LOADING.release)
    for lock in (_numba_lock(), _llvm_lock()):
        if lock is not None:
            _held.enter_context(lock)


def _give_back() -> None:
    _held.close()


def _numba_lock() -> Any:
    return getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)


def _llvm_lock() -> Any:
    # llvmlite locks the library inside of itself and has no public way to hold that lock.
    library = getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None)
    return getattr(library, "_lock", None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take, after_in_parent=_give_back, after_in_child=_give_back)
