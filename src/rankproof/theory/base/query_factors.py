"""The factors per query of a target that is read off a metric: exact, from a table of the metric's values.

``label-worth(worths=[0,1,5],factor=query)`` says u_i = g(y_i) f(y), and f is read off the metric: how much it
loses when the best and the worst item of the query change places at the two ends of the list, beside the
same exchange on a list with a single item of another worth, the unit (`rankproof.metrics.own.rule`). Training
reads f off the function. Here it is read off values in fractions, so that a verdict is about exact numbers,
and stored evidence can be checked from the values that it holds, without the function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Graded
from rankproof.feedback.spaces import graded_space
from rankproof.losses.base import Loss
from rankproof.metrics.own.rule import LabelRule
from rankproof.targets.base import Target
from rankproof.targets.label_worth import LabelWorth
from rankproof.theory.base.values import AnyMetric, ValueTable, value_table
from rankproof.theory.custom.metric import UserMetric

__all__ = [
    "QueryFactors",
    "factored_target",
    "unit_of",
    "with_factors_of",
    "with_stored_factors",
    "with_stored_values",
]


class QueryFactors:
    """f(y) for label lists of any length for which there is a table.

    Attributes
    ----------
    rule : what labels are worth
    table_of : the table of values for so many items
    unit : what the exchange on the list with a single item of another worth gains; looked up where None
    """

    def __init__(
        self, rule: LabelRule, table_of: Callable[[int], ValueTable], unit: Fraction | None = None
    ) -> None:
        self.rule, self.table_of, self.unit = rule, table_of, unit
        self._factors: dict[tuple[Any, ...], Fraction] = {}

    def __call__(self, labels: Sequence[Any]) -> Fraction:
        """The factor of a query with these labels."""
        key = tuple(sorted(labels))
        for label in key:
            # Raises where the label has no worth.
            self.rule.worth(label)
        if key not in self._factors:
            table = self.table_of(len(key))
            apart = self._first_to_last(table, key)
            self._factors[key] = Fraction(0) if apart is None else apart / (self.unit_for(table) or 1)
        return self._factors[key]

    def exact(self, items: int) -> bool:
        """Whether the factors of lists of so many items are known exactly, and not up to rounding."""
        return not self.table_of(items).slack

    def unit_for(self, table: ValueTable) -> Fraction:
        """What the exchange on the list with a single item of another worth gains, per difference of worths.

        0 says that such a list tells nothing: then what is read off needs no unit.
        """
        if self.unit is not None:
            return self.unit
        return self._first_to_last(table, self.rule.reference(table.space.items)) or Fraction(0)

    def _first_to_last(self, table: ValueTable, labels: Sequence[Any]) -> Fraction | None:
        """What the order by worth gains over its ends exchanged, per difference of worths; None for ties."""
        # Feedback with these labels, in whatever order.
        wanted = sorted(labels)
        at = next(
            (k for k, y in enumerate(table.space.feedback) if isinstance(y, Graded) and sorted(y) == wanted),
            None,
        )
        if at is None:
            raise DataError(f"The values have none for the labels {', '.join(map(str, labels))}.")
        own: Any = table.space.feedback[at]
        order = sorted(range(len(own)), key=lambda item: self.rule.worth(own[item]), reverse=True)
        apart = Fraction(self.rule.worth(own[order[0]])) - Fraction(self.rule.worth(own[order[-1]]))
        if len(order) < 2 or not apart:
            return None
        turned = (order[-1], *order[1:-1], order[0])
        return (table.row(tuple(order))[at] - table.row(turned)[at]) / apart


def factored_target(loss: object) -> LabelWorth | None:
    """The target of a loss when its factor is read off a metric, else None."""
    target = loss.target if isinstance(loss, Loss) else None
    return target if isinstance(target, LabelWorth) and target.factor == "query" else None


def with_factors_of(loss: Loss, metric: AnyMetric) -> Loss:
    """The loss with the factors of its target read off a user's metric; any other loss as it is."""
    target = factored_target(loss)
    if target is None or not isinstance(metric, UserMetric):
        return loss
    source = target.source
    if source is not None and source.function is not metric.function and source.label != metric.name:
        raise ArgumentError(
            f"Loss {loss} has a factor per query that is read off {source}, and is asked about with "
            f"{metric}. Ask about {source}, or write the loss as a text: then it is read off {metric}."
        )
    tables: dict[int, ValueTable] = {}
    labels = target.rule.grades

    def table_of(items: int) -> ValueTable:
        if items not in tables:
            tables[items] = value_table(metric, graded_space(items, labels))
        return tables[items]

    return replace(loss, target=replace(target, source=None, factors=QueryFactors(target.rule, table_of)))


def with_stored_factors(loss: Loss, table: ValueTable, unit: Fraction) -> Loss:
    """The loss with the factors of its target read off stored values; any other loss as it is."""
    target = factored_target(loss)
    if target is None:
        return loss
    if unit < 0:
        raise DataError(f"the unit of the factors per query must be at least 0, got {unit}")
    return replace(loss, target=with_stored_values(target, table, unit))


def with_stored_values(target: Target, table: ValueTable, unit: Fraction | None = None) -> Target:
    """A target with its factors read off stored values, which tell the unit too where none is given."""
    if not isinstance(target, LabelWorth) or target.factor != "query":
        return target

    def table_of(items: int) -> ValueTable:
        if items != table.space.items:
            raise DataError(f"the values are on lists of {table.space.items} items, asked for {items}")
        return table

    return replace(target, source=None, factors=QueryFactors(target.rule, table_of, unit))


def unit_of(loss: object, metric: AnyMetric, items: int) -> Fraction | None:
    """The unit of the factors of a loss on lists of so many items; None for a loss without such factors."""
    target = factored_target(loss)
    if target is None or not isinstance(metric, UserMetric):
        return None
    table = value_table(metric, graded_space(items, target.rule.grades))
    return QueryFactors(target.rule, lambda _: table).unit_for(table)
