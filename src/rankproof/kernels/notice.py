"""What the kernels say, each once per process: that numba starts to compile, that stored code was damaged.

To compile takes seconds of silence, so somebody may ask to be told before. Damage is a warning of Python,
unless somebody asked to say it in other words.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["announce_compiling", "announce_damage", "tell_before_compiling", "telling_of_damage"]

_listeners: list[Callable[[], None]] = []
_told_of_damage: list[Callable[[str], None]] = []
_damaged: list[str] = []


def tell_before_compiling(listener: Callable[[], None]) -> None:
    """Call the listener before the first kernel of this process is compiled, if one has to be."""
    _listeners.append(listener)


def announce_compiling() -> None:
    """A kernel is about to be compiled."""
    while _listeners:
        _listeners.pop()()


@contextmanager
def telling_of_damage(listener: Callable[[str], None]) -> Iterator[None]:
    """In this block the listener gets the text, in place of a warning."""
    _told_of_damage.append(listener)
    try:
        yield
    finally:
        _told_of_damage.remove(listener)


def announce_damage(root: str) -> None:
    """Code in the cache at ``root`` is not as it was written; much of it tends to be damaged together."""
    if _damaged:
        return
    _damaged.append(root)
    text = f"Compiled code in {root!r} is damaged; it was removed and will be recompiled."
    if _told_of_damage:
        _told_of_damage[-1](text)
    else:
        warnings.warn(text, RuntimeWarning, stacklevel=2)
