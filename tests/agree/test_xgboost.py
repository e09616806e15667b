"""The convention ``xgboost`` equals XGBoost: its own metrics, evaluated by a booster that has no trees."""

from __future__ import annotations

import numpy as np
import pytest
import xgboost

import rankproof as rp
from agree.convention_values import Data, random_data, values
from every_case import few_cases
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

CUTOFFS = (1, 2, 3, 5, 10, 30, 32, 100)


def tool(
    data: Data, *names: str, weights: list[float] | None = None, **parameters: object
) -> dict[str, float]:
    """XGBoost's metrics by name: the scores go in as the base margin of the data."""
    matrix = xgboost.DMatrix(np.zeros((data.scores.size, 1)), label=data.labels, base_margin=data.scores)
    matrix.set_group(data.sizes)
    if weights is not None:
        matrix.set_weight(weights)
    seed = xgboost.DMatrix(np.zeros((2, 1)), label=[0, 1], qid=[0, 0])
    settings = {"objective": "rank:ndcg", "eval_metric": list(names), "disable_default_eval_metric": 1}
    booster = xgboost.train({**settings, "verbosity": 0, "nthread": 1, **parameters}, seed, num_boost_round=0)
    found = (pair.rsplit(":", 1) for pair in booster.eval(matrix).split("\t")[1:])
    return {name.removeprefix("eval-"): float(value) for name, value in found}


def binary(data: Data) -> Data:
    """XGBoost's map and pre take grades 0 and 1 only."""
    return Data(data.scores, np.minimum(data.labels, 1.0), data.sizes, data.depth)


@few_cases
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("levels", [1, 6, None])
@pytest.mark.parametrize("gain", ["exp", "linear"])
def test_ndcg(seed: int, levels: int | None, gain: str) -> None:
    data = random_data(seed, levels=levels)
    theirs = tool(
        data, *(f"ndcg@{k}{minus}" for k in CUTOFFS for minus in ("", "-")), ndcg_exp_gain=gain == "exp"
    )
    for k in CUTOFFS:
        for minus, empty in (("", 1), ("-", 0)):
            ours = values("xgboost", f"nDCG(gain={gain},empty={empty})@{k}", data).mean()
            assert ours == pytest.approx(theirs[f"ndcg@{k}{minus}"], rel=1e-12)
        assert CONVENTIONS["xgboost"].resolve(metric(f"nDCG@{k}")) == metric(f"nDCG(empty=1)@{k}")


@few_cases
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("levels", [1, 6, None])
def test_map(seed: int, levels: int | None) -> None:
    data = binary(random_data(seed, levels=levels))
    theirs = tool(data, *(f"map@{k}{minus}" for k in CUTOFFS for minus in ("", "-")))
    for k in CUTOFFS:
        for minus, empty in (("", 1), ("-", 0)):
            ours = values("xgboost", f"AP(empty={empty})@{k}", data).mean()
            assert ours == pytest.approx(theirs[f"map@{k}{minus}"], rel=1e-12)


@few_cases
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("levels", [1, 6, None])
def test_precision_divides_by_the_shorter_of_cutoff_and_list(seed: int, levels: int | None) -> None:
    data = binary(random_data(seed, levels=levels))
    for name, theirs in tool(data, *(f"pre@{k}" for k in CUTOFFS)).items():
        ours = values("xgboost", f"P@{name.removeprefix('pre@')}", data).mean()
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_scores_are_compared_in_single_precision() -> None:
    data = Data(np.array([1.0, 1.0 + 1e-12]), np.array([0.0, 1.0]), np.array([2]), np.array([2]))
    assert tool(data, "ndcg@1")["ndcg@1"] == values("xgboost", "nDCG@1", data)[0] == 0.0


def test_without_a_cutoff_it_cuts_at_32() -> None:
    """Which is why the convention asks for a cutoff: 80 items, the only relevant one at rank 40."""
    labels = np.zeros(80)
    labels[39] = 1.0
    data = Data(-np.arange(80.0), labels, np.array([80]), np.array([80]))
    theirs = tool(data, "ndcg", "ndcg@80", "map", "map@80")
    assert (theirs["ndcg"], theirs["map"]) == (0.0, 0.0)
    assert theirs["ndcg@80"] == pytest.approx(values("xgboost", "nDCG@80", data)[0], rel=1e-12)
    assert theirs["map@80"] == pytest.approx(1 / 40, rel=1e-12)
    with pytest.raises(ConventionError, match="at a cutoff only"):
        CONVENTIONS["xgboost"].resolve(metric("nDCG"))


def test_weighted_mean_with_an_empty_query_is_not_copied() -> None:
    """XGBoost 3 adds an empty query's 1 without its weight but divides by all weights.

    Two queries of weight 10, perfect and empty: the weighted mean is 1, XGBoost says (10 + 1) / 20.
    """
    data = Data(
        np.array([2.0, 1.0, 2.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0]), np.array([2, 2]), np.array([2, 2])
    )
    per_query = values("xgboost", "nDCG@5", data)
    assert per_query.tolist() == [1.0, 1.0]
    assert tool(data, "ndcg@5")["ndcg@5"] == np.average(per_query) == 1.0
    weighted = tool(data, "ndcg@5", "map@5", weights=[10.0, 10.0])
    ours = rp.evaluate(
        data.scores, data.labels, "nDCG@5", offsets=data.offsets, weights=[10.0, 10.0], convention="xgboost"
    )
    assert ours.mean["nDCG@5"] == 1.0
    assert weighted["ndcg@5"] == pytest.approx((10 + 1) / 20)
    # Its MAP weighs them all.
    assert weighted["map@5"] == 1.0


def test_its_auc_is_not_auc() -> None:
    """It counts all pairs, those of equal grade too, in the order of the rows, so the convention has no AUC.

    The relevant item is above both others: AUC is 1. The two others are a pair to XGBoost, lost by row order.
    """
    data = Data(np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.0, 0.0]), np.array([3]), np.array([3]))
    swapped = Data(np.array([3.0, 2.0, 1.0]), data.labels, data.sizes, data.depth)
    assert tool(data, "auc")["auc"] == pytest.approx(2 / 3)
    assert tool(swapped, "auc")["auc"] == pytest.approx(1.0)
    with pytest.raises(ConventionError, match="XGBoost has no AUC"):
        CONVENTIONS["xgboost"].resolve(metric("AUC"))


@pytest.mark.parametrize(("name", "ours", "label"), [("map@3", "AP@3", 2.0), ("pre@3", "P@3", 2.0)])
def test_labels_it_refuses(name: str, ours: str, label: float) -> None:
    data = Data(np.array([2.0, 1.0]), np.array([1.0, label]), np.array([2]), np.array([2]))
    with pytest.raises(xgboost.core.XGBoostError, match="binary labels"):
        tool(data, name)
    with pytest.raises(DataError, match="XGBoost takes whole grades from 0 to 1"):
        values("xgboost", ours, data)
