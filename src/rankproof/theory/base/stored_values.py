"""The values of a user's metric in stored evidence, so that it can be replayed without the function."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any, NoReturn

from rankproof.errors import ArgumentError, DataError
from rankproof.feedback.spaces import MOST_ITEMS, space_from_plain, space_to_plain
from rankproof.theory.base.values import ValueTable, largest_of
from rankproof.theory.custom.metric import DIRECTIONS, UserMetric, drowned

__all__ = ["metric_from_plain", "metric_to_plain"]


def metric_to_plain(table: ValueTable) -> dict[str, Any] | None:
    """The values as plain data; None for a metric of the registry, which can be computed again."""
    if not isinstance(table.metric, UserMetric):
        return None
    return {
        "space": space_to_plain(table.space),
        "direction": table.metric.direction,
        "slack": str(table.slack),
        "rows": [[str(value) for value in row] for row in table.values],
    }


def metric_from_plain(name: str, plain: Mapping[str, Any]) -> ValueTable:
    """The value table of what `metric_to_plain` wrote."""
    space = space_from_plain(plain["space"])
    if space.items > MOST_ITEMS:
        raise DataError(f"at most {MOST_ITEMS} items can be checked, got {space.items}")
    rankings = tuple(permutations(range(space.items)))
    rows = tuple(tuple(Fraction(value) for value in row) for row in plain["rows"])
    if len(rows) != len(rankings) or any(len(row) != len(space) for row in rows):
        raise DataError(
            f"the stored values of {name} must be {len(rankings)} rows of {len(space)} numbers, one per "
            "ranking and feedback"
        )
    slack = Fraction(plain["slack"])
    size = largest_of(rows)
    if not 0 <= slack <= size:
        raise DataError(f"the slack of the stored values of {name} is not that of the rounding of floats")
    if drowned(rows, slack) is not None:
        raise DataError(f"the stored values of {name} are of too different sizes for the rounding of floats")
    if plain["direction"] not in DIRECTIONS:
        raise DataError(f"the direction of {name} must be one of {', '.join(DIRECTIONS)}")
    metric = UserMetric(_stored, name, plain["direction"])
    return ValueTable(metric, space, rankings, rows, slack, size=size if slack else Fraction(0))


def _stored(ranking: tuple[int, ...], feedback: Any) -> NoReturn:
    raise ArgumentError(
        f"This metric is known by its stored values alone, asked for {ranking} on {feedback!r}."
    )
