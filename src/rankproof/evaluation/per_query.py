"""The values of metrics per query: the one way from scores and labels to numbers that evaluations share.

`rankproof.evaluate`, the mean that rankers are chosen by, and `rankproof.explain` all go through it: scores
and labels as the convention reads them, one sort, the rule for items without a judgment, the metric's kernel,
the convention's treatment of short lists, the rule for empty queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.errors import DataError, EmptyQueryError, MetricCallError, UnjudgedError
from rankproof.evaluation.inputs import JudgedScores
from rankproof.metrics.base import Metric
from rankproof.metrics.conventions.named import RANKPROOF, Convention
from rankproof.metrics.conventions.rules import ordered
from rankproof.metrics.ranked.lists import Order, RankedLists, Unjudged, sort_by_score
from rankproof.shown import quoted

__all__ = [
    "as_convention_reads",
    "break_ties",
    "check_labels",
    "counted_values",
    "mean_metric",
    "naming_queries",
    "raw_values",
    "signed",
    "sort_retrieved",
    "weighted_mean",
    "without_empties",
]


class EmptyRule(Protocol):
    """What a metric says of empty queries."""

    @property
    def empty(self) -> str | int:
        """``"skip"``, ``"error"``, or what an empty query counts."""

    @property
    def empty_when(self) -> str:
        """Which queries are empty, in words."""


def without_empties(m: EmptyRule, values: Float64s, query_ids: NDArray[Any]) -> Float64s:
    """Values with the NaN of empty queries kept (skip), replaced (0, 1), or refused (error)."""
    empty = np.isnan(values)
    if m.empty == "skip" or not empty.any():
        return values
    if m.empty == "error":
        raise EmptyQueryError(
            f"{m}: query {quoted(query_ids[np.argmax(empty)])} is empty: {m.empty_when} "
            f"({int(empty.sum())} such queries in all). Use empty=skip, empty=0 or empty=1."
        )
    return np.where(empty, float(m.empty), values)


def as_convention_reads(scored: JudgedScores, tool: Convention) -> JudgedScores:
    """Scores and labels as the tool reads them; read-only all, so that kernels compile for one kind only."""
    return replace(
        scored,
        scores=frozen(tool.read_scores(scored.scores)),
        labels=frozen(tool.read_labels(scored.labels)),
        offsets=frozen(scored.offsets),
        depth=frozen(scored.depth),
    )


def check_labels(metric: Metric, scored: JudgedScores, tool: Convention) -> None:
    """Raise `DataError` when the tool or the metric does not take one of the labels."""
    tool.check(metric, scored.labels)
    metric.check(scored.labels)


def sort_retrieved(scored: JudgedScores) -> Order:
    """The retrieved items of every query, best score first; equal scores are groups."""
    return sort_by_score(scored.scores, scored.offsets, scored.depth)


def break_ties(scored: JudgedScores, tool: Convention, order: Order) -> Order:
    """Ties broken as the tool breaks them; left as groups when it averages."""
    return ordered(tool, order, scored.labels, scored.doc_rank)


def raw_values(metrics: Mapping[str, Metric], scored: JudgedScores, order: Order) -> dict[str, Float64s]:
    """Values per query, NaN where a query is empty: one gather per rule for unjudged items."""
    lists: dict[Unjudged, RankedLists] = {"keep": RankedLists.from_order(order, scored.labels)}
    values: dict[str, Float64s] = {}
    for name, metric in metrics.items():
        rule = _unjudged_rule(metric, scored)
        if rule not in lists:
            lists[rule] = lists["keep"].with_unjudged(rule) if scored.unjudged else lists["keep"]
        with naming_queries(scored):
            values[name] = metric.per_query(lists[rule])
    return values


@contextmanager
def naming_queries(scored: JudgedScores) -> Iterator[None]:
    """What goes wrong with a user's function in this block says the id of the query, not its number."""
    try:
        yield
    except MetricCallError as error:
        if error.query is None:
            raise
        named = quoted(scored.query_ids[error.query])
        raise type(error)(error.message, error.query, named) from error.__cause__


def counted_values(
    metrics: Mapping[str, Metric], raw: Mapping[str, Float64s], scored: JudgedScores, tool: Convention
) -> dict[str, Float64s]:
    """Values as they count: the tool's treatment of short lists, then the rule for empty queries."""
    return {
        name: without_empties(metric, tool.adjust(metric, raw[name], scored.depth), scored.query_ids)
        for name, metric in metrics.items()
    }


def _unjudged_rule(metric: Metric, scored: JudgedScores) -> Unjudged:
    if metric.sees_unjudged:
        return "keep"
    if metric.unjudged != "error":
        return "drop" if metric.unjudged == "drop" else "zero"
    if scored.unjudged:
        unjudged = np.isnan(scored.labels)
        item = int(np.argmax(unjudged))
        q = int(np.searchsorted(scored.offsets, item, side="right")) - 1
        ids = scored.doc_ids()
        which = f"item {item - int(scored.offsets[q])}" if ids is None else f"item {quoted(ids[item])}"
        raise UnjudgedError(
            f"{metric}: {which} of query {quoted(scored.query_ids[q])} has no judgment "
            f"({scored.unjudged} items in all). Judge it, or use unjudged=zero or unjudged=drop."
        )
    return "zero"


def mean_metric(
    metric: Metric,
    scores: Float64s,
    labels: Float64s,
    offsets: Int64s,
    weights: Float64s | None = None,
) -> float:
    """The (weighted) mean of the metric over the queries that count, as `rankproof.evaluate` has it.

    Parameters
    ----------
    metric : Metric
    scores, labels : arrays of float64, one number per item
    offsets : array of int64, one more than there are queries
    weights : array of float64, one number per query, optional

    Raises
    ------
    DataError
        When no query counts.

    Examples
    --------
    >>> import rankproof as rp
    >>> mean_metric(rp.metric("P@1"), np.array([0.7, 0.7]), np.array([1.0, 0.0]), np.array([0, 2]))
    0.5
    """
    queries = np.arange(offsets.size - 1)
    scored = as_convention_reads(JudgedScores(scores, labels, offsets, np.diff(offsets), queries), RANKPROOF)
    check_labels(metric, scored, RANKPROOF)
    one = {metric.name: metric}
    raw = raw_values(one, scored, sort_retrieved(scored))
    mean = weighted_mean(counted_values(one, raw, scored, RANKPROOF)[metric.name], weights)
    if np.isnan(mean):
        raise DataError(
            f"{metric} counts no query: each is empty ({metric.empty_when}) or has weight 0. "
            "Give data with relevant items, or use empty=0."
        )
    return mean


def weighted_mean(values: Float64s, weights: Float64s | None) -> float:
    """Mean over the queries that count (NaN marks one that does not); NaN when none does."""
    counts = ~np.isnan(values)
    if weights is None:
        return float(values[counts].mean()) if counts.any() else float("nan")
    total = weights[counts].sum()
    return float((values[counts] * weights[counts]).sum() / total) if total > 0 else float("nan")


def signed(metric: Metric, value: float) -> float:
    """The value with the sign that makes larger better, as scikit-learn wants scores to be."""
    return value if metric.direction == "higher" else -value
