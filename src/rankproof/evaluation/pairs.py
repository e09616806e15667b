"""All pairs of systems under one metric: difference, interval, effect, three tests, and who wins, if anyone.

>>> per_query = {"old": [0.1, 0.2, 0.3, 0.2, 0.1, 0.4], "new": [0.5, 0.4, 0.6, 0.7, 0.2, 0.9]}
>>> (pair,) = compare_pairs(per_query)
>>> pair.winner, pair.adjusted, (pair.wins, pair.ties, pair.losses)
('new', 0.03125, (0, 0, 6))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

from numpy.typing import ArrayLike

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.bootstrap import Interval, as_level, mean_interval
from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.effect import Effect, effect_of
from rankproof.evaluation.holm import holm_family
from rankproof.evaluation.paired import Paired, randomisation_of, signed_rank_of, t_of

__all__ = ["PairResult", "PairedTest", "adjust_together", "compare_pairs"]

PairedTest = Literal["randomisation", "t", "wilcoxon"]


@dataclass(frozen=True)
class PairResult:
    """What was found between two systems.

    Attributes
    ----------
    a, b : the names of the systems
    difference : float
        The (weighted) mean of *a - b* over the queries that both have.
    interval : Interval
        Of the difference, at level ``1 - level``, for this pair alone: it is not widened for the other pairs,
        so it may exclude 0 when ``adjusted`` is above ``level``.
    effect : Effect
    tests : the three tests by name
    test : which of them decides
    adjusted : float
        The deciding p-value, Holm-adjusted over its family.
    level : float
    wins, ties, losses : queries on which *a* is above, equal to, below *b*
    n, dropped : queries compared, and left out because either system has no value on them
    greater_is_better : bool
    """

    a: str
    b: str
    difference: float
    interval: Interval
    effect: Effect
    tests: Mapping[str, Paired]
    test: str
    adjusted: float
    level: float
    wins: int
    ties: int
    losses: int
    n: int
    dropped: int
    greater_is_better: bool = True

    @property
    def p(self) -> float:
        """The p-value of the deciding test, before the adjustment."""
        return self.tests[self.test].p

    @property
    def significant(self) -> bool:
        """Whether the deciding test, adjusted, shows a difference."""
        return self.adjusted <= self.level

    @property
    def winner(self) -> str | None:
        """The better system when the test shows a difference, else None.

        Wilcoxon's ranks may speak for one system and the mean for the other; then there is no winner.
        """
        direction = self.tests[self.test].direction
        if not self.significant or direction * self.difference <= 0:
            return None
        return self.a if (direction > 0) == self.greater_is_better else self.b


def compare_pairs(
    values: Mapping[str, ArrayLike],
    *,
    test: PairedTest = "randomisation",
    level: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
    samples: int = 100_000,
    weights: ArrayLike | None = None,
    greater_is_better: bool = True,
    threads: int | None = None,
) -> list[PairResult]:
    """Every pair of systems, in the order given, under one metric.

    Parameters
    ----------
    values : system name -> one number per query
        All on the same queries in the same order. A query with NaN in either system of a pair is left out
        of that pair.
    test : "randomisation", "t" or "wilcoxon"
        The test that decides; all three are reported.
    level : float
        The chance of any false winner among all pairs that is accepted; intervals have level ``1 - level``.
    seed, resamples, samples : int
        Of the bootstrap (``resamples``) and of the randomisation test (``samples``, when it is not exact).
    weights : one number per query, optional
    greater_is_better : bool
        False for a metric that is to be small.
    """
    if test not in get_args(PairedTest):
        raise ArgumentError(f"Argument test must be one of {', '.join(get_args(PairedTest))}, got {test!r}.")
    if len(values) < 2:
        raise ArgumentError(f"A comparison needs at least two systems, got {list(values)}.")
    level = as_level("level", level)
    seed = as_whole_number("seed", seed, 0)
    samples = as_whole_number("samples", samples, 1)
    results = []
    for a, b in combinations(values, 2):
        try:
            d = paired_differences(values[a], values[b], weights)
        except (ArgumentError, DataError) as error:
            kind = DataError if isinstance(error, DataError) else ArgumentError
            raise kind(f"Systems {a!r} (a) and {b!r} (b) cannot be compared: {error}") from None
        tests = {
            "randomisation": randomisation_of(d, seed=seed, samples=samples, threads=threads),
            "t": t_of(d),
            "wilcoxon": signed_rank_of(d),
        }
        interval = mean_interval(
            d.values, weights=d.weights, level=1.0 - level, resamples=resamples, seed=seed, threads=threads
        )
        found = PairResult(
            a=a,
            b=b,
            difference=d.mean,
            interval=interval,
            effect=effect_of(d),
            tests=tests,
            test=test,
            adjusted=tests[test].p,
            level=level,
            wins=d.wins,
            ties=d.ties,
            losses=d.losses,
            n=d.n,
            dropped=d.dropped,
            greater_is_better=greater_is_better,
        )
        results.append(found)
    return adjust_together([results])[0]


def adjust_together(families: Sequence[Sequence[PairResult]]) -> list[list[PairResult]]:
    """The same results with p-values Holm-adjusted over all of them: all pairs of several metrics, say."""
    adjusted = holm_family([[result.p for result in family] for family in families])
    return [
        [replace(result, adjusted=float(p)) for result, p in zip(family, ps, strict=True)]
        for family, ps in zip(families, adjusted, strict=True)
    ]
