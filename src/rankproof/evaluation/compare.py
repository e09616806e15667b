"""`compare`: several systems on the same queries, paired tests, a winner only where the test shows one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.evaluation.comparison_text import csv_rows, pair_rows, plain_dict, system_table
from rankproof.evaluation.defaults import CORRECTION, RESAMPLES, SAMPLES, SEED, SIGNIFICANCE, TEST
from rankproof.evaluation.evaluate import evaluate
from rankproof.evaluation.letters import letters
from rankproof.evaluation.pairs import PairedTest, PairResult, adjust_together, compare_pairs, pair_table
from rankproof.evaluation.results import Results
from rankproof.evaluation.tables import Table, as_csv, as_html, as_latex, as_text
from rankproof.metrics import Metric
from rankproof.plain import json_text
from rankproof.threads import using

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `rankproof.compare` found.

    Attributes
    ----------
    results : mapping of system to `Results`
        All on the same queries in the same order; NaN where a system has no value.
    pairs : mapping of metric to the list of `PairResult`, one per pair of systems
        The difference between the two systems, with its interval, tests and winner.
    test, level, correction
        How winners are decided; see `rankproof.compare`.
    """

    results: Mapping[str, Results]
    pairs: Mapping[str, list[PairResult]]
    test: str
    level: float
    correction: str

    @property
    def systems(self) -> list[str]:
        """The names of the systems, as given."""
        return list(self.results)

    @property
    def metrics(self) -> list[str]:
        """The metrics, as asked for."""
        return list(self.pairs)

    def winner(self, metric: str) -> str | None:
        """The system that is shown to be better than every other, or None."""
        best = {
            name
            for name in self.systems
            if all(p.winner == name for p in self.pairs[metric] if name in (p.a, p.b))
        }
        return best.pop() if best else None

    def letters(self, metric: str) -> dict[str, str]:
        """Significance letters: two systems share a letter exactly when no difference was shown."""
        sign = -1.0 if self._lower(metric) else 1.0
        means = [sign * r.mean[metric] for r in self.results.values()]
        return letters(self.systems, means, [(p.a, p.b) for p in self.pairs[metric] if p.significant])

    def _lower(self, metric: str) -> bool:
        return next(iter(self.results.values())).metrics[metric].direction == "lower"

    def table(self) -> Table:
        """One row per system: mean, interval and letters of each metric, and the constant scorer."""
        return system_table(self.results, {m: self.letters(m) for m in self.metrics}, self.notes())

    def pair_table(self, metric: str) -> Table:
        """One row per pair of systems: difference, interval, tests, effect, wins, winner."""
        return pair_table(self.pairs[metric], self.test)

    def notes(self) -> list[str]:
        """How to read the tables."""
        shown = []
        for m in self.metrics:
            best = self.winner(m)
            shown.append(
                f"{m}: {best} is better than every other" if best else f"{m}: no system is shown to be best"
            )
        family = "pairs of all metrics" if self.correction == "all" else "pairs of each metric"
        return [
            "letters: systems that share one are not shown to differ",
            f"decided by the {self.test} test, Holm over the {family}, level {self.level:g}",
            *shown,
        ]

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Plain data, versioned by ``schema``; NaN becomes None."""
        return plain_dict(self, per_query=per_query)

    def to_json(self, *, per_query: bool = False) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict(per_query=per_query))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per metric and pair of systems."""
        from rankproof.data.frames import frame_of_rows

        return frame_of_rows(pair_rows(self.pairs), backend)

    def to_csv(self) -> str:
        """Comma-separated text, numbers in full: a row per metric and pair."""
        return as_csv(*csv_rows(self.pairs))

    def to_latex(self) -> str:
        """A LaTeX tabular (booktabs) of the systems."""
        return as_latex(self.table())

    def __str__(self) -> str:
        pairs = (f"\n{m}\n" + as_text(self.pair_table(m)) for m in self.metrics)
        return "\n".join([as_text(self.table()), *pairs])

    def _repr_html_(self) -> str:
        pairs = (as_html(self.pair_table(m), title=m) for m in self.metrics)
        return f"<div>{as_html(self.table())}{''.join(pairs)}</div>"

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.systems)}; {', '.join(self.metrics)})"


