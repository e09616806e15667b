"""Counterexamples in stored evidence: the proof, and every number that people are shown, computed again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from math import isfinite
from typing import Any

from rankproof.losses.base import Loss
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.minimum import Minimum, sure_pairs
from rankproof.theory.base.risk import best_rankings, expected_values
from rankproof.theory.base.values import Ranking, ValueTable
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.minima.custom import check_user_minimum
from rankproof.theory.minima.enclosure import check_minimum
from rankproof.theory.noise.membership import in_class
from rankproof.theory.replay.numbers import same_number

__all__ = ["broken_counterexample"]

# Scores are shown as floats; how far they may be from the proven ones, relative to the largest.
SAME_SCORES = 1e-6


def broken_counterexample(
    loss: Loss | UserLoss, table: ValueTable, noise: str | None, data: Mapping[str, Any]
) -> str | None:
    """None when the law refutes the loss and all is as stored, else what is wrong."""
    stored = Counterexample.from_dict(data)
    law, minimum = stored.law, stored.minimum
    if stored.noise != noise:
        return f"it is about noise={stored.noise!r}, the verdict about noise={noise!r}"
    if not in_class(law, noise, table.metric):
        return f"the law is not {noise}"
    user = isinstance(loss, UserLoss)
    wrong = check_user_minimum(loss, law, minimum) if user else check_minimum(loss, law, minimum)  # type: ignore[arg-type]
    if wrong is not None:
        return f"the minimum is not proven: {wrong}"
    if not {*law.support} <= {*table.space.feedback} or law.items != table.space.items:
        return "the law is not on the feedback of the stored values"
    masses = [law[y] for y in table.space.feedback]
    best = best_rankings(table, masses, surely=True)
    worth = dict(zip(table.rankings, expected_values(table, masses), strict=True))
    reached = _reached(minimum)
    if minimum.method == "exact" and set(reached) <= set(best):
        return "every ranking that sorts the minimiser is best"
    if minimum.method != "exact" and (set(reached) & set(best) or not sure_pairs(minimum)):
        return f"the best ranking {next(r for r in best if r in reached)} may sort the minimiser"
    values = [worth[ranking] for ranking in reached]
    mean = minimum.method == "exact"
    ends_at = sum(values, Fraction(0)) / len(values) if mean else max(values)
    return _wrong_numbers(stored, data, table, best, reached, (worth[best[0]], ends_at))


def _reached(minimum: Minimum) -> tuple[Ranking, ...]:
    """The rankings that may sort a minimiser."""
    if minimum.method == "exact":
        return tuple(sorting_rankings(minimum.center))
    sure = sure_pairs(minimum)
    every = permutations(range(len(minimum.center)))
    return tuple(r for r in every if all(r.index(i) < r.index(j) for i, j in sure))


def _wrong_numbers(
    stored: Counterexample,
    data: Mapping[str, Any],
    table: ValueTable,
    best: tuple[Ranking, ...],
    reached: tuple[Ranking, ...],
    values: tuple[Fraction, Fraction],
) -> str | None:
    for name, rankings in (("best_rankings", best), ("minimiser_rankings", reached)):
        if sorted(data[name]) != sorted(map(list, rankings)):
            return f"the {name.replace('_', ' ')} are {rankings}, not {data[name]}"
    sign = 1 if table.metric.direction == "higher" else -1
    shown = {
        "cost": values[0] - values[1],
        "cost_value": values[0] - values[1],
        "value_best": sign * values[0],
        "value_reached": sign * values[1],
    }
    for name, value in shown.items():
        if not same_number(data[name], value):
            return f"the {name.replace('_', ' ')} is {float(value):.9g}, not {data[name]}"
    if data["metric"] != str(table.metric):
        return f"its numbers are about {data['metric']}, not about {table.metric}"
    return None if _near(data["scores"], stored.minimum) else "the scores are not those of the proven minimum"


def _near(scores: Any, minimum: Minimum) -> bool:
    """Whether the scores are the center, but for a number that is added to all."""
    apart = [float(s) - float(c) for s, c in zip(scores, minimum.center, strict=True)]
    room = SAME_SCORES * (1.0 + max(abs(float(c)) for c in minimum.center)) + 2 * float(minimum.radius)
    return all(map(isfinite, apart)) and max(apart) - min(apart) <= room
