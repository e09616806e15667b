"""One thread for the matrix library while a solver runs.

The solvers' own products are small, for which the threads of a BLAS cost more than they save, much more on a
busy machine; and a sum that is cut by the number of threads would make the result depend on it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

__all__ = ["one_blas_thread"]


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which numpy and scipy multiply matrices on one thread."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> Any:
    # scipy brings a BLAS of its own, which is found only once it is loaded.
    import scipy.optimize  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
