"""Who is told, once per process, before numba starts to compile: that takes seconds of silence."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["announce_compiling", "tell_before_compiling"]

_listeners: list[Callable[[], None]] = []


def tell_before_compiling(listener: Callable[[], None]) -> None:
    """Call the listener before the first kernel of this process is compiled, if one has to be."""
    _listeners.append(listener)


def announce_compiling() -> None:
    """A kernel is about to be compiled."""
    while _listeners:
        _listeners.pop()()
