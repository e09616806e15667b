"""Small queries with ties, for tests that list every ranking, and checks that all metrics share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

from metrics.one_query import lists_of, mean_over, value
from rankproof.metrics import Metric, metric

Query = tuple[list[int], list[float], list[float]]


@st.composite
def tied(draw: st.DrawFn, grades: Sequence[float] = (0, 1, 2), most: int = 5) -> Query:
    """Scores with ties, labels, and the labels of judged items that were not retrieved."""
    n = draw(st.integers(0, most))
    scores = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from(grades), min_size=n, max_size=n))
    missed = draw(st.lists(st.sampled_from([y for y in grades if y == y]), max_size=2))
    return scores, labels, missed


def agrees_with_every_order(found: Metric, query: Query, of: Callable[[list[float]], Any]) -> None:
    """The value of tied scores is the mean of ``of(labels from the top down)`` over all rankings.

    ``of`` is the definition written out by the test; it gives None for an empty query.
    """
    scores, labels, _ = query
    if of(labels) is None:
        assert math.isnan(value(found, *query))
        return
    known: dict[tuple[float, ...], Any] = {}

    def once(ranked: tuple[float, ...]) -> Any:
        if ranked not in known:
            known[ranked] = of(list(ranked))
        return known[ranked]

    mean = mean_over(scores, lambda ranking: once(tuple(labels[i] for i in ranking)))
    assert value(found, *query) == pytest.approx(float(mean), rel=1e-13, abs=1e-15)


def explanation_agrees(found: Metric, query: Query) -> None:
    """An explanation arrives at the value, with one row for each place the metric looks at."""
    lists = lists_of(*query)
    told = found.explain(lists)
    assert told.value == pytest.approx(found.per_query(lists)[0], rel=1e-13, abs=1e-15, nan_ok=True)
    if math.isnan(told.value):
        assert not told.rows
        assert "empty" in told.steps[0]
    else:
        cutoff = getattr(found, "cutoff", None)
        assert len(told.rows) == min(len(query[0]), cutoff or len(query[0]))
        assert all(len(row) == len(told.columns) for row in told.rows)


def prints(found: Metric, text: str) -> None:
    """The metric prints as ``text``, and ``text`` parses back to it."""
    assert str(found) == repr(found) == text
    assert metric(text) == found
    assert hash(metric(text)) == hash(found)
