"""Where the existence of targets is decided, and the brute force that answers are tried with."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import Space, graded_space
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.checks import check_clash, check_contradiction, check_split, check_target
from rankproof.theory.existence.decide import Existence

SPACES = {"3 items": graded_space(3, 2), "3 grades": graded_space(3, 3), "4 items": graded_space(4, 2)}
ONE_HOT = Space("graded", 3, tuple(map(Graded, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))))


def wrong_with(found: Existence, metric: Any) -> str | None:
    """What is wrong with the proofs of an answer, after a trip through a file."""
    table = value_table(metric, found.space)
    again = Existence.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found
    if again.target is not None:
        return check_target(table, again.target)
    if again.contradiction is None:
        return check_clash(table, again.clash) if again.clash is not None else "no proof"
    wrong = check_contradiction(table, again.contradiction)
    return wrong or (check_split(table, again.split) if again.split is not None else None)


def is_optimal(found: Existence, metric: Any, law: Law) -> bool:
    """Brute force: every ranking that sorts E[u] is among the best under the law."""
    assert found.target is not None
    means = [sum(p * found.target.row(y)[item] for y, p in law.pairs()) for item in range(found.space.items)]
    return set(sorting_rankings(means)) <= set(optimal_rankings(metric, law))


def some_laws(space: Space, count: int, seed: int) -> list[Law]:
    """Laws with few feedbacks and small whole-number masses, so that ties occur."""
    draw = random.Random(seed)
    laws = []
    for _ in range(count):
        support = draw.sample(space.feedback, min(draw.randint(1, 4), len(space)))
        masses = [draw.randint(1, 4) for _ in support]
        laws.append(Law((y, Fraction(m, sum(masses))) for y, m in zip(support, masses, strict=True)))
    return laws


def ranked(ranking: Sequence[int], labels: Any) -> tuple[Any, ...]:
    return tuple(labels[i] for i in ranking)
