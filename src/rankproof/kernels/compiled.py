"""`kernel`: the one way a function is compiled; see `rankproof.kernels.cache` for where the code is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from rankproof.kernels.cache import cache_folder

__all__ = ["kernel"]


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function: without the GIL, cached on disk, never in parallel (see `rankproof.threads`)."""
    before = numba.config.CACHE_DIR
    folder = cache_folder(function.__module__.removeprefix("rankproof.kernels."))
    numba.config.CACHE_DIR = "" if folder is None else str(folder)
    try:
        return numba.njit(nogil=True, cache=folder is not None)(function)
    finally:
        numba.config.CACHE_DIR = before
