"""Who is told how far the queries of a user's function are, which is called query by query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Told", "tell", "telling"]

# (queries done, queries in all, the metric)
Told = Callable[[int, int, str], None]
_TOLD: ContextVar[Told | None] = ContextVar("told", default=None)


@contextmanager
def telling(told: Told | None) -> Iterator[None]:
    """Within the block, ``told`` is called every so many queries; None tells nobody."""
    token = _TOLD.set(told)
    try:
        yield
    finally:
        _TOLD.reset(token)


def tell(done: int, of: int, what: str) -> None:
    """Say how far it is."""
    told = _TOLD.get()
    if told is not None:
        told(done, of, what)
