"""Value tables: what a metric gives every ranking for every feedback of a space, in fractions.

Values are in gain form (more is better: a metric of which less is better is negated), and a query that is
empty for the metric counts 0 for every ranking.

>>> from rankproof.feedback.spaces import graded_space
>>> table = value_table("RR", graded_space(2, 2))
>>> table.rankings, [list(map(str, row)) for row in table.values]
(((0, 1), (1, 0)), [['0', '1/2', '1', '1'], ['0', '1', '1/2', '1']])
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.feedback import Graded
from rankproof.feedback.spaces import Space
from rankproof.metrics.base import Metric
from rankproof.metrics.own_metric import OwnMetric
from rankproof.metrics.parse import metric as metric_of
from rankproof.theory.arithmetic.metric_fractions import PRECISIONS, in_fractions, root_fraction
from rankproof.theory.custom.metric import UserMetric, as_user_metric

__all__ = ["AnyMetric", "Ranking", "ValueTable", "as_any_metric", "largest_of", "value_table"]

Ranking: TypeAlias = tuple[int, ...]
AnyMetric: TypeAlias = Metric | UserMetric


@dataclass(frozen=True, eq=False)
class ValueTable:
    """The values of a metric on a space.

    Attributes
    ----------
    metric : the metric, or the user's function
    space : the feedback
    rankings : all rankings, in lexicographic order: the first is 0, 1, 2, ...
    values : one row per ranking, one number per feedback
    slack : how far a number may be from the true one: 0 for exact values, else see `UserMetric`
    size : the largest value of a user's metric in floats, else 0; see `rankproof.theory.base.rounding`
    shadow : the same at another precision, for metrics with irrational values, else None
    """

    metric: AnyMetric
    space: Space
    rankings: tuple[Ranking, ...]
    values: tuple[tuple[Fraction, ...], ...]
    slack: Fraction = Fraction(0)
    shadow: ValueTable | None = None
    size: Fraction = Fraction(0)

    @property
    def exact(self) -> bool:
        """Whether the numbers are the values themselves."""
        return not self.slack and self.shadow is None

    def row(self, ranking: Ranking) -> tuple[Fraction, ...]:
        """The row of one ranking."""
        return self.values[self.rankings.index(ranking)]


def as_any_metric(metric: Any, direction: str = "higher") -> AnyMetric:
    """A metric by its string, a metric object, or a user's function ``(ranking, feedback) -> number``."""
    if isinstance(metric, UserMetric):
        return metric
    if isinstance(metric, OwnMetric):
        return as_user_metric(metric.valued.function, metric.direction, metric.label)
    if isinstance(metric, (str, Metric)):
        return metric_of(metric)
    if callable(metric):
        return as_user_metric(metric, direction)
    raise ArgumentError(
        f"Argument metric must be a metric, its string, or a function (ranking, feedback) -> number, "
        f"got {metric!r}."
    )


def value_table(metric: Any, space: Space) -> ValueTable:
    """The table of a metric, a metric string or a user's function on a space."""
    definition = as_any_metric(metric)
    if isinstance(definition, UserMetric):
        rankings = _rankings(space.items)
        rows, slack = definition.table(space, rankings)
        return ValueTable(
            definition, space, rankings, rows, slack, size=largest_of(rows) if slack else Fraction(0)
        )
    return _registry_table(definition, space)


def largest_of(rows: tuple[tuple[Fraction, ...], ...]) -> Fraction:
    """The largest value, whatever its sign."""
    return max(abs(value) for row in rows for value in row)


@lru_cache(maxsize=256)
def _registry_table(metric: Metric, space: Space) -> ValueTable:
    metric.check_kind(space.feedback[0])
    if space.labels:
        metric.check(np.array([float(grade) for grade in space.labels]))
    rows, irrational = _rows(metric, space, PRECISIONS[0])
    rankings = _rankings(space.items)
    shadow = None
    if irrational:
        shadow = ValueTable(metric, space, rankings, _rows(metric, space, PRECISIONS[1])[0])
    return ValueTable(metric, space, rankings, rows, shadow=shadow)


@lru_cache(maxsize=16)
def _rankings(items: int) -> tuple[Ranking, ...]:
    return tuple(permutations(range(items)))


def _rows(metric: Metric, space: Space, digits: int) -> tuple[tuple[tuple[Fraction, ...], ...], bool]:
    """The rows at a precision, and whether it shows in any of them."""
    from rankproof.theory.arithmetic.metric_fractions import has_logarithms

    definition = in_fractions(metric, space.items, digits)
    sign = 1 if metric.direction == "higher" else -1
    irrational = has_logarithms(metric)
    values: dict[tuple[Any, ...], Fraction] = {}

    def value(ranking: Ranking, feedback: Any) -> Fraction:
        nonlocal irrational
        # On labels only their order from the top counts, so most rankings share their value with others.
        key = tuple(feedback[i] for i in ranking) if isinstance(feedback, Graded) else (ranking, feedback)
        if key not in values:
            computed = definition.of_ranking(ranking, feedback)
            if isinstance(computed, float):
                irrational = True
                computed = root_fraction(computed, digits)
            values[key] = Fraction(0 if computed is None else sign * computed)
        return values[key]

    rows = tuple(tuple(value(r, y) for y in space.feedback) for r in _rankings(space.items))
    return rows, irrational
