"""Metrics with all their parameters, and ragged data that try to break them.

Both are read off the registry: a new metric is drawn by itself, a new parameter without values to try fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rankproof.errors import DataError
from rankproof.metrics import METRICS, Metric
from rankproof.metrics.ranked.lists import Order, RankedLists, sort_by_score

# The values to try for every parameter; parameters that are words list theirs in the class's `choices`.
OPTIONS: dict[str, tuple[Any, ...]] = {
    "beta": (1, 0.5, 2),
    "cutoff": (None, 1, 2, 3, 5, 10),
    "discount": ("log2", "letor", "ln", "reciprocal", (1.0, 0.5, 0.25), (2.0, 2.0, 0.0)),
    "gain": ("exp", "linear", (0.0, 1.0, 1.0, 5.0), (0.25, 0.5, 3.0, 3.0)),
    "max_grade": (4, 3, 3.5),
    "p": (0.8, 0.5, 0.95),
    "rel": (1, 2, 0.5, 0, -1),
    "unjudged": ("zero", "drop"),
}

# `empty` says what evaluate makes of an empty query; no metric looks at it.
NOT_FOR_VALUES = ("empty",)


def options_of(cls: type[Metric], name: str) -> tuple[Any, ...]:
    """The values to try for one parameter of a metric, the default first."""
    listed = cls.choices.get(name) or OPTIONS[name]
    default = next(f.default for f in fields(cls) if f.name == name)
    if default is MISSING:
        return listed
    return (default, *(value for value in listed if value != default))


def variants(cls: type[Metric]) -> list[Metric]:
    """The metric with all defaults where it has them, then with every other value of one parameter."""
    free = [f.name for f in cls.parameters() if f.name not in NOT_FOR_VALUES]
    base = {name: options_of(cls, name)[0] for name in free}
    return [cls(**base)] + [
        cls(**{**base, name: value}) for name in free for value in options_of(cls, name)[1:]
    ]


ALL_VARIANTS = [metric for name in METRICS for metric in variants(METRICS[name])]


@st.composite
def metrics_named(draw: st.DrawFn, name: str) -> Metric:
    """A metric of this name with any parameters."""
    cls = METRICS[name]
    free = [f.name for f in cls.parameters() if f.name not in NOT_FOR_VALUES]
    return cls(**{field: draw(st.sampled_from(options_of(cls, field))) for field in free})


Query = tuple[list[float], list[float], list[float]]


@dataclass(frozen=True)
class Ragged:
    """Queries one after the other; the first ``depth[q]`` items of a query were retrieved."""

    scores: np.ndarray
    labels: np.ndarray
    offsets: np.ndarray
    depth: np.ndarray

    @classmethod
    def of(cls, queries: list[Query]) -> Ragged:
        """From (scores, labels, labels of missed items) per query."""
        sizes = [len(labels) + len(missed) for _, labels, missed in queries]
        scores = [s for own, _, missed in queries for s in (*own, *(0.0 for _ in missed))]
        labels = [y for _, ranked, missed in queries for y in (*ranked, *missed)]
        return cls(
            np.array(scores, dtype=np.float64),
            np.array(labels, dtype=np.float64),
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            np.array([len(own) for own, _, _ in queries], dtype=np.int64),
        )

    def queries(self) -> Iterator[tuple[list[float], list[float | None], list[float | None]]]:
        """(scores, labels, labels of missed items) per query, None for an item that was not judged."""
        for q, depth in enumerate(self.depth.tolist()):
            start, end = self.offsets[q], self.offsets[q + 1]
            labels = [None if math.isnan(y) else plain(y) for y in self.labels[start:end].tolist()]
            yield self.scores[start : start + depth].tolist(), labels[:depth], labels[depth:]

    def order(self) -> Order:
        """The items sorted by score."""
        return sort_by_score(self.scores, self.offsets, self.depth)


def plain(y: float) -> float:
    """Whole numbers as ints, so that exact arithmetic stays exact."""
    return int(y) if y == int(y) else y


def lists_for(metric: Metric, order: Order, labels: np.ndarray) -> RankedLists:
    """What the metric's kernel reads."""
    lists = RankedLists.from_order(order, labels).with_unjudged(
        "keep" if metric.sees_unjudged else metric.unjudged
    )
    metric.check(lists.labels)
    return lists


def values(metric: Metric, data: Ragged) -> np.ndarray:
    """The metric's value of every query, NaN for an empty one."""
    return metric.per_query(lists_for(metric, data.order(), data.labels))


# Pools of scores: all different, few values, signed zeros, neighbours in the last bit, the ends of the scale.
SCORES = (
    (0.0,),
    (0.0, 1.0),
    (1.0, 2.0, 3.0),
    (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
    (0.0, -0.0, 5e-324, -5e-324),
    (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0), 1.0 + 2.0**-40),
    (math.inf, -math.inf, 1.7976931348623157e308, -1.7976931348623157e308, 0.0),
)
# Pools of labels: at most four values each, so that listing all rankings stays short. Some are far apart, so
# that a small sum got as a difference of large ones would show.
LABELS = (
    (0.0, 1.0),
    (0.0,),
    (1.0,),
    (0.0, 1.0, 2.0, 3.0),
    (0.0, 0.5, 1.0, 2.5),
    (-2.0, -1.0, 0.0, 1.0),
    (-1.0, -0.5),
    (-0.0, 0.0, 3.0),
    (0.1, 0.2, 0.30000000000000004, 0.3),
    (0.0, 1.0, 60.0),
    (0.0, 2.0, 63.0, 64.0),
    (-30.5, 1.0, 70.5, 300.0),
)


MISSED = 2


@cache
def label_pools(metric: Metric) -> tuple[tuple[float, ...], ...]:
    """The pools within the metric's domain."""
    return tuple(pool for pool in LABELS if accepts(metric, pool))


def accepts(metric: Metric, labels: Sequence[float]) -> bool:
    """Whether the labels are in the metric's domain."""
    try:
        metric.check(np.array(labels, dtype=np.float64))
    except DataError:
        return False
    return True


def queries(
    metric: Metric, *, least: int = 0, most: int = 7, unjudged: bool = True, missed: bool = True
) -> st.SearchStrategy[Query]:
    """One query: scores, labels (NaN: not judged), labels of judged items that were not retrieved.

    Drawn as one string of bytes, which is several times quicker than number by number: four that choose the
    pools and the lengths, then one per item.
    """
    pools = label_pools(metric)

    def read(drawn: bytes) -> Query:
        first, second, third, fourth = drawn[:4]
        grades, scores = pools[first % len(pools)], SCORES[second % len(SCORES)]
        shown = (*grades, math.nan) if unjudged and first // len(pools) % 2 else grades
        n = least + third % (most - least + 1)
        tail = fourth % (MISSED + 1) if missed else 0
        ranked, rest = drawn[4 : 4 + n], drawn[4 + n : 4 + n + tail]
        return (
            [scores[b % 16 % len(scores)] for b in ranked],
            [shown[b // 16 % len(shown)] for b in ranked],
            [grades[b // 16 % len(grades)] for b in rest],
        )

    size = 4 + most + MISSED
    return st.binary(min_size=size, max_size=size).map(read)


def ragged(
    metric: Metric, *, most: int = 7, unjudged: bool = True, missed: bool = True, several: int = 4
) -> st.SearchStrategy[Ragged]:
    """A few queries, empty ones among them."""
    one = queries(metric, most=most, unjudged=unjudged, missed=missed)
    return st.lists(one, min_size=1, max_size=several).map(Ragged.of)
