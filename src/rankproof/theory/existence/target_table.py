"""Targets of the registry as tables on a feedback space, in fractions.

>>> from rankproof.targets.parse import target
>>> from rankproof.feedback.spaces import graded_space
>>> [list(map(str, row)) for row in target_table(target("gain"), graded_space(2, [0, 2])).rows]
[['0', '0'], ['0', '3'], ['0', '-3'], ['0', '0']]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankproof.errors import RankproofError
from rankproof.feedback.spaces import Space
from rankproof.targets.base import Target
from rankproof.theory.arithmetic.metric_fractions import PRECISIONS, in_fractions, root_fraction
from rankproof.theory.base.proofs import Rows, TargetTable

__all__ = ["target_table"]


def target_table(target: Target, space: Space) -> TargetTable | None:
    """The target of every feedback in fractions, at both precisions; None where it is not defined."""
    first, second = (_rows(target, space, digits) for digits in PRECISIONS)
    return None if first is None else TargetTable(space, first, second)


def _rows(target: Target, space: Space, digits: int) -> Rows | None:
    try:
        exact = in_fractions(target, space.items, digits)
        return tuple(_differences(exact.of_feedback(y), digits) for y in space.feedback)
    except RankproofError:
        return None


def _differences(u: Sequence[Any], digits: int) -> tuple[Fraction, ...]:
    """What the items have more than the first one: only that matters, and it is a root where u is not."""
    ahead = [value - u[0] for value in u]
    return tuple(root_fraction(a, digits) if isinstance(a, float) else Fraction(a) for a in ahead)
