"""What a rule is: one theorem, what it needs of the claims of loss, target and metric, and what it concludes.

A rule is one file: it says in words what it needs and concludes (the reference pages are made of them), and
`apply` answers a question with a verdict or passes with None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rankproof.theory.base.question import Question
from rankproof.theory.base.verdict import Verdict

__all__ = ["Rule", "rule"]

Apply: TypeAlias = Callable[[Question], Verdict | None]


@dataclass(frozen=True)
class Rule:
    """A theorem made executable."""

    name: str
    needs: str
    concludes: str
    reference: str
    apply: Apply


def rule(name: str, *, needs: str, concludes: str, reference: str) -> Callable[[Apply], Rule]:
    """Decorator: a function of a question as a rule."""

    def as_rule(function: Apply) -> Rule:
        return Rule(name, needs, concludes, reference, function)

    return as_rule
