"""The stored values of a user's metric: believed, or compared with those of its function if that may run."""

from __future__ import annotations

from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.stored_values import metric_from_plain
from rankproof.theory.base.values import value_table
from rankproof.theory.base.verdict import FUNCTION, Verdict
from rankproof.theory.custom.metric import UserMetric
from rankproof.user_code import is_place, load_function

__all__ = ["values_words", "wrong_values"]


def values_words(verdict: Verdict, run_code: bool) -> str:
    """Where the values of the metric were taken from; empty for a metric of the library."""
    if is_place(verdict.metric) and run_code:
        return f"; {verdict.metric} was run, and gives the stored values"
    if is_place(verdict.metric):
        return f"; with the values that are stored: {verdict.metric} was not run"
    if verdict.metric.startswith(FUNCTION):
        return f"; with the values that are stored: {verdict.metric} is not at hand"
    return ""


def wrong_values(verdict: Verdict, piece: Evidence, run_code: bool) -> str | None:
    """None unless the function of the metric may be run, and gives other values than are stored."""
    stored = piece.data.get("values")
    if stored is None or not run_code or not is_place(verdict.metric):
        return None
    table = metric_from_plain(verdict.metric, stored)
    again = value_table(
        UserMetric(load_function(verdict.metric), verdict.metric, table.metric.direction), table.space
    )
    if again.values == table.values and again.slack == table.slack:
        return None
    return f"{verdict.metric} gives other values today than those that are stored"
