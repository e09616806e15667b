"""Weights of the queries to judge by count in every ranker that chooses or stops by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.samples import diabetes_wards


@pytest.fixture(scope="module")
def parts() -> tuple[rp.RankingData, rp.RankingData]:
    return diabetes_wards()


def test_the_mean_that_chooses_a_penalty_is_weighted(
    parts: tuple[rp.RankingData, rp.RankingData],
) -> None:
    train, held = parts
    one = np.zeros(held.queries)
    one[3] = 2.0
    ranker = rp.LinearRankerCV("nDCG@10", l2s=[0.1])
    ranker.fit(train.X, train.labels, qid=train.qids, validation=replace(held, query_weights=one))
    alone = held[[3]]
    # All weight on one query: its value is the mean.
    assert ranker.scores_.item() == pytest.approx(
        ranker.score(alone.X, alone.labels, qid=alone.qids), rel=1e-12
    )
    ranker.fit(train.X, train.labels, qid=train.qids, validation=held)
    assert ranker.scores_.item() == pytest.approx(ranker.score(held.X, held.labels, qid=held.qids), rel=1e-12)
