"""Feedback, laws and rankings in a few letters, for sentences."""

from __future__ import annotations

from rankproof.feedback import Feedback, Graded, Law, PreferenceGraph

__all__ = ["feedback_word", "law_words", "ranking_word"]


def feedback_word(feedback: Feedback) -> str:
    """A feedback in a few letters: ``100``, ``(0, 1/2, 3)``, ``[0→1, 0→2]``, ``ranks 132``.

    >>> feedback_word(Graded((1, 0, 0))), feedback_word(PreferenceGraph([(0, 1)], 3))
    ('100', '[0→1]')
    """
    if isinstance(feedback, PreferenceGraph):
        edges = (f"{i}→{j}" + ("" if weight == 1 else f" ({weight})") for i, j, weight in feedback.edges)
        return f"[{', '.join(edges)}]"
    word = "".join(map(str, feedback))
    listed = word if len(word) == feedback.items else f"({', '.join(map(str, feedback))})"
    return listed if isinstance(feedback, Graded) else f"ranks {listed}"


def law_words(law: Law) -> str:
    """A law in one line.

    >>> law_words(Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"}))
    '8/13 110 + 5/13 001'
    """
    return " + ".join(f"{p} {feedback_word(y)}" if p != 1 else feedback_word(y) for y, p in law.pairs())


def ranking_word(ranking: tuple[int, ...]) -> str:
    """A ranking, best first: ``2-0-1``."""
    return "-".join(map(str, ranking))
