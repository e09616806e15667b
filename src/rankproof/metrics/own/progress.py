"""Who is told how far the queries of a user's function are, which is called query by query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Listener", "tell", "telling"]

# (queries done, queries in all, the metric)
Listener = Callable[[int, int, str], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def telling(listener: Listener | None) -> Iterator[None]:
    """Within the block, ``listener`` is called every so many queries; None tells nobody."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(done: int, of: int, what: str) -> None:
    """Say how far it is."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(done, of, what)
