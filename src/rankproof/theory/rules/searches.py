"""What the searches of the rules did, for an answer that nothing decides."""

from __future__ import annotations

from rankproof.theory.base.question import Question
from rankproof.theory.search.find import Searched

__all__ = ["searches_of"]


def searches_of(question: Question) -> list[Searched]:
    """What was searched, place by place; filled while the rules run."""
    return question.once(_no_searches)


def _no_searches(_: Question) -> list[Searched]:
    return []
