"""Weights of items that move the minimum of a loss are warned of, on every way that a loss is trained."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

import rankproof as rp
from adapters.engine_data import LIGHTGBM, XGBOOST, ranked
from rankproof.errors import ConsistencyWarning
from rankproof.losses.base import LOSSES
from rankproof.losses.squared import Squared
from rankproof.losses.supervision import supervision

DATA = ranked(20)
ITEMS = 1.0 + 2.0 * (np.arange(DATA.y.size) % 2)
QUERIES = np.repeat(1.0 + np.arange(DATA.sizes.size) % 3, DATA.sizes)
MOVING, KEEPING = "softmax", "squared"


def by_ranker(ranker: Callable[[str], Any]) -> Callable[[str, Any], None]:
    return lambda loss, weights: ranker(loss).fit(DATA.X, DATA.y, qid=DATA.qid, sample_weight=weights)


def by_torch(loss: str, weights: Any) -> None:
    import torch

    module = rp.torch.loss(loss, metric="nDCG@5")
    targets = module.targets(DATA.y, DATA.offsets)
    module(torch.zeros(DATA.y.size), targets, DATA.offsets, item_weights=weights)


def by_padded_torch(loss: str, weights: Any) -> None:
    import torch

    module = rp.torch.loss(loss, metric="nDCG@5")
    mask = np.arange(DATA.sizes.max()) < DATA.sizes[:, np.newaxis]
    labels, padded = np.zeros(mask.shape), np.full(mask.shape, 9.0)
    labels[mask], padded[mask] = DATA.y, weights
    targets = module.targets(labels, mask=torch.as_tensor(mask))
    module(torch.zeros(mask.shape), targets, mask=torch.as_tensor(mask), item_weights=padded)


ROUTES: dict[str, Callable[[str, Any], Any]] = {
    "linear": by_ranker(lambda loss: rp.LinearRanker("nDCG@5", loss=loss)),
    "linear cv": by_ranker(lambda loss: rp.LinearRankerCV("nDCG@5", loss=loss, l2s=(1.0,), folds=2)),
    **{
        engine: by_ranker(
            lambda loss, engine=engine: rp.BoostedRanker(
                "nDCG@5", engine=engine, loss=loss, n_estimators=2, threads=1
            )
        )
        for engine in ("lightgbm", "xgboost", "catboost")
    },
    "neural": by_ranker(lambda loss: rp.NeuralRanker("nDCG@5", loss=loss, hidden=(2,), max_iter=1)),
    "lightgbm.objective": lambda loss, weights: lgb.train(
        {**LIGHTGBM, **rp.lightgbm.parameters("nDCG@5", loss)},
        lgb.Dataset(DATA.X, DATA.y, group=DATA.sizes, weight=weights),
        1,
    ),
    "xgboost.objective": lambda loss, weights: xgb.train(
        {**XGBOOST, **rp.xgboost.parameters()},
        xgb.DMatrix(DATA.X, DATA.y, group=DATA.sizes),
        1,
        obj=rp.xgboost.objective("nDCG@5", loss, item_weight=weights),
    ),
    "catboost.pool": lambda loss, weights: rp.catboost.pool(
        "nDCG@5", DATA.X, DATA.y, group=DATA.sizes, loss=loss, item_weight=weights
    ),
    "torch": by_torch,
    "torch, padded": by_padded_torch,
}
TORCH = ("neural", "torch", "torch, padded")
routes = pytest.mark.parametrize(
    "route", [pytest.param(name, marks=pytest.mark.torch if name in TORCH else ()) for name in ROUTES]
)


@routes
def test_weights_of_items_that_move_the_minimum_are_warned_of(route: str) -> None:
    with pytest.warns(ConsistencyWarning, match="sorts by the weight times the mean of the target") as seen:
        ROUTES[route](MOVING, ITEMS)
    told = [one for one in seen if issubclass(one.category, ConsistencyWarning)]
    assert "squared" in str(told[0].message)
    assert not Path(told[0].filename).is_relative_to(Path(rp.__file__).parent)


@routes
def test_other_weights_are_not(route: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConsistencyWarning)
        ROUTES[route](KEEPING, ITEMS)
        ROUTES[route](MOVING, QUERIES)


@pytest.mark.parametrize("name", [name for name, kind in LOSSES.items() if kind.takes_item_weights])
def test_every_loss_warns_as_it_claims(name: str) -> None:
    labels = np.minimum(DATA.y, 3.0)
    data = rp.RankingData(labels=labels, offsets=DATA.offsets, item_weights=ITEMS)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        supervision(LOSSES[name](), data)
    assert bool(seen) == (not LOSSES[name]().claims.value("weights_keep_order"))


def test_a_loss_that_says_nothing_of_weights_is_warned_of() -> None:
    class Mine(Squared):
        def kernel(self, *arrays: Any) -> Any:
            return super().kernel(*arrays)

    data = rp.RankingData(labels=DATA.y, offsets=DATA.offsets, item_weights=ITEMS)
    with pytest.warns(ConsistencyWarning, match="it does not claim otherwise"):
        supervision(Mine(), data)


def test_the_order_that_is_lost_and_kept() -> None:
    """One query of two items, always of gains 3 and 1, weighted 1 and 6: the second comes first."""
    X, y, qid = np.eye(2), [2.0, 1.0], [0, 0]
    fitted = {}
    for loss in ("softmax", "lift", "relative", "squared", "query-ordinal"):
        ranker = rp.LinearRanker("nDCG@5", loss=loss, l2=1e-6, scale="none")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConsistencyWarning)
            fitted[loss] = ranker.fit(X, y, qid=qid, sample_weight=[1.0, 6.0]).predict(X)
    first = {loss: int(np.sign(scores[0] - scores[1])) for loss, scores in fitted.items()}
    assert first == {"softmax": -1, "lift": -1, "relative": -1, "squared": 1, "query-ordinal": 1}
