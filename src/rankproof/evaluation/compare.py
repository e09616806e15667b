"""`compare`: several systems on the same queries, paired tests, a winner only where the test shows one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.evaluation.comparison_text import csv_rows, pair_table, plain_dict, system_table
from rankproof.evaluation.letters import letters
from rankproof.evaluation.pairs import PairedTest, PairResult, adjust_together, compare_pairs
from rankproof.evaluation.results import Results
from rankproof.evaluation.run import evaluate
from rankproof.evaluation.tables import Table, as_csv, as_latex, as_text
from rankproof.metrics import Metric

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `rankproof.compare` found.

    Attributes
    ----------
    results : mapping of system to `Results`
        All on the same queries in the same order; NaN where a system has no value.
    pairs : mapping of metric to the list of `PairResult`, one per pair of systems
    test, level, correction : how winners are decided
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
        found = {
            name
            for name in self.systems
            if all(p.winner == name for p in self.pairs[metric] if name in (p.a, p.b))
        }
        return found.pop() if found else None

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
        import json

        return json.dumps(self.to_dict(per_query=per_query), ensure_ascii=False)

    def to_csv(self) -> str:
        """Comma-separated text, numbers in full: a row per metric and pair."""
        return as_csv(*csv_rows(self.pairs))

    def to_latex(self) -> str:
        """A LaTeX tabular (booktabs) of the systems."""
        return as_latex(self.table())

    def __str__(self) -> str:
        pairs = (f"\n{m}\n" + as_text(self.pair_table(m)) for m in self.metrics)
        return "\n".join([as_text(self.table()), *pairs])

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.systems)}; {', '.join(self.metrics)})"


def compare(
    systems: Mapping[str, Any],
    data: Any,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    test: PairedTest = "randomisation",
    level: float = 0.05,
    correction: str = "metric",
    seed: int = 0,
    resamples: int = 10_000,
    samples: int = 100_000,
    weights: Any = None,
    threads: int | None = None,
    **more: Any,
) -> Comparison:
    """Compare systems on the same queries.

    Parameters
    ----------
    systems : mapping of name to scores (or to a `Run`)
    data, metrics, weights and the keywords of `rankproof.evaluate`
        ``offsets``, ``qid``, ``convention``, ``missing`` go to `evaluate` as they are.
    test : "randomisation", "t" or "wilcoxon"
        The paired test that decides; all three are reported.
    level : float
        The accepted chance of naming any false winner.
    correction : "metric" or "all"
        Holm's correction over all pairs of each metric, or over all pairs of all metrics together.
    seed, resamples, samples : of the bootstrap and of the sampled randomisation test

    Examples
    --------
    >>> labels, starts = [2, 0, 1, 0, 1, 0], [0, 2, 4, 6]
    >>> scores = {"up": [2, 1, 2, 1, 2, 1], "down": [1, 2, 1, 2, 1, 2]}
    >>> found = compare(scores, labels, "nDCG", offsets=starts)
    >>> found.winner("nDCG") is None  # three queries cannot show anything
    True
    """
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise ArgumentError(
            f"compare needs a mapping of at least two system names to scores, got {systems!r}."
        )
    if correction not in ("metric", "all"):
        raise ArgumentError(f"Argument correction must be 'metric' or 'all', got {correction!r}.")
    results = {
        str(name): evaluate(
            scores, data, metrics, weights=weights, level=1.0 - level, seed=seed, threads=threads, **more
        )
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
            greater_is_better=found.direction == "higher",
            threads=threads,
        )
        for m, found in first.metrics.items()
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
