"""LightGBM's own lambdarank comes to rest where the proof says that LambdaRank does."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
import pytest

from rankproof.arrays import Float64s
from rankproof.feedback import Law
from rankproof.losses import LambdaRank
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.rest_points.prove import prove_rest_points

LAW = Law({(1, 2, 0): "9/10", (0, 0, 1): "1/10"})
# Nothing that keeps a tree from giving every item the score it wants.
FREE = {
    "num_leaves": 3,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.0,
    "min_data_in_bin": 1,
    "verbose": -1,
    "num_threads": 1,
}


def trained(law: Law, queries: int, trees: int, **more: Any) -> Float64s:
    """Scores of the items: every query has the same items, its labels in exact proportion to the law."""
    labels = [list(y) for y, p in law.pairs() for _ in range(int(p * queries))]
    assert len(labels) == queries
    X = np.tile(np.eye(law.items), (queries, 1))
    data = lgb.Dataset(X, np.concatenate(labels), group=[law.items] * queries)
    model = lgb.train({"objective": "lambdarank", **FREE, **more}, data, trees)
    scores: Float64s = np.asarray(model.predict(np.eye(law.items)))
    return scores - scores.mean()


@pytest.mark.parametrize("rate", [0.1, 0.02])
def test_without_its_normalisation_it_ends_at_the_proven_rest_point(rate: float) -> None:
    found = prove_rest_points(LambdaRank(), "nDCG", LAW)
    assert found is not None
    ((ranking, place),) = found.resting
    scores = trained(LAW, 200, int(40 / rate), learning_rate=rate, lambdarank_norm=False)
    np.testing.assert_allclose(scores, [float(s) for s in place.center], rtol=0, atol=1e-3)
    assert tuple(int(i) for i in np.argsort(-scores)) == ranking
    assert ranking not in optimal_rankings("nDCG", LAW)


def test_what_it_ships_is_another_formula() -> None:
    """With its normalisation, which the proof is not about, it sorts this law well, and another one not."""
    assert tuple(np.argsort(-trained(LAW, 200, 200, learning_rate=0.1))) == (1, 0, 2)
    other = Law({(3, 2, 2): "62/100", (0, 3, 0): "38/100"})
    assert optimal_rankings("nDCG", other) == ((1, 0, 2),)
    assert tuple(np.argsort(-trained(other, 100, 200, learning_rate=0.1))) == (0, 1, 2)
