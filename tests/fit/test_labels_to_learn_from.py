"""Labels that are NaN or infinite: one cannot learn from them; where one judges, the metric has a rule."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import rankproof as rp
from adapters.engine_data import ranked
from rankproof.errors import ArgumentError, DataError, UnjudgedError
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.linear.ranker_cv import LinearRankerCV

DATA = ranked(12)
IDS = np.array([f"q{q}" for q in DATA.qid])
# The second item of the fourth query.
ROW = int(DATA.offsets[3]) + 1
RANKERS = {
    "linear": LinearRanker(),
    "linear, chosen": LinearRankerCV(l2s=(1.0, 0.1), folds=2),
    "boosted": rp.BoostedRanker(n_estimators=3, threads=1),
    "neural": rp.NeuralRanker(hidden=(3,), max_iter=2, scale="standard", metric="nDCG(empty=0)@10"),
}


# The neural ranker is trained by torch.
NEURAL = pytest.param("neural", marks=pytest.mark.torch)


@pytest.fixture(params=["linear", "linear, chosen", "boosted", NEURAL])
def ranker(request: pytest.FixtureRequest) -> Any:
    return clone(RANKERS[request.param])


def spoilt(value: float) -> np.ndarray:
    y = DATA.y.copy()
    y[ROW] = value
    return y


@pytest.mark.parametrize("frame", [False, True], ids=["array", "frame"])
def test_an_item_without_a_judgment_is_named(ranker: Any, frame: bool) -> None:
    import pandas as pd

    X = pd.DataFrame(DATA.X, columns=list("abcd")) if frame else DATA.X
    place = f"got NaN at row {ROW}: an item without a judgment, item 1 of query 'q3' (counted from 0)."
    message = f"Labels to learn from must be finite, {place} Drop such items, or give them grade 0."
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        ranker.fit(X, spoilt(np.nan), qid=pd.Series(IDS, dtype=object) if frame else IDS)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_label_is_named(ranker: Any, value: float) -> None:
    message = f"got {value} at row {ROW}, item 1 of query 3 (counted from 0). Correct such labels"
    with pytest.raises(DataError, match=re.escape(message)):
        ranker.fit(DATA.X, spoilt(value), qid=DATA.qid)


@pytest.mark.filterwarnings("ignore::rankproof.errors.QueryWarning")
def test_without_query_ids_the_query_is_numbered() -> None:
    with pytest.raises(DataError, match=rf"NaN at row {ROW}: .* item {ROW} of query number 0 "):
        LinearRanker().fit(DATA.X, spoilt(np.nan))


def test_as_many_labels_as_rows(ranker: Any) -> None:
    rows = DATA.y.size
    with pytest.raises(
        ArgumentError, match=rf"y must have one label per row of X \({rows}\), got {rows - 1}"
    ):
        ranker.fit(DATA.X, DATA.y[:-1], qid=IDS)


@pytest.mark.parametrize("weights", [np.ones(3), np.ones(DATA.y.size + 1)], ids=["few", "many"])
def test_as_many_weights_as_rows(ranker: Any, weights: np.ndarray) -> None:
    with pytest.raises(ArgumentError, match=rf"sample_weight must have {DATA.y.size} numbers"):
        ranker.fit(DATA.X, DATA.y, qid=IDS, sample_weight=weights)


@pytest.mark.parametrize("name", ["linear", "boosted", NEURAL])
def test_weights_of_queries_and_rows_that_never_meet_are_refused(name: str) -> None:
    """All weight of queries is on the first, all weight of rows on the others."""
    first = DATA.qid == DATA.qid[0]
    with pytest.raises(ArgumentError, match="query_weight and sample_weight leave no row with a weight"):
        clone(RANKERS[name]).set_params(**({"valid_share": 0} if name == "neural" else {})).fit(
            DATA.X, DATA.y, qid=IDS, query_weight=first, sample_weight=~first
        )


def test_where_one_judges_the_metric_says_what_an_unjudged_item_is(ranker: Any) -> None:
    ranker.fit(DATA.X, DATA.y, qid=IDS)
    graded = ranker.score(DATA.X, spoilt(0), qid=IDS)
    assert ranker.score(DATA.X, spoilt(np.nan), qid=IDS) == graded
    with pytest.raises(DataError, match=f"Argument y holds inf at item {ROW}"):
        ranker.score(DATA.X, spoilt(np.inf), qid=IDS)
    ranker.set_params(metric="nDCG(unjudged=error)@10")
    with pytest.raises(UnjudgedError, match="item 1 of query 3 has no judgment"):
        ranker.score(DATA.X, spoilt(np.nan), qid=IDS)


@pytest.mark.parametrize("name", ["linear, chosen", "boosted", NEURAL])
def test_validation_data_are_judged_by_the_same_rule(name: str) -> None:
    """The default counts an item without a judgment as grade 0."""
    ranker = clone(RANKERS[name])
    scores = [
        ranker.fit(DATA.X, DATA.y, qid=IDS, validation=(DATA.X, y, IDS)).predict(DATA.X, qid=IDS)
        for y in (spoilt(0), spoilt(np.nan))
    ]
    assert np.array_equal(*scores)
    with pytest.raises(DataError, match=f"Argument y of validation holds inf at item {ROW}"):
        ranker.fit(DATA.X, DATA.y, qid=IDS, validation=(DATA.X, spoilt(np.inf), IDS))
