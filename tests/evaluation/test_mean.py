"""The mean that rankers are chosen by is the mean that `evaluate` prints, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import rankproof as rp
from properties.strategies import ALL_VARIANTS
from rankproof.errors import DataError, RankproofError, UnjudgedError
from rankproof.evaluation.per_query import mean_metric
from rankproof.metrics import Metric


def data(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores with ties, grades with some not judged, queries of 1 to 9 items, some of them empty."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 10, 60)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    labels = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, np.nan], int(offsets[-1]))
    return rng.integers(0, 4, labels.size).astype(float), labels, offsets


@pytest.mark.parametrize("metric", ALL_VARIANTS, ids=str)
def test_the_mean_is_that_of_evaluate(metric: Metric) -> None:
    scores, labels, offsets = data(1)
    weights = np.random.default_rng(2).random(offsets.size - 1)
    for given in (None, weights):
        try:
            results = rp.evaluate(scores, labels, metric, offsets=offsets, weights=given)
        except RankproofError as error:
            with pytest.raises(type(error)):
                mean_metric(metric, scores, labels, offsets, given)
            continue
        if not results.counted[str(metric)]:
            with pytest.raises(DataError, match="counts no query"):
                mean_metric(metric, scores, labels, offsets, given)
            continue
        assert mean_metric(metric, scores, labels, offsets, given) == results.mean[str(metric)]


def test_the_rules_for_empty_and_unjudged_hold() -> None:
    scores, labels, offsets = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, np.nan]), np.array([0, 2, 3])
    assert mean_metric(rp.metric("P@1"), scores, labels, offsets) == 1.0
    assert mean_metric(rp.metric("P(empty=0)@1"), scores, labels, offsets) == 0.5
    with pytest.raises(UnjudgedError, match="item 0 of query 1 has no judgment"):
        mean_metric(rp.metric("P(unjudged=error)@1"), scores, labels, offsets)
    # A metric that itself looks at which items are judged takes them under any rule, as in `evaluate`.
    assert mean_metric(rp.metric("judged(unjudged=error)"), scores, labels, offsets) == 0.5
    with pytest.raises(DataError, match="counts no query"):
        mean_metric(rp.metric("P@1"), scores, np.zeros(3), offsets)
    with pytest.raises(DataError, match="counts no query"):
        mean_metric(rp.metric("P@1"), scores, labels, offsets, np.array([0.0, 1.0]))
