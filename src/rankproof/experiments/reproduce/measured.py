"""What several rankers scored on the test queries of all folds, and whether they differ.

LETOR reports the mean over folds of the mean over a fold's queries. The paired tests here look at the same
number: a query weighs 1 / (queries that count in its fold), so the weighted mean difference over all queries
is the difference of the two reported means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import DataError
from rankproof.evaluation.pair_result import PairResult
from rankproof.evaluation.pairs import compare_pairs, correct_together, paired_tests

__all__ = ["Measured", "Outcome", "Versus", "against"]

# Sign patterns drawn for a test that cannot be counted out.
_SAMPLES = 100_000


@dataclass(frozen=True, eq=False)
class Outcome:
    """One ranker under one metric: a value per test query, fold by fold (NaN: the query does not count)."""

    folds: Sequence[Float64s]

    @property
    def fold_means(self) -> list[float]:
        """The mean of each fold over the queries that count."""
        return [float(np.nanmean(values)) for values in self.folds]

    @property
    def mean(self) -> float:
        """The mean of the fold means, as LETOR reports it."""
        return float(np.mean(self.fold_means))

    @property
    def pooled(self) -> Float64s:
        """The values of all folds, one after the other."""
        return np.concatenate(self.folds)

    @property
    def weights(self) -> Float64s:
        """The weight of each query, such that the weighted mean of `pooled` is `mean`."""
        return np.concatenate([_fold_weights(values) for values in self.folds])


def _fold_weights(values: Float64s) -> Float64s:
    counts = ~np.isnan(values)
    return np.where(counts, 1.0 / max(1, int(counts.sum())), 0.0)


@dataclass(frozen=True)
class Versus:
    """One ranker against the one it is meant to improve, under one metric."""

    ranker: str
    base: str
    metric: str
    difference: float
    p: float
    adjusted: float
    level: float
    undecided: bool = False

    @property
    def verdict(self) -> str:
        """``"better"``, ``"worse"``, or ``"same"`` when nothing is shown."""
        if self.adjusted > self.level or self.undecided or self.difference == 0.0:
            return "same"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True, eq=False)
class Measured:
    """Outcomes by ranker and metric; all rankers on the same queries, of which the same ones count."""

    outcomes: Mapping[str, Mapping[str, Outcome]]

    def __post_init__(self) -> None:
        for metrics in self.outcomes.values():
            for metric, outcome in metrics.items():
                for number, values in enumerate(outcome.folds, start=1):
                    if np.isnan(values).all():
                        raise DataError(
                            f"Fold {number} has no test query that counts for {metric} "
                            f"({values.size} queries). A mean over its queries does not exist."
                        )

    @property
    def rankers(self) -> list[str]:
        """The rankers, as given."""
        return list(self.outcomes)

    @property
    def metrics(self) -> list[str]:
        """The metrics, as given."""
        return list(next(iter(self.outcomes.values())))

    def mean(self, ranker: str, metric: str) -> float:
        """The mean of the fold means."""
        return self.outcomes[ranker][metric].mean

    def best(self, metric: str, rankers: Sequence[str]) -> str:
        """The ranker with the highest mean, the first one among equals."""
        return max(rankers, key=lambda ranker: self.mean(ranker, metric))

    def pairs(self, metric: str, rankers: Sequence[str], *, level: float, seed: int) -> list[PairResult]:
        """All pairs of ``rankers``, randomisation test, Holm over these pairs."""
        outcomes = {ranker: self.outcomes[ranker][metric] for ranker in rankers}
        return compare_pairs(
            {ranker: outcome.pooled for ranker, outcome in outcomes.items()},
            weights=outcomes[rankers[0]].weights,
            level=level,
            seed=seed,
        )

    def versus(
        self,
        base: str,
        rankers: Sequence[str],
        metrics: Sequence[str],
        *,
        level: float,
        seed: int,
    ) -> list[Versus]:
        """Each of ``rankers`` against ``base``: randomisation test, Holm over all these tests."""
        tested = [
            paired_tests(
                {ranker: self.outcomes[ranker][metric].pooled for ranker in (*rankers, base)},
                seed=seed,
                samples=_SAMPLES,
                weights=self.outcomes[base][metric].weights,
                greater_is_better=True,
                baseline=base,
            )
            for metric in metrics
        ]
        families = correct_together(tested, test="randomisation", level=level)
        values = {
            (pair.a, metric): pair
            for metric, family in zip(metrics, families, strict=True)
            for pair in family
        }
        listed = [(ranker, metric, values[ranker, metric]) for ranker in rankers for metric in metrics]
        return [
            Versus(ranker, base, metric, pair.difference, pair.p, pair.adjusted, level, pair.undecided)
            for ranker, metric, pair in listed
        ]


def against(pairs: Sequence[PairResult], base: str) -> dict[str, str]:
    """How every other ranker stands to ``base``: ``"better"``, ``"worse"`` or ``"same"`` (nothing shown)."""
    standing = {}
    for pair in pairs:
        if base in (pair.a, pair.b):
            other = pair.b if pair.a == base else pair.a
            standing[other] = {base: "worse", other: "better", None: "same"}[pair.winner]
    return standing
