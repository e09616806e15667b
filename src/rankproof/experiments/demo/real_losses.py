"""Last scene: the same losses on real data, with the paired tests that tell a difference from noise.

Nobody knows the best ranking of real queries, so the losses can only be compared with each other. Every query
is scored by a model that was trained on other queries (cross-validation), and each loss gets the same linear
model, the same penalties to choose from and the same folds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.data.split import query_folds
from rankproof.evaluation.compare import Comparison, compare
from rankproof.fit.linear.ranker_cv import LinearRankerCV
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.base import Metric

__all__ = ["CONSISTENT", "FOLDS", "PENALTIES", "compare_losses", "held_out_scores", "losses_for", "pooled"]

FOLDS, INNER_FOLDS = 5, 3
# Few, but wide apart: what a loss needs depends on its scale.
PENALTIES = (1.0, 0.1, 0.01, 0.001)
# Enough to see what noise is; a large file would take minutes.
MOST_QUERIES = 200
CONSISTENT = "softmax on the metric's target"


def losses_for(metric: Metric) -> dict[str, str]:
    """The losses by the names people know, the one that is consistent with the metric first."""
    return {
        CONSISTENT: f"softmax:{metric}",
        "regression on raw gains": "squared:gain",
        "ListNet": "listnet",
        "XE-NDCG": "xe-ndcg",
        "RankNet": "RankNet",
        "ListMLE": "listmle",
    }


def pooled(parts: Sequence[RankingData], seed: int = 0) -> RankingData:
    """The queries of all parts as one data set; of many, `MOST_QUERIES` that the seed draws."""
    from scipy.sparse import issparse, vstack

    blocks: list[Any] = [part.X for part in parts]
    sparse = any(issparse(block) for block in blocks)
    sizes = np.concatenate([part.sizes for part in parts])
    everything = RankingData(
        labels=np.concatenate([part.labels for part in parts]),
        offsets=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        X=vstack(blocks, format="csr") if sparse else np.concatenate(blocks),
    )
    if everything.queries <= MOST_QUERIES:
        return everything
    drawn = np.random.default_rng(seed).choice(everything.queries, MOST_QUERIES, replace=False)
    return everything[np.sort(drawn)]


def compare_losses(
    data: RankingData,
    metric: Metric,
    *,
    seed: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Comparison:
    """Train a linear model with every loss, and compare them on queries that they were not trained on."""
    losses = losses_for(metric)
    scores: dict[str, Float64s] = {}
    for name, spec in losses.items():
        if progress is not None:
            progress(len(scores), len(losses), name)
        scores[name] = held_out_scores(data, metric, spec, seed)
    return compare(scores, data, metric, seed=seed)


def held_out_scores(data: RankingData, metric: Metric, spec: str, seed: int = 0) -> Float64s:
    """The scores of all items, those of a query by a model that was trained on other queries."""
    scores = np.empty(data.items)
    for train, test in query_folds(data, FOLDS, seed, index=True):
        training, unseen = data[train], data[test]
        ranker = LinearRankerCV(
            metric,
            loss=loss_of(spec),
            l2s=PENALTIES,
            folds=INNER_FOLDS,
            scale="standard",
            random_state=seed,
        )
        ranker.fit(training.X, training.labels, qid=training.qids)
        items = [np.arange(data.offsets[q], data.offsets[q + 1]) for q in test]
        scores[np.concatenate(items)] = ranker.predict(unseen.X)
    return scores
