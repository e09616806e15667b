"""Functions that a ranker calls after every round, with the metric on validation data: to prune, for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from rankproof.errors import ArgumentError

__all__ = ["Callback", "checked_callbacks"]

# (round from 1, the metric on validation data)
Callback: TypeAlias = Callable[[int, float], object]


def checked_callbacks(
    callbacks: Sequence[Callback] | None, *, held_out: bool, advice: str
) -> tuple[Callback, ...]:
    """The functions; refuses what cannot be called, and functions that would never be.

    >>> checked_callbacks([print], held_out=False, advice="Give validation=.")
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument callbacks needs validation data: each is called with the metric
    on them after every round. Give validation=.
    """
    if callbacks is None:
        return ()
    if callable(callbacks) or not all(callable(one) for one in callbacks):
        raise ArgumentError(
            f"Argument callbacks must be a list of functions of a round and a value, got {callbacks!r}."
        )
    if callbacks and not held_out:
        raise ArgumentError(
            "Argument callbacks needs validation data: each is called with the metric on them after every "
            f"round. {advice}"
        )
    return tuple(callbacks)
