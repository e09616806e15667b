"""Laws that every metric obeys, whatever its parameters; each is one test over the whole registry."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankproof.metrics
from agree.brute import Oracle
from drawn import examples
from every_case import every_case
from properties.strategies import (
    ALL_VARIANTS,
    Ragged,
    lists_for,
    metrics_named,
    options_of,
    queries,
    ragged,
    values,
)
from rankproof.metrics import METRICS, Metric, metric
from rankproof.metrics.discounted import DISCOUNTS
from rankproof.metrics.ranked.lists import RankedLists

over_registry = pytest.mark.parametrize("name", METRICS)
TOLERANCE = 1e-12


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bit for bit, NaN included."""
    return a.tobytes() == b.tobytes()


def close(a: float, b: float) -> bool:
    """Equal to 1e-12, or both NaN."""
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (math.isnan(a) and math.isnan(b))


# Values, names and parameters ---------------------------------------------------------------------


finite = st.floats(allow_nan=False, allow_infinity=False)
tables = st.lists(st.floats(0, 1e300), min_size=1, max_size=4)
ANY_VALUE: dict[str, st.SearchStrategy[Any]] = {
    "beta": st.floats(0, 1e100, exclude_min=True),
    "cutoff": st.one_of(st.none(), st.integers(1, 2**62)),
    "discount": st.one_of(st.sampled_from(DISCOUNTS), tables.map(lambda t: tuple(sorted(t, reverse=True)))),
    "empty": st.sampled_from(("skip", 0, 1, "error")),
    "gain": st.one_of(st.sampled_from(("exp", "linear")), tables.map(lambda t: tuple(sorted(t)))),
    "max_grade": st.floats(0, 1000, exclude_min=True),
    "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "rel": finite,
    "unjudged": st.sampled_from(("zero", "drop", "error")),
}


@st.composite
def printable(draw: st.DrawFn, name: str) -> Metric:
    """A metric of this name with any parameters, those that no value depends on too."""
    cls = METRICS[name]
    free = {f.name: cls.choices.get(f.name) for f in fields(cls)}
    return cls(**{f: draw(st.sampled_from(words) if words else ANY_VALUE[f]) for f, words in free.items()})


@over_registry
@given(data=st.data())
def test_the_printed_form_parses_back(name: str, data: st.DataObject) -> None:
    found = data.draw(printable(name))
    again = metric(str(found))
    assert again == found
    assert hash(again) == hash(found)
    assert repr(found) == str(found) == str(again)
    assert type(again) is type(found)
    assert str(found).startswith(found.name)


@over_registry
def test_different_parameters_are_different_metrics(name: str) -> None:
    cls = METRICS[name]
    for field in (f.name for f in fields(cls) if f.name != "empty"):
        distinct = [cls(**{field: value}) for value in options_of(cls, field)]
        assert len(set(distinct)) == len({str(m) for m in distinct}) == len(distinct)


@over_registry
def test_aliases_and_case_lead_to_the_same_metric(name: str) -> None:
    cls = METRICS[name]
    for alias in (*cls.aliases, name.lower(), name.upper()):
        assert type(metric(alias)) is cls


@over_registry
def test_a_metric_is_frozen(name: str) -> None:
    found = METRICS[name]()
    with pytest.raises(AttributeError):
        found.empty = 0  # type: ignore[misc]


@every_case("found", ALL_VARIANTS, ids=str)
def test_a_cutoff_is_taken_by_the_at_sign(found: Metric) -> None:
    if "cutoff" in {f.name for f in fields(found)}:
        assert found @ 7 == replace(found, cutoff=7)  # type: ignore[call-arg]
    else:
        with pytest.raises(ValueError, match="no cutoff"):
            found @ 7


# What values do not depend on ---------------------------------------------------------------------


@over_registry
@examples(60)
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(name: str, data: st.DataObject) -> None:
    """Rows shuffled within the query: the same bits for small whole labels, else the same to rounding."""
    found = data.draw(metrics_named(name))
    scores, labels, missed = data.draw(queries(found, most=12))
    shuffle = data.draw(st.permutations(range(len(scores))))
    tail = data.draw(st.permutations(missed))
    moved = ([scores[i] for i in shuffle], [labels[i] for i in shuffle], tail)
    before, after = (values(found, Ragged.of([query])) for query in ((scores, labels, missed), moved))
    assert close(before[0], after[0])
    if all(math.isnan(y) or y in (0, 1, 2, 3) for y in (*labels, *missed)):
        assert same_bits(before, after)


@over_registry
@examples(60)
@given(data=st.data())
def test_only_the_order_of_scores_counts(name: str, data: st.DataObject) -> None:
    """Any strictly increasing map of the scores: the same bits."""
    found = data.draw(metrics_named(name))
    scores, labels, missed = data.draw(queries(found, most=12))
    levels = sorted(set(scores))
    new = data.draw(
        st.lists(st.floats(allow_nan=False), min_size=len(levels), max_size=len(levels), unique=True)
    )
    image = dict(zip(levels, sorted(new), strict=True))
    moved = ([image[s] for s in scores], labels, missed)
    before = values(found, Ragged.of([(scores, labels, missed)]))
    assert same_bits(before, values(found, Ragged.of([moved])))


