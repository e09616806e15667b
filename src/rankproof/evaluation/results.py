"""`Results`: what `rankproof.evaluate` returns. Intervals and baselines are computed when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import RankproofError
from rankproof.evaluation.bootstrap import Interval, mean_interval
from rankproof.evaluation.by_metric import ByMetric
from rankproof.evaluation.defaults import RESAMPLES
from rankproof.evaluation.per_query import weighted_mean
from rankproof.evaluation.tables import Table, as_csv, as_html, as_latex, as_text, number
from rankproof.metrics import Metric
from rankproof.plain import json_text, plain_number
from rankproof.threads import using

__all__ = ["Bounds", "Results"]

_SCHEMA = "rankproof.results/1"
# The words of the table that a newcomer cannot know.
_WORDS = (
    "constant: all items get the same score; random: a random order; empty: queries with nothing to rank, "
    "such as those without a relevant item"
)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Per query, the worst and the best value over all ways to break ties."""

    worst: Float64s
    best: Float64s


@dataclass(frozen=True, eq=False)
class KnownBaselines:
    """Baselines per query, by kind and metric, that have been computed; or the error that came of it."""

    values: Mapping[str, dict[str, Float64s] | RankproofError]

    @classmethod
    def from_function(cls, baseline: Callable[[str], dict[str, Float64s]]) -> KnownBaselines:
        """What the function gives for every kind."""
        if isinstance(baseline, KnownBaselines):
            return baseline
        values: dict[str, dict[str, Float64s] | RankproofError] = {}
        for kind in ("constant", "random"):
            try:
                values[kind] = baseline(kind)
            except RankproofError as error:
                values[kind] = error
        return cls(values)

    def __call__(self, kind: str) -> dict[str, Float64s]:
        values = self.values[kind]
        if isinstance(values, RankproofError):
            raise values
        return values


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """Metrics of one system: per query, in the mean, with interval, counts and baselines.

    Mappings by metric understand every name of it: ``mean["MAP"]`` and ``mean["map"]`` are ``mean["AP"]``.

    Attributes
    ----------
    query_ids : array
        The queries, in the order of the arrays in ``per_query``.
    per_query : mapping of metric to array
        NaN where a query was skipped as empty.
    mean : mapping of metric to number
        The (weighted) mean over the queries that count.
    interval : mapping of metric to `Interval`
        Bootstrap over queries; computed when first asked for.
    empty : mapping of metric to int
        How many queries were empty for the metric, whatever the policy then made of them.
    counted : mapping of metric to int
        How many queries the mean is over.
    tied : array of bool
        Which queries have tied scores.
    unjudged, items : int
        Retrieved items without a judgment, and retrieved items in all.
    constant, random : mapping of metric to number
        What a constant scorer gets under this convention's tie rule, and a random ranking in expectation.
    bounds : mapping of metric to `Bounds`, or None
        The worst and best value over all ways to break ties; None unless ``bounds=True`` was asked for.
    metrics : mapping of the asked metric to the metric as the convention defines it
        The two differ where the convention has its own gains, cutoffs or rules for empty queries.
    """

    query_ids: NDArray[Any]
    per_query: Mapping[str, Float64s]
    metrics: Mapping[str, Metric]
    weights: Float64s | None
    empty: Mapping[str, int]
    tied: NDArray[np.bool_]
    unjudged: int
    items: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    convention: str
    bounds: Mapping[str, Bounds] | None
    level: float
    seed: int
    baseline: Callable[[str], dict[str, Float64s]] = field(repr=False)
    # How many items of every ranking were looked at; all when None.
    depth: int | None = None
    # How many threads were asked for: what is computed later keeps to it.
    threads: int | None = None
    resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        for name in ("per_query", "metrics", "empty", "bounds"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, ByMetric(value))

    @cached_property
    def mean(self) -> dict[str, float]:
        """The (weighted) mean of each metric over the queries that count."""
        return self._means(self.per_query)

    @cached_property
    def interval(self) -> dict[str, Interval]:
        """Bootstrap interval of each mean over queries."""
        intervals: dict[str, Interval] = ByMetric()
        with using(self.threads):
            for name, values in self.per_query.items():
                counts = ~np.isnan(values)
                weights = None if self.weights is None else self.weights[counts]
                intervals[name] = mean_interval(
                    values[counts],
                    weights=weights,
                    level=self.level,
                    resamples=self.resamples,
                    seed=self.seed,
                )
            return intervals

    @cached_property
    def counted(self) -> dict[str, int]:
        """How many queries each mean is over."""
        return ByMetric({name: int((~np.isnan(values)).sum()) for name, values in self.per_query.items()})

    @cached_property
    def constant(self) -> dict[str, float]:
        """What a scorer that gives every item the same score would get."""
        with using(self.threads):
            return self._means(self.baseline("constant"))

    @cached_property
    def random(self) -> dict[str, float]:
        """The expected value of a random ranking of the retrieved items."""
        with using(self.threads):
            return self._means(self.baseline("random"))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: the baselines themselves, in place of what computes them."""
        with using(self.threads):
            return {**vars(self), "baseline": KnownBaselines.from_function(self.baseline)}

    def _means(self, values: Mapping[str, Float64s]) -> dict[str, float]:
        return ByMetric({name: weighted_mean(v, self.weights) for name, v in values.items()})

    def table(self) -> Table:
        """One row per metric: mean, interval, baselines, counts."""
        columns = ["metric", "mean", f"{self.level:.0%} interval", "constant", "random", "queries", "empty"]
        if self.bounds is not None:
            columns += ["worst ties", "best ties"]
        rows = []
        for name in self.per_query:
            interval = self.interval[name]
            row = [
                *(name, number(self.mean[name]), f"[{number(interval.low)}, {number(interval.high)}]"),
                *(number(self.constant[name]), number(self.random[name])),
                *(str(self.counted[name]), str(self.empty[name])),
            ]
            if self.bounds is not None:
                row.append(number(weighted_mean(self.bounds[name].worst, self.weights)))
                row.append(number(weighted_mean(self.bounds[name].best, self.weights)))
            rows.append(row)
        return Table(columns, rows, [*self.notes(), _WORDS])

    def notes(self) -> list[str]:
        """What a reader must know beside the numbers."""
        queries = self.query_ids.size
        lines = [
            f"{queries} queries, {self.items} items; convention: {self.convention}",
            f"tied scores in {int(self.tied.sum())} queries; unjudged items: {self.unjudged}",
        ]
        if self.depth is not None:
            lines.append(f"depth: the first {self.depth} items of every ranking")
        other = [f"{name} = {m}" for name, m in self.metrics.items() if name != str(m)]
        if other:
            lines.append("as defined by " + self.convention + ": " + ", ".join(other))
        if self.missing:
            lines.append(f"judged queries missing from the run: {len(self.missing)} ({_some(self.missing)})")
        if self.unknown:
            lines.append(
                f"queries of the run without judgments, left out: {len(self.unknown)} ({_some(self.unknown)})"
            )
        return lines

    def per_query_table(self) -> Table:
        """One row per query, one column per metric."""
        rows = [
            [str(q), *(number(values[i], "-") for values in self.per_query.values())]
            for i, q in enumerate(self.query_ids.tolist())
        ]
        return Table(["query", *self.per_query], rows, [])

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Plain data, versioned by ``schema``; NaN becomes None."""
        rows = []
        for name, m in self.metrics.items():
            interval = self.interval[name]
            row: dict[str, Any] = {
                "metric": name,
                "as": str(m),
                "direction": m.direction,
                "mean": plain_number(self.mean[name]),
                "interval": [plain_number(interval.low), plain_number(interval.high)],
                "level": interval.level,
                "constant": plain_number(self.constant[name]),
                "random": plain_number(self.random[name]),
                "queries": self.counted[name],
                "empty": self.empty[name],
            }
            if self.bounds is not None:
                row["worst_ties"] = plain_number(weighted_mean(self.bounds[name].worst, self.weights))
                row["best_ties"] = plain_number(weighted_mean(self.bounds[name].best, self.weights))
            if per_query:
                row["per_query"] = [plain_number(v) for v in self.per_query[name].tolist()]
            rows.append(row)
        plain: dict[str, Any] = {
            "schema": _SCHEMA,
            "convention": self.convention,
            "queries": int(self.query_ids.size),
            "items": self.items,
            "tied_queries": int(self.tied.sum()),
            "unjudged_items": self.unjudged,
            "missing_queries": list(self.missing),
            "unknown_queries": list(self.unknown),
            "metrics": rows,
        }
        if self.depth is not None:
            plain["depth"] = self.depth
        if per_query:
            plain["query_ids"] = self.query_ids.tolist()
        return plain

    def to_json(self, *, per_query: bool = False) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict(per_query=per_query))

    def to_csv(self, *, per_query: bool = False) -> str:
        """Comma-separated text, numbers in full: a row per metric, or a row per query.

        A row ends with the convention; that of a metric also with the metric as the convention defines it.
        """
        if per_query:
            body = [
                [str(q), *(_full(v[i]) for v in self.per_query.values()), self.convention]
                for i, q in enumerate(self.query_ids.tolist())
            ]
            return as_csv(["query", *self.per_query, "convention"], body)
        header = ["metric", "mean", "low", "high", "constant", "random", "queries", "empty"]
        header += ["convention", "as"]
        rows = []
        for name in self.per_query:
            interval = self.interval[name]
            numbers = (self.mean[name], interval.low, interval.high, self.constant[name], self.random[name])
            counts = (str(self.counted[name]), str(self.empty[name]))
            rows.append([name, *map(_full, numbers), *counts, self.convention, str(self.metrics[name])])
        return as_csv(header, rows)

    def to_latex(self, *, per_query: bool = False) -> str:
        """A LaTeX tabular (booktabs)."""
        return as_latex(self.per_query_table() if per_query else self.table())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per query, one column per metric."""
        from rankproof.data.frames import frame_of

        return frame_of({"query": self.query_ids, **self.per_query}, backend, nullable=list(self.per_query))

    def __str__(self) -> str:
        return as_text(self.table())

    def _repr_html_(self) -> str:
        return as_html(self.table())

    def __repr__(self) -> str:
        means = ", ".join(f"{name}={number(value)}" for name, value in self.mean.items())
        return f"Results({self.query_ids.size} queries: {means})"


def _full(value: float) -> str:
    return "" if np.isnan(value) else repr(float(value))


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