def compare(
    systems: Mapping[str, Any],
    data: Any,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    test: PairedTest = TEST,
    level: float = SIGNIFICANCE,
    correction: str = CORRECTION,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    samples: int = SAMPLES,
    weights: Any = None,
    threads: int | None = None,
    **more: Any,
) -> Comparison:
    """Compare systems on the same queries, and name a winner only where a paired test shows one.

    Parameters
    ----------
    systems : mapping of name to scores (or to a `Run`)
        At least two.
    data : `RankingData`, `Qrels` or labels
        As in `rankproof.evaluate`.
    metrics : Metric, str or list of these
        ``["nDCG@10", "AP(rel=2)"]``; see `rankproof.metric` for the parameters of a metric.
    test : "randomisation", "t" or "wilcoxon"
        The paired test that decides; all three are reported. Randomisation turns the signs of the differences
        by chance and assumes nothing of their distribution; Student's t takes their mean to be normal;
        Wilcoxon's looks at the ranks of their sizes.
    level : float
        The accepted chance of naming any false winner; intervals have level ``1 - level``.
    correction : "metric" or "all"
        Holm's correction over all pairs of each metric, or over all pairs of all metrics together.
    seed : int
        Of the bootstrap and of a randomisation test that is sampled.
    resamples : int
        Of the bootstrap.
    samples : int
        Of the randomisation test, where not all sign patterns are counted.
    weights : array, one weight per query, optional
        Means, differences and tests are weighted by them. A `RankingData` brings its own. With weights, all
        systems must have the same queries in the same order.
    threads : int, optional
        How many threads; the numbers do not depend on it.
    **more
        ``offsets``, ``qid``, ``convention`` and ``missing`` of `rankproof.evaluate`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> labels, starts = [2, 0, 1, 0, 1, 0], [0, 2, 4, 6]
    >>> scores = {"up": [2, 1, 2, 1, 2, 1], "down": [1, 2, 1, 2, 1, 2]}
    >>> comparison = compare(scores, labels, "nDCG", offsets=starts)
    >>> comparison.winner("nDCG") is None  # three queries cannot show anything
    True
    """
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise ArgumentError(
            f"compare needs a mapping of at least two system names to scores, got {systems!r}."
        )
    if correction not in ("metric", "all"):
        raise ArgumentError(f"Argument correction must be 'metric' or 'all', got {correction!r}.")
    with using(threads):
        results = {
            str(name): evaluate(scores, data, metrics, weights=weights, level=1.0 - level, seed=seed, **more)
            for name, scores in systems.items()
        }
        results = _aligned(results)
        first = next(iter(results.values()))
        families = [
            compare_pairs(
                {name: r.per_query[m] for name, r in results.items()},
                test=test,
                level=level,
                seed=seed,
                resamples=resamples,
                samples=samples,
                weights=first.weights,
                greater_is_better=metric.direction == "higher",
            )
            for m, metric in first.metrics.items()
        ]
        if correction == "all":
            families = adjust_together(families)
        return Comparison(results, dict(zip(first.metrics, families, strict=True)), test, level, correction)


def _aligned(results: dict[str, Results]) -> dict[str, Results]:
    """All systems on the union of their queries, in the first system's order; NaN where one has no value."""
    first = next(iter(results.values()))
    if all(np.array_equal(r.query_ids, first.query_ids) for r in results.values()):
        return results
    union = np.array(list(dict.fromkeys(q for r in results.values() for q in r.query_ids.tolist())))
    place = {q: i for i, q in enumerate(union.tolist())}
    if any(r.weights is not None for r in results.values()):
        raise ArgumentError("Argument weights needs systems with the same queries in the same order.")
    return {
        name: _spread(r, union, np.array([place[q] for q in r.query_ids.tolist()]))
        for name, r in results.items()
    }


def _spread(r: Results, union: NDArray[Any], at: NDArray[np.int64]) -> Results:
    def moved(values: Float64s) -> Float64s:
        wide = np.full(union.size, np.nan)
        wide[at] = values
        return wide

    tied = np.zeros(union.size, np.bool_)
    tied[at] = r.tied
    return replace(
        r,
        query_ids=union,
        per_query={m: moved(v) for m, v in r.per_query.items()},
        tied=tied,
        baseline=lambda kind: {m: moved(v) for m, v in r.baseline(kind).items()},
    )