@over_registry
@examples(60)
@given(data=st.data())
def test_queries_do_not_see_each_other(name: str, data: st.DataObject) -> None:
    """A query alone and among others, before and behind it: the same bits."""
    found = data.draw(metrics_named(name))
    listed = data.draw(st.lists(queries(found), min_size=2, max_size=5))
    together = values(found, Ragged.of(listed))
    alone = np.concatenate([values(found, Ragged.of([query])) for query in listed])
    assert same_bits(together, alone)
    assert same_bits(together[::-1], values(found, Ragged.of(listed[::-1])))


@over_registry
def test_no_queries_no_values(name: str) -> None:
    nothing = Ragged(np.empty(0), np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int64))
    assert values(METRICS[name](), nothing).shape == (0,)


# Ties ---------------------------------------------------------------------------------------------


@over_registry
@examples(60)
@given(data=st.data())
def test_constant_scores_are_the_mean_over_all_rankings(name: str, data: st.DataObject) -> None:
    """One value from ties, n! values from strict scores: the same kernel, two ways through it."""
    found = data.draw(metrics_named(name))
    scores, labels, missed = data.draw(queries(found, most=5))
    if not Oracle.of(found).averages:
        return
    flat = values(found, Ragged.of([([0.0] * len(scores), labels, missed)]))[0]
    strict = [(list(ranks), labels, missed) for ranks in permutations(map(float, range(len(scores))))]
    assert close(flat, float(np.mean(values(found, Ragged.of(strict)))))


def tie_break_extremes(found: Metric, query: tuple[list[float], list[Any], list[Any]]) -> tuple[float, float]:
    """Lowest and highest value over every way to order retrieved items of equal score."""
    oracle = Oracle.of(found)
    listed = [v for v, _ in oracle.all_values(*query)]
    return (math.nan, math.nan) if listed[0] is None else (float(min(listed)), float(max(listed)))


@over_registry
@examples(80)
@given(data=st.data())
def test_best_and_worst_over_tie_breaks(name: str, data: st.DataObject) -> None:
    """Better grades first within each tie is the best way to break ties, better grades last the worst."""
    found = data.draw(metrics_named(name))
    drawn = data.draw(ragged(found, most=6))
    order = drawn.order()
    as_zero = not found.sees_unjudged and found.unjudged == "zero"
    keys = np.where(np.isnan(drawn.labels), 0.0 if as_zero else -np.inf, drawn.labels)
    best = found.per_query(lists_for(found, order.broken_by(keys), drawn.labels))
    worst = found.per_query(lists_for(found, order.broken_by(-keys), drawn.labels))
    mean = found.per_query(lists_for(found, order, drawn.labels))
    low, high = (worst, best) if found.direction == "higher" else (best, worst)
    for q, query in enumerate(drawn.queries()):
        least, most = tie_break_extremes(found, query)
        assert close(low[q], least), (found, query)
        assert close(high[q], most), (found, query)
        if Oracle.of(found).averages and not math.isnan(mean[q]):
            slack = TOLERANCE * max(1.0, abs(least), abs(most))
            assert least - slack <= mean[q] <= most + slack


# Explanations -------------------------------------------------------------------------------------


@over_registry
@examples(80)
@given(data=st.data())
def test_an_explanation_arrives_at_the_value(name: str, data: st.DataObject) -> None:
    found = data.draw(metrics_named(name))
    drawn = Ragged.of([data.draw(queries(found, most=9))])
    lists: RankedLists = lists_for(found, drawn.order(), drawn.labels)
    explained, value = found.explain(lists), found.per_query(lists)[0]
    assert close(explained.value, value)
    assert explained.steps
    assert all(isinstance(step, str) for step in explained.steps)
    assert all(len(row) == len(explained.columns) for row in explained.rows)
    assert len(explained.rows) <= lists.depth[0]
    if not math.isnan(value):
        assert len(explained.rows) == looked_at(found, int(lists.depth[0]))


def looked_at(found: Metric, depth: int) -> int:
    """How many ranked places the metric looks at."""
    cutoff = getattr(found, "cutoff", None)
    return depth if cutoff is None else min(depth, cutoff)


# Nothing is forgotten -----------------------------------------------------------------------------


def concrete_metrics() -> list[type[Metric]]:
    """Every metric class of the package, registered or not; that of users' functions has no definition."""
    found, waiting = [], [Metric]
    while waiting:
        for cls in waiting.pop().__subclasses__():
            waiting.append(cls)
            ours = cls.__module__.startswith("rankproof.") and not cls.by_users
            if ours and not getattr(cls, "__abstractmethods__", None):
                found.append(cls)
    return found


def test_every_metric_is_registered_and_exported() -> None:
    concrete = concrete_metrics()
    assert sorted(cls.name for cls in concrete) == sorted(METRICS)
    assert all(METRICS[cls.name] is cls for cls in concrete)
    assert all(getattr(rankproof.metrics, cls.__name__) is cls for cls in concrete)
    assert {cls.__name__ for cls in concrete} <= set(rankproof.metrics.__all__)


@over_registry
def test_every_metric_is_documented(name: str) -> None:
    cls = METRICS[name]
    for text in (cls.summary, cls.definition, cls.domain, cls.reference):
        assert text.strip()
    assert cls.__doc__
    assert "**Definition.**" in cls.__doc__
    assert cls.direction in ("higher", "lower")
    assert cls.__module__ == f"rankproof.metrics.{cls.__module__.rsplit('.', 1)[1]}"


def test_one_metric_a_file() -> None:
    modules = [cls.__module__ for cls in concrete_metrics()]
    assert len(modules) == len(set(modules))
