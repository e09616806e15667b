"""Metrics of the user's own in demonstrations: their values under the law are stored beside the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankproof.errors import DataError
from rankproof.experiments.engines.losses import RankingValues
from rankproof.feedback import Law
from rankproof.feedback.spaces import space_of
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.theory.base.stored_values import metric_from_plain, metric_to_plain
from rankproof.theory.base.values import AnyMetric, ValueTable, value_table
from rankproof.theory.base.verdict import FUNCTION
from rankproof.theory.custom.metric import UserMetric
from rankproof.user_code import is_place, load_function

if TYPE_CHECKING:
    from rankproof.experiments.engines.demonstration import Demonstration

__all__ = ["metric_and_values", "stored_table", "stored_values", "wrong_values"]


def metric_and_values(metric: AnyMetric, law: Law) -> tuple[str, dict[str, Any] | None]:
    """How a demonstration names a metric, and the values that it stores of a function."""
    if isinstance(metric, Metric):
        return str(metric), None
    name = str(metric) if is_place(str(metric)) else f"{FUNCTION}{metric}"
    return name, metric_to_plain(value_table(metric, space_of(law)))


def stored_table(stored: Demonstration) -> ValueTable | None:
    """The stored values of a function; None for a metric that can be computed again."""
    own = is_place(stored.metric) or stored.metric.startswith(FUNCTION)
    if own != (stored.values is not None):
        what = "are not stored" if own else "are stored, and could be computed"
        raise DataError(f"the values of {stored.metric} {what}")
    if stored.values is None:
        return None
    table = metric_from_plain(stored.metric.removeprefix(FUNCTION), stored.values)
    if table.space != space_of(stored.law):
        raise DataError(f"the stored values of {stored.metric} are not those of the law's labels")
    return table


def stored_values(stored: Demonstration) -> tuple[AnyMetric, RankingValues]:
    """The metric of a demonstration, and what rankings are worth by it: computed again, or as stored."""
    table = stored_table(stored)
    if table is None:
        measure = metric_of(stored.metric)
        return measure, RankingValues.from_law(measure, stored.law)
    return table.metric, RankingValues.from_table(table, stored.law)


def wrong_values(stored: Demonstration) -> str | None:
    """None unless the function gives other values than are stored. Its file is run."""
    table = stored_table(stored)
    if table is None or not is_place(stored.metric):
        return None
    direction = getattr(table.metric, "direction", "higher")
    again = value_table(UserMetric(load_function(stored.metric), stored.metric, direction), table.space)
    if again.values == table.values and again.slack == table.slack:
        return None
    return f"{stored.metric} gives other values today than those that are stored"
