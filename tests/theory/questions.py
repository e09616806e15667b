"""Questions to `certify` for tests, and metrics as users write them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from rankproof.feedback.spaces import space_for
from rankproof.theory.base.question import Question
from rankproof.theory.certify import as_loss, as_metric
from rankproof.theory.shipped.objective import engine_objective, is_engine_objective

__all__ = [
    "always_one",
    "asked",
    "first_two",
    "float_dcg",
    "middle",
    "name_of",
    "reciprocal",
    "share_of_pairs",
    "success_at_2",
    "worst_first",
]


def asked(loss: Any, metric: Any, noise: str | None = None, **where: Any) -> Question:
    """A question, for a rule of its own."""
    items, grades, feedback = where.get("items", 3), where.get("grades", 2), where.get("feedback")
    of = as_metric(metric)
    space = space_for(of.feedback_kinds, items, grades, feedback)
    if is_engine_objective(loss):
        return Question(None, of, noise, space, grades, shipped=engine_objective(loss))
    return Question(None if loss is None else as_loss(loss, of, noise), of, noise, space, grades)


def first_two(ranking: tuple[int, ...], feedback: Any) -> Any:
    """Positional: 1 for the first item, 1/2 for the second."""
    return feedback[ranking[0]] + Fraction(feedback[ranking[1]], 2)


def reciprocal(ranking: tuple[int, ...], feedback: Any) -> Any:
    return next((Fraction(1, k) for k, i in enumerate(ranking, 1) if feedback[i] > 0), 0)


def success_at_2(ranking: tuple[int, ...], feedback: Any) -> int:
    return int(feedback[ranking[0]] > 0 or feedback[ranking[1]] > 0)


def share_of_pairs(ranking: tuple[int, ...], feedback: Any) -> Fraction | None:
    """AUC, written down by a user."""
    pairs = [(i, j) for k, i in enumerate(ranking) for j in ranking[k + 1 :] if feedback[i] != feedback[j]]
    return Fraction(sum(feedback[i] > feedback[j] for i, j in pairs), len(pairs)) if pairs else None


def middle(ranking: tuple[int, ...], feedback: Any) -> int:
    """The same for a ranking and the ranking turned round: what stands in the middle counts."""
    return (
        int(feedback[ranking[1]]) if len(ranking) == 3 else int(feedback[ranking[1]] + feedback[ranking[2]])
    )


def float_dcg(ranking: tuple[int, ...], feedback: Any) -> float:
    """DCG in floats."""
    return sum((2 ** feedback[item] - 1) / math.log2(k) for k, item in enumerate(ranking, start=2))


def worst_first(ranking: tuple[int, ...], feedback: Any) -> Any:
    """Not monotone: the worst item belongs at the top."""
    return -feedback[ranking[0]]


def always_one(ranking: tuple[int, ...], feedback: Any) -> int:
    """Every ranking is worth the same."""
    return 1


def name_of(case: Any) -> str:
    """The name of a test case."""
    return str(getattr(case, "__name__", case))[:60]
