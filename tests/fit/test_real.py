"""What the rankers learn on real data, against a scorer that knows nothing and against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from every_case import few_cases
from rankproof.data.ranking import RankingData
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.linear.ranker_cv import LinearRankerCV


@pytest.fixture(scope="module")
def fold(shared_data: Path) -> tuple[RankingData, RankingData, RankingData]:
    """Fold 1 of MQ2008: S1, S2, S3 to train, S4 to validate, S5 to test."""
    parts = [rp.read_letor(shared_data / "mq2008" / f"S{k}.txt.xz") for k in range(1, 6)]
    train = RankingData.from_qid(
        np.vstack([part.X for part in parts[:3]]),
        np.concatenate([part.labels for part in parts[:3]]),
        np.concatenate([part.qids for part in parts[:3]]),
    )
    return train, parts[3], parts[4]


@few_cases
@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
@pytest.mark.parametrize("loss", ["auto", "squared", "centred-squared", "order-preserving(margin=huber)"])
def test_a_linear_ranker_learns_mq2008(
    fold: tuple[RankingData, RankingData, RankingData], loss: str, solver: str
) -> None:
    train, _, test = fold
    blind = rp.evaluate(np.zeros(test.items), test, "nDCG@10").mean["nDCG@10"]
    ranker = LinearRanker("nDCG@10", loss=loss, solver=solver).fit(train.X, train.labels, train.qids)
    # A constant gets about .49 and linear rankers about .7 when queries without relevant items are left out.
    assert ranker.score(test.X, test.labels, test.qids) > blind + 0.17
    assert ranker.report_.converged


def test_the_penalty_is_chosen_on_validation_queries(
    fold: tuple[RankingData, RankingData, RankingData],
) -> None:
    train, valid, test = fold
    model = LinearRankerCV("nDCG@10").fit(train.X, train.labels, train.qids, validation=valid)
    found = rp.evaluate(model.predict(test.X), test, "nDCG@10").mean["nDCG@10"]
    assert model.score(test.X, test.labels, test.qids) == pytest.approx(found, abs=1e-14)
    assert found > 0.68
    on_valid = rp.evaluate(model.predict(valid.X), valid, "nDCG@10").mean["nDCG@10"]
    assert on_valid == pytest.approx(model.scores_.max(), abs=1e-14)
