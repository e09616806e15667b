"""nDCG at the cutoffs 1 to 20, of systems and of the constant scorer beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from rankproof.errors import RankproofError
from rankproof.evaluation.evaluate import evaluate
from rankproof.evaluation.results import Results
from rankproof.metrics.base import Metric
from rankproof.metrics.ndcg import NDCG

__all__ = ["CUTOFFS", "CutoffMeans", "cutoff_means", "evaluate_with_cutoffs"]

CUTOFFS = range(1, 21)


@dataclass(frozen=True)
class CutoffMeans:
    """Mean nDCG at every cutoff, by system; ``problem`` says why there is none.

    ``constants`` has what the constant scorer gets on the queries of each system.
    """

    systems: Mapping[str, Sequence[float]] = field(default_factory=dict)
    constants: Mapping[str, Sequence[float]] = field(default_factory=dict)
    problem: str | None = None


def cutoff_means(
    systems: Mapping[str, Any], judged: Any, like: Metric | None = None, **options: Any
) -> CutoffMeans:
    """The means of several systems; ``like`` is an nDCG whose gain and discount are to be taken.

    ``options`` go to `evaluate`.

    >>> means = cutoff_means({"up": [2, 1], "down": [1, 2]}, [1, 0], offsets=[0, 2])
    >>> [(name, round(values[0], 3)) for name, values in means.systems.items()]
    [('up', 1.0), ('down', 0.0)]
    """
    metrics = _at_cutoffs(like)
    try:
        results = {
            name: evaluate(scores, judged, metrics, warn=False, **options) for name, scores in systems.items()
        }
        return _means(results, metrics)
    except RankproofError as problem:
        return CutoffMeans(problem=str(problem))


def evaluate_with_cutoffs(
    scores: Any, judged: Any, metric: Metric, name: str, **options: Any
) -> tuple[Results, CutoffMeans]:
    """The results of a metric, and nDCG at all cutoffs, from one evaluation of the scores.

    Where nDCG cannot be computed the metric is evaluated alone.
    """
    metrics = _at_cutoffs(metric)
    try:
        together = evaluate(scores, judged, [metric, *metrics], warn=False, **options)
        # Asked for by the results and by the curves.
        together = replace(together, baseline=cache(together.baseline))
        means = _means({name: together}, metrics)
    except RankproofError as problem:
        return evaluate(scores, judged, metric, warn=False, **options), CutoffMeans(problem=str(problem))
    return _only(together, str(metric)), means


def _at_cutoffs(like: Metric | None) -> list[Metric]:
    base = like if isinstance(like, NDCG) else NDCG()
    return [base @ k for k in CUTOFFS]


def _means(results: Mapping[str, Results], metrics: Sequence[Metric]) -> CutoffMeans:
    names = [str(metric) for metric in metrics]
    return CutoffMeans(
        {system: [one.mean[name] for name in names] for system, one in results.items()},
        {system: [one.constant[name] for name in names] for system, one in results.items()},
    )


def _only(results: Results, name: str) -> Results:
    """The results of one of several metrics."""
    return replace(
        results,
        per_query={name: results.per_query[name]},
        metrics={name: results.metrics[name]},
        empty={name: results.empty[name]},
        baseline=lambda kind: {name: results.baseline(kind)[name]},
    )
