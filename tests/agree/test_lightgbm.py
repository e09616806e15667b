"""The convention ``lightgbm`` equals LightGBM: its own metrics, evaluated by a booster that has no trees."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest

import rankproof as rp
from agree.convention_values import Data, random_data, values
from every_case import few_cases
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

CUTOFFS = (1, 2, 3, 5, 10, 30, 100)


def tool(
    data: Data, name: str, *, weights: np.ndarray | None = None, **parameters: object
) -> dict[int, float]:
    """LightGBM's metric at every cutoff: the scores go in as the initial scores of the training set."""
    train = lightgbm.Dataset(
        np.zeros((data.scores.size, 1)),
        label=data.labels,
        group=data.sizes,
        weight=weights,
        init_score=data.scores,
        params={"verbose": -1, "feature_pre_filter": False},
    )
    settings = {
        "objective": "lambdarank",
        "metric": name,
        "eval_at": list(CUTOFFS),
        "verbose": -1,
        "num_threads": 1,
    }
    found = lightgbm.Booster({**settings, **parameters}, train).eval_train()
    return {int(label.split("@")[1]): float(value) for _, label, value, _ in found}


@few_cases
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "ours"), [("ndcg", "nDCG"), ("map", "AP")])
@pytest.mark.parametrize("levels", [1, 6, None])
def test_equal(seed: int, name: str, ours: str, levels: int | None) -> None:
    """Many ties and none, empty queries, graded labels, lists shorter and longer than the cutoff."""
    data = random_data(seed, levels=levels)
    for k, theirs in tool(data, name).items():
        assert values("lightgbm", f"{ours}@{k}", data).mean() == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("gain", [(0.0, 1.0, 1.0, 5.0, 20.0), "linear"])
def test_gains_can_be_chosen(gain: object) -> None:
    data = random_data(3)
    listed = [float(y) for y in range(5)] if gain == "linear" else list(gain)
    for k, theirs in tool(data, "ndcg", label_gain=listed).items():
        ours = metric("nDCG", cutoff=k, gain=gain)
        assert values("lightgbm", ours, data).mean() == pytest.approx(theirs, rel=1e-12)


def test_scores_are_compared_in_double_precision() -> None:
    data = Data(np.array([1.0, 1.0 + 1e-12]), np.array([0.0, 1.0]), np.array([2]), np.array([2]))
    assert tool(data, "ndcg")[1] == values("lightgbm", "nDCG@1", data)[0] == 1.0


def test_weighted_mean_with_an_empty_query_is_not_copied() -> None:
    """LightGBM 4 adds an empty query's 1 without its weight but divides by all weights.

    Two queries of weight 10, perfect and empty: the weighted mean is 1, LightGBM says (10 + 1) / 20.
    """
    data = Data(
        np.array([2.0, 1.0, 2.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0]), np.array([2, 2]), np.array([2, 2])
    )
    per_query = values("lightgbm", "nDCG@5", data)
    assert per_query.tolist() == [1.0, 1.0]
    assert tool(data, "ndcg")[5] == np.average(per_query) == 1.0
    weighted = tool(data, "ndcg", weights=np.full(4, 10.0))[5]
    ours = rp.evaluate(
        data.scores, data.labels, "nDCG@5", offsets=data.offsets, weights=[10.0, 10.0], convention="lightgbm"
    )
    assert ours.mean["nDCG@5"] == 1.0
    assert weighted == pytest.approx((10 + 1) / 20)
    # Its MAP weighs them all.
    assert tool(data, "map", weights=np.full(4, 10.0))[5] == 1.0


def test_what_it_does_not_have() -> None:
    convention = CONVENTIONS["lightgbm"]
    with pytest.raises(
        ConventionError, match=r"DCG@3 cannot be computed as lightgbm: LightGBM has no DCG. It has: AP@k"
    ):
        convention.resolve(metric("DCG@3"))
    with pytest.raises(ConventionError, match="at a cutoff only"):
        convention.resolve(metric("nDCG"))
    with pytest.raises(ConventionError, match=r"LightGBM has AP with rel=1\. Leave rel out"):
        convention.resolve(metric("AP(rel=2)@3"))
    with pytest.raises(DataError, match=r"item 1 has the label 0\.5, but LightGBM takes whole grades"):
        convention.check(metric("AP@3"), np.array([1.0, 0.5]))
    with pytest.raises(DataError, match="from 0 to 30"):
        convention.check(metric("nDCG@3"), np.array([31.0]))


@pytest.mark.parametrize("label", [31.0, 0.5, -1.0])
def test_labels_it_refuses(label: float) -> None:
    data = Data(np.array([2.0, 1.0]), np.array([1.0, label]), np.array([2]), np.array([2]))
    with pytest.raises(lightgbm.basic.LightGBMError):
        tool(data, "ndcg")
    with pytest.raises(DataError):
        values("lightgbm", "nDCG@3", data)
