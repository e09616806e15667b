"""`ScoredPart`: a part of the data with the scores of a model, predicted and evaluated once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.evaluation.cutoffs import CutoffMeans, evaluate_with_cutoffs
from rankproof.evaluation.defaults import SIGNIFICANCE, TEST
from rankproof.evaluation.differences import gaps
from rankproof.evaluation.evaluate import evaluate
from rankproof.evaluation.paired import randomisation_test
from rankproof.evaluation.results import Results
from rankproof.metrics.base import Metric

__all__ = ["CONSTANT", "MODEL", "AgainstConstant", "ScoredPart", "main_part", "score_part"]

MODEL, CONSTANT = "the model", "the constant scorer"
# Of the randomisation test when it is not exact: a report need not have the last digit of a p-value.
SAMPLES = 20_000
# Accepted chance of naming a winner where there is none.
LEVEL = SIGNIFICANCE


@dataclass(frozen=True)
class AgainstConstant:
    """Whether the model differs from the constant scorer: a p-value, and the better one if that is shown."""

    p: float
    winner: str | None
    test: str = TEST
    level: float = LEVEL


@dataclass(frozen=True, eq=False)
class ScoredPart:
    """Scores of the model, the metric of every query, and nDCG at cutoffs where that was asked for."""

    name: str
    data: RankingData
    scores: Float64s
    results: Results
    metric: Metric
    cutoffs: CutoffMeans | None = None

    @property
    def values(self) -> Float64s:
        """The metric of the model, query by query."""
        return self.results.per_query[str(self.metric)]

    @cached_property
    def base(self) -> Float64s:
        """The metric of the constant scorer, query by query."""
        return self.results.baseline("constant")[str(self.metric)]

    @cached_property
    def ahead(self) -> Float64s:
        """What the model gains over the constant scorer, query by query."""
        return gaps(self.values, self.base, self.metric.direction == "higher")

    @cached_property
    def against_constant(self) -> AgainstConstant:
        """The model against the constant scorer, by the paired randomisation test."""
        test = randomisation_test(self.values, self.base, weights=self.results.weights, samples=SAMPLES)
        better = (MODEL, CONSTANT) if self.metric.direction == "higher" else (CONSTANT, MODEL)
        winner = None if test.p > LEVEL or not test.direction else better[test.direction < 0]
        return AgainstConstant(test.p, winner)


def main_part(parts: Mapping[str, Any]) -> str | None:
    """The part that is told of query by query: test, or else valid."""
    return next((name for name in ("test", "valid") if name in parts), None)


def score_part(
    name: str, data: RankingData, ranker: Any, metric: Metric, *, level: float, seed: int, cutoffs: bool
) -> ScoredPart:
    """Score a part with a fitted ranker, and evaluate the scores, once; with nDCG at cutoffs if asked for."""
    scores = ranker.predict(data.X, qid=data.qids)
    options: dict[str, Any] = {"level": level, "seed": seed}
    if not cutoffs:
        return ScoredPart(name, data, scores, evaluate(scores, data, metric, **options), metric)
    results, means = evaluate_with_cutoffs(scores, data, metric, MODEL, **options)
    return ScoredPart(name, data, scores, results, metric, means)
