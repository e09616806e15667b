"""`Comparison`: what `rankproof.compare` returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.evaluation.by_metric import ByMetric
from rankproof.evaluation.comparison_latex import latex_table, per_query_latex
from rankproof.evaluation.comparison_text import (
    basis,
    comparison_rows,
    csv_rows,
    per_query_rows,
    plain_dict,
    system_table,
)
from rankproof.evaluation.defaults import MOST_PAIRS
from rankproof.evaluation.letters import letters
from rankproof.evaluation.pair_result import PairResult, pair_table
from rankproof.evaluation.results import Results
from rankproof.evaluation.tables import Table, as_csv, as_html, as_text, number
from rankproof.plain import json_text
from rankproof.shown import visible

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `rankproof.compare` found.

    Mappings and methods by metric understand every name of it: ``winner("MAP")`` is ``winner("AP")``.

    Attributes
    ----------
    results : mapping of system to `Results`
        All on the same queries in the same order; NaN where a system has no value.
    pairs : mapping of metric to the list of `PairResult`, one per pair of systems
        The difference between the two systems, with its interval, tests and winner.
    test, level, correction, baseline
        How winners are decided; see `rankproof.compare`.
    """

    results: Mapping[str, Results]
    pairs: Mapping[str, list[PairResult]]
    test: str
    level: float
    correction: str
    baseline: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", ByMetric(self.pairs))

    @property
    def systems(self) -> list[str]:
        """The names of the systems, as given."""
        return list(self.results)

    @property
    def metrics(self) -> list[str]:
        """The metrics, as asked for."""
        return list(self.pairs)

    def ranked(self, metric: str) -> list[str]:
        """The systems, best mean first."""
        sign = 1.0 if self._lower(metric) else -1.0
        worst_last = {
            name: math.inf if math.isnan(r.mean[metric]) else sign * r.mean[metric]
            for name, r in self.results.items()
        }
        return sorted(self.systems, key=lambda name: worst_last[name])

    def winner(self, metric: str) -> str | None:
        """The system that is shown to be better than every other, or None."""
        for name in self.systems:
            own = [p for p in self.pairs[metric] if name in (p.a, p.b)]
            # With a baseline, other systems were tested against nothing else.
            if len(own) == len(self.systems) - 1 and all(p.winner == name for p in own):
                return name
        return None

    def against_baseline(self, metric: str) -> dict[str, str]:
        """What was shown of every other system: ``"better"``, ``"worse"`` or ``"not shown to differ"``."""
        if self.baseline is None:
            raise ArgumentError("The comparison has no baseline. Give compare(..., baseline=NAME) one.")
        return {p.a: _shown(p, self.baseline) for p in self.pairs[metric]}

    def letters(self, metric: str) -> dict[str, str]:
        """Significance letters: two systems share a letter exactly when no difference was shown."""
        if self.baseline is not None and len(self.systems) > 2:
            raise ArgumentError(
                f"Letters need all pairs of systems, and only those with the baseline {self.baseline!r} were "
                "tested. Use against_baseline, or compare without a baseline."
            )
        sign = -1.0 if self._lower(metric) else 1.0
        means = [sign * r.mean[metric] for r in self.results.values()]
        return letters(self.systems, means, [(p.a, p.b) for p in self.pairs[metric] if p.significant])

    def marks(self, metric: str) -> dict[str, str]:
        """Beside the mean of every system: its letters, or what was shown against the baseline."""
        if self.baseline is None:
            return self.letters(metric)
        return {self.baseline: "baseline", **self.against_baseline(metric)}

    def _lower(self, metric: str) -> bool:
        return next(iter(self.results.values())).metrics[metric].direction == "lower"

    def table(self) -> Table:
        """One row per system, the best by the first metric on top, and the constant scorer.

        Mean and interval of each metric, then letters, or what was shown against the baseline.
        """
        ordered = {name: self.results[name] for name in self.ranked(self.metrics[0])}
        title = "letters" if self.baseline is None else f"against {self.baseline}"
        return system_table(ordered, {m: self.marks(m) for m in self.metrics}, title, self.notes())

    def pair_table(self, metric: str) -> Table:
        """One row per pair of systems: difference, interval, tests, effect, wins, winner."""
        return pair_table(self.pairs[metric], self.test)

    @property
    def shows_pairs(self) -> bool:
        """Whether there are so few pairs that they are printed below the systems."""
        return all(len(listed) <= MOST_PAIRS for listed in self.pairs.values())

    def per_query_table(self) -> Table:
        """One row per query and system, one column per metric."""
        rows = [
            [query, system, *(number(value, "-") for value in values)]
            for query, system, *values in per_query_rows(self.results)
        ]
        return Table(["query", "system", *self.metrics], rows, [], text_columns=["system"])

    def notes(self) -> list[str]:
        """What a reader must know beside the tables."""
        how = (
            f"significance: paired {self.test} test, Holm's correction over the {self.family}, level "
            f"{self.level:g}"
        )
        lines = [*basis(self.results), how]
        if self.baseline is None:
            lines.insert(0, "letters: systems that share a letter do not differ significantly")
        every = [p for listed in self.pairs.values() for p in listed]
        error = max((p.p_error for p in every), default=0.0)
        if error > 0.0:
            lines.append(f"p is sampled, with a standard error of at most {error:.1g}")
        for m in self.metrics:
            open_ = [f"{p.a} - {p.b}" for p in self.pairs[m] if p.undecided]
            if open_:
                lines.append(f"{m}: within sampling error: {', '.join(open_)}")
            lines.append(f"{m}: {self.outcome(m)}")
        return lines

    def outcome(self, metric: str) -> str:
        """What was shown under a metric, in words."""
        if self.baseline is None or len(self.systems) == 2:
            best = self.winner(metric)
            if best is None:
                return "no system is significantly better than all others"
            return f"{best} is significantly better than every other system"
        said = self.against_baseline(metric)
        better = [name for name, what in said.items() if what == "better"]
        worse = [name for name, what in said.items() if what == "worse"]
        return (
            f"better than {self.baseline}: {', '.join(better) or 'none shown'}; "
            f"worse: {', '.join(worse) or 'none shown'}"
        )

    @property
    def family(self) -> str:
        """What Holm's correction was over."""
        which = "pairs" if self.baseline is None else f"pairs with {self.baseline}"
        return f"{which} of all metrics" if self.correction == "all" else f"{which} of each metric"

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Plain data, versioned by ``schema``; NaN becomes None."""
        return plain_dict(self, per_query=per_query)

    def to_json(self, *, per_query: bool = False) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict(per_query=per_query))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per metric and pair of systems."""
        from rankproof.data.frames import frame_of_rows

        return frame_of_rows(comparison_rows(self), backend)

    def to_csv(self, *, per_query: bool = False) -> str:
        """Comma-separated text, numbers in full: a row per metric and pair, or per query and system.

        Every row ends with the convention. A query without a value does not count.
        """
        if per_query:
            convention = next(iter(self.results.values())).convention
            rows = [
                [query, system, *("" if math.isnan(value) else repr(value) for value in values), convention]
                for query, system, *values in per_query_rows(self.results)
            ]
            return as_csv(["query", "system", *self.metrics, "convention"], rows)
        return as_csv(*csv_rows(comparison_rows(self)))

    def to_latex(self, *, per_query: bool = False) -> str:
        """A LaTeX table for a paper (booktabs): the best in bold, superscripts for what was shown, a caption.

        The caption has the number of queries, the test, the correction and the convention. With ``per_query``
        a row per query and system; the caption has the number of queries and the convention.
        """
        return per_query_latex(self) if per_query else latex_table(self)

    def _pairs_elsewhere(self) -> str:
        return f"{len(self.pairs[self.metrics[0]])} pairs of each metric: pair_table(metric), to_frame()"

    def __str__(self) -> str:
        if not self.shows_pairs:
            return f"{as_text(self.table())}\n{self._pairs_elsewhere()}"
        pairs = (f"\n{m}\n" + as_text(self.pair_table(m)) for m in self.metrics)
        return "\n".join([as_text(self.table()), *pairs])

    def _repr_html_(self) -> str:
        if not self.shows_pairs:
            return f"<div>{as_html(self.table())}<p>{self._pairs_elsewhere()}</p></div>"
        pairs = (as_html(self.pair_table(m), title=m) for m in self.metrics)
        return f"<div>{as_html(self.table())}{''.join(pairs)}</div>"

    def __repr__(self) -> str:
        return f"Comparison({', '.join(map(visible, self.systems))}; {', '.join(self.metrics)})"


def _shown(p: PairResult, baseline: str) -> str:
    if p.undecided:
        return "within sampling error"
    if p.winner is None:
        return "not shown to differ"
    return "worse" if p.winner == baseline else "better"
