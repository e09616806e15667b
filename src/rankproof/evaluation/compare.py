"""`compare`: several systems on the same queries, paired tests, a winner only where the test shows one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, as_whole_number
from rankproof.errors import ArgumentError
from rankproof.evaluation.comparison import Comparison
from rankproof.evaluation.defaults import CORRECTION, RESAMPLES, SAMPLES, SEED, SIGNIFICANCE, TEST
from rankproof.evaluation.evaluate import evaluate
from rankproof.evaluation.pairs import PairedTest, correct_together, paired_tests
from rankproof.evaluation.results import Results
from rankproof.ids import as_ids
from rankproof.metrics.base import MetricLike
from rankproof.threads import using

__all__ = ["Comparison", "compare"]


def compare(
    systems: Mapping[str, Any],
    data: Any,
    metrics: MetricLike | Iterable[MetricLike],
    *,
    baseline: str | None = None,
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
    metrics : Metric, str, function or list of these
        ``["nDCG@10", "AP(rel=2)"]``; see `rankproof.metric` for the parameters of a metric. A function
        ``(ranking, feedback) -> number`` is a metric of your own; see `rankproof.own_metric`.
    baseline : str, optional
        The name of one system: the others are tested against it, and not against each other. Fewer tests are
        corrected for, so that smaller differences are shown.
    test : "randomisation", "t" or "wilcoxon"
        The paired test that decides; all three are reported. Randomisation turns the signs of the differences
        by chance and assumes nothing of their distribution; Student's t takes their mean to be normal;
        Wilcoxon's looks at the ranks of their sizes.
    level : float
        The accepted chance of naming any false winner. Intervals of means have level ``1 - level``; the
        interval of a difference is Student's, at the level at which Holm's correction tested the pair.
    correction : "metric" or "all"
        Holm's correction over all pairs of each metric, or over all pairs of all metrics together.
    seed : int
        Of the bootstrap and of a randomisation test that is sampled.
    resamples : int
        Of the bootstrap that makes the intervals of means.
    samples : int
        Of the randomisation test, where not all sign patterns are counted. A p-value on which a decision
        hangs is looked at again, so that the chance that sampling changes any decision is below 1 in 1000;
        where that would take too long the pair is "within sampling error", and has no winner.
    weights : array, one weight per query, optional
        Means, differences and tests are weighted by them. A `RankingData` brings its own. With weights, all
        systems must have the same queries in the same order.
    threads : int, optional
        How many threads; the numbers do not depend on it.
    **more
        ``offsets``, ``qid``, ``convention``, ``missing``, ``depth`` and ``warn`` of `rankproof.evaluate`.

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
    names = [str(name) for name in systems]
    if baseline is not None and baseline not in names:
        raise ArgumentError(
            f"Argument baseline must be one of the systems, {', '.join(names)}; got {baseline!r}."
        )
    resamples = as_whole_number("resamples", resamples, 1)
    with using(threads):
        results = {
            str(name): replace(
                evaluate(scores, data, metrics, weights=weights, level=1.0 - level, seed=seed, **more),
                resamples=resamples,
            )
            for name, scores in systems.items()
        }
        results = _aligned(results)
        first = next(iter(results.values()))
        tested = [
            paired_tests(
                {name: r.per_query[m] for name, r in results.items()},
                seed=seed,
                samples=samples,
                weights=first.weights,
                greater_is_better=metric.direction == "higher",
                baseline=baseline,
            )
            for m, metric in first.metrics.items()
        ]
        if correction == "all":
            families = correct_together(tested, test=test, level=level)
        else:
            families = [correct_together([one], test=test, level=level)[0] for one in tested]
        pairs = dict(zip(first.metrics, families, strict=True))
        return Comparison(results, pairs, test, level, correction, baseline)


def _aligned(results: dict[str, Results]) -> dict[str, Results]:
    """All systems on the union of their queries, in the first system's order; NaN where one has no value."""
    first = next(iter(results.values()))
    if all(np.array_equal(r.query_ids, first.query_ids) for r in results.values()):
        return results
    union = as_ids(list(dict.fromkeys(q for r in results.values() for q in r.query_ids.tolist())))
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
