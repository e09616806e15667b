"""Losses whose target has a factor per query, in stored evidence: it is read off the stored values."""

from __future__ import annotations

from fractions import Fraction

from rankproof.errors import DataError
from rankproof.losses.base import Loss
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.query_factors import factored_target, unit_of, with_stored_factors
from rankproof.theory.base.values import ValueTable
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.custom.metric import UserMetric
from rankproof.theory.replay.code import loss_of_verdict
from rankproof.user_code import is_place, load_function

__all__ = ["loss_on_values"]


def loss_on_values(
    verdict: Verdict, piece: Evidence, table: ValueTable, run_code: bool
) -> tuple[Loss | UserLoss, str | None]:
    """The loss of a verdict with the factors that the values have; and what is wrong with their unit.

    The values of a law alone do not tell the unit, so it is stored beside them: it is believed as they are,
    unless the metric's file may be run.
    """
    loss = loss_of_verdict(verdict, run_code)
    stored = piece.data.get("unit")
    if not isinstance(loss, Loss) or factored_target(loss) is None:
        return loss, None if stored is None else f"{verdict.loss} has no factor per query, so no unit"
    if stored is None:
        raise DataError(f"the unit of the factors of {verdict.loss} is not stored")
    if not isinstance(table.metric, UserMetric):
        raise DataError(f"the factors of {verdict.loss} are read off a metric of the user's own")
    unit = Fraction(stored)
    wrong = None
    if run_code and is_place(verdict.metric):
        metric = UserMetric(load_function(verdict.metric), verdict.metric, table.metric.direction)
        if unit_of(loss, metric, table.space.items) != unit:
            wrong = f"{verdict.metric} gives other factors per query today than those that are stored"
    return with_stored_factors(loss, table, unit), wrong
