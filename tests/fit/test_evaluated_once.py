"""A ranker evaluates each candidate on held-out queries once, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from fit.made_data import make
from rankproof.errors import DataError
from rankproof.fit import data as held_out

TRAIN, VALID = make(queries=30), make(queries=10, seed=1)


@pytest.fixture
def means(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The scores of every evaluation."""
    seen: list[Any] = []
    real = held_out.mean_metric  # type: ignore[attr-defined]

    def counted(metric: Any, scores: Any, *data: Any) -> float:
        seen.append(np.array(scores))
        return real(metric, scores, *data)

    monkeypatch.setattr(held_out, "mean_metric", counted)
    yield seen
    assert len({scores.tobytes() for scores in seen}) == len(seen), "the same scores were evaluated twice"


def test_one_evaluation_a_penalty(means: list[Any]) -> None:
    rp.LinearRankerCV(l2s=(1.0, 0.1, 0.01)).fit(*TRAIN, validation=tuple(VALID))
    assert len(means) == 3


def test_one_evaluation_a_penalty_and_fold(means: list[Any]) -> None:
    rp.LinearRankerCV(l2s=(1.0, 0.1), folds=3).fit(*TRAIN)
    assert len(means) == 2 * 3


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_one_evaluation_a_tree_and_one_of_no_tree(means: list[Any], engine: str) -> None:
    ranker = rp.BoostedRanker(engine=engine, n_estimators=4, parameters=None)
    ranker.fit(*TRAIN, validation=tuple(VALID))
    assert len(means) == 1 + len(ranker.evaluations_)
    assert not means[0].any()


@pytest.mark.torch
def test_one_evaluation_an_epoch_and_one_of_the_start(means: list[Any]) -> None:
    ranker = rp.NeuralRanker(max_iter=3, hidden=(4,)).fit(*TRAIN, validation=tuple(VALID))
    assert len(means) == 1 + len(ranker.history_)
    assert not means[0].any()


def test_nothing_is_evaluated_without_a_choice(means: list[Any]) -> None:
    rp.LinearRanker().fit(*TRAIN)
    assert not means


def test_the_first_penalty_says_when_the_metric_counts_no_query() -> None:
    blank = (VALID.X, np.zeros_like(VALID.y), VALID.qid)
    with pytest.raises(DataError, match="counts no query: each is empty"):
        rp.LinearRankerCV(l2s=(1.0, 0.1)).fit(*TRAIN, validation=blank)
