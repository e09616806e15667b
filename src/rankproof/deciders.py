"""Questions that a folder may ask without knowing the folder that answers.

Whether a metric of the user's own has a target is decided by `rankproof.theory`, which no folder that trains
or evaluates imports. Such a folder asks `decided`; the package itself, which knows the places of all its
parts, says who answers (`answers`), and the answer's module is loaded when the question is first asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["answers", "decided"]

_DECIDERS: dict[str, Callable[[Any], Any]] = {}


def answers(question: str, decider: Callable[[Any], Any]) -> None:
    """Let ``decider`` answer the question from now on."""
    _DECIDERS[question] = decider


def decided(question: str, thing: Any) -> Any:
    """What the decider says of a thing; None when nobody answers the question."""
    decider = _DECIDERS.get(question)
    return None if decider is None else decider(thing)
