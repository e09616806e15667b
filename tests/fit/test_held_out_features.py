"""Features of the queries to judge by: columns in the order of the fit, and queries that have no items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.fit.scaling import minmax_by_query

X = np.array([[1.0, 0.2], [0.0, 0.9], [0.8, 0.1], [0.1, 0.3]])
Y = np.array([2.0, 0.0, 1.0, 0.0])
QID = np.array([1, 1, 2, 2])
OTHER_ORDER = "Argument validation must have the features of X, in the same order"


def rankers() -> list[Any]:
    return [
        pytest.param(rp.LinearRankerCV(l2s=[0.1]), id="linear"),
        pytest.param(rp.NeuralRanker(max_iter=1), id="neural", marks=pytest.mark.torch),
    ]


@pytest.mark.parametrize("ranker", rankers())
def test_a_frame_with_columns_in_another_order_is_refused(ranker: Any) -> None:
    import pandas as pd

    frame = pd.DataFrame(X, columns=["clicks", "age"])
    with pytest.raises(ArgumentError, match=OTHER_ORDER):
        ranker.fit(frame, Y, qid=QID, validation=(frame[["age", "clicks"]], Y, QID))
    named = {"X": X, "labels": Y, "offsets": np.array([0, 2, 4])}
    with pytest.raises(ArgumentError, match=OTHER_ORDER):
        ranker.fit(frame, Y, qid=QID, validation=rp.RankingData(**named, feature_names=("age", "clicks")))
    ranker.fit(frame, Y, qid=QID, validation=(frame, Y, QID))
    ranker.fit(frame, Y, qid=QID, validation=rp.RankingData(**named, feature_names=("clicks", "age")))


@pytest.mark.filterwarnings("error")
def test_an_array_beside_a_frame_has_no_names_to_compare() -> None:
    import pandas as pd

    frame = pd.DataFrame(X, columns=["clicks", "age"])
    rp.LinearRankerCV(l2s=[0.1]).fit(frame, Y, qid=QID, validation=(X, Y, QID))


@pytest.mark.parametrize("offsets", [[0, 3, 4, 4], [0, 0, 3, 3, 4], [0, 3, 4, 4, 4]])
def test_queries_without_items_change_nothing_in_those_that_have_some(offsets: list[int]) -> None:
    rows = np.array([[1.0], [3.0], [2.0], [7.0]])
    # (1, 3, 2) - 1 over 3 - 1; one item alone is a constant.
    assert minmax_by_query(rows, np.array(offsets)).tolist() == [[0.0], [1.0], [0.5], [0.0]]


def test_a_last_query_without_items_does_not_stop_a_fit() -> None:
    held = rp.RankingData(X=X, labels=Y, offsets=np.array([0, 2, 4, 4]))
    ranker = rp.LinearRankerCV(l2s=[0.1], scale="query-minmax").fit(X, Y, qid=QID, validation=held)
    # In both queries the first item has more of the first feature and the better grade.
    assert ranker.scores_.tolist() == [[1.0]]
