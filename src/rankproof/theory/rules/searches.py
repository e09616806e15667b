"""What the searches of the rules did, for an answer that nothing decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from rankproof.errors import PrecisionError
from rankproof.theory.base.question import Question
from rankproof.theory.search.find import Searched

__all__ = ["searched", "searches_of"]

T = TypeVar("T")
Finder: TypeAlias = Callable[..., T | None]


def searches_of(question: Question) -> list[Searched]:
    """What was searched, place by place; filled while the rules run."""
    return question.once(_no_searches)


def searched(find: Finder[T], loss: Any, question: Question, log: list[Searched]) -> T | None:
    """What a search finds on the space of a question; None where values are not exact enough."""
    try:
        return find(
            loss,
            question.metric,
            question.space,
            noise=question.noise,
            seed=question.seed,
            effort=question.effort,
            log=log,
        )
    except PrecisionError as error:
        log.append(Searched(question.space, str(error).rstrip(".")))
        return None


def _no_searches(_: Question) -> list[Searched]:
    return []
