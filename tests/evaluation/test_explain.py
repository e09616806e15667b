"""`rankproof.explain`: the story of a number ends in the number that `evaluate` reports."""

from __future__ import annotations

import numpy as np
import pytest

import rankproof as rp
from every_case import every_case
from rankproof.errors import ArgumentError
from rankproof.metrics import METRICS
from rankproof.metrics.conventions.named import CONVENTIONS

LABELS = [2.0, 0, np.nan, 1, 0, 1, 0]
SCORES = [0.3, 0.9, 0.9, 0.3, 0.5, 0.5, 0.2]
QID = [4, 4, 4, 4, 9, 9, 9]


@pytest.mark.filterwarnings("ignore:ERR")
@every_case("name", METRICS)
@every_case("unjudged", ["zero", "drop"])
def test_the_explained_value_is_the_evaluated_one(name: str, unjudged: str) -> None:
    m = METRICS[name](unjudged=unjudged)
    values = rp.evaluate(SCORES, LABELS, m, qid=QID).per_query[str(m)]
    for q, value in zip((4, 9), values, strict=True):
        told = rp.explain(m, SCORES, LABELS, qid=QID, query=q)
        assert told.value == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert str(told).startswith(f"{m} of query {q}")


def test_a_convention_is_explained_as_it_counts() -> None:
    run = rp.Run.from_dict({"q": {"a": 1.0, "b": 1.0}})
    qrels = rp.Qrels.from_dict({"q": {"a": 1, "b": 0}})
    told = rp.explain("RR", run, qrels, query="q", convention="trec_eval")
    assert [place[1] for place in told.places] == ["b", "a"]
    assert told.value == 0.5
    assert "trec_eval" in CONVENTIONS


def test_dropped_items_do_not_take_a_rank() -> None:
    told = rp.explain("P(unjudged=drop)@2", SCORES, LABELS, qid=QID, query=4)
    assert [place[0] for place in told.places] == ["1", "2-3", "2-3"]


def test_an_unknown_query_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"no query 5 to explain; the 2 ids start with 4, 9"):
        rp.explain("AP", SCORES, LABELS, qid=QID, query=5)
