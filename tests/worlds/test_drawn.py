"""Expected metrics over label vectors: exact, with ties, weights and empty label vectors."""

from __future__ import annotations

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError
from rankproof.worlds import DrawnData
from rankproof.worlds import drawn as module

METRICS = ["nDCG(empty=0)@3", "nDCG", "AP(empty=0)", "ERR(empty=0)", "P@2", "RR"]


def some(queries: int = 9, draws: int = 5, seed: int = 0) -> DrawnData:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, queries)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    data = rp.RankingData(
        labels=np.full(offsets[-1], np.nan), offsets=offsets, query_weights=rng.uniform(0.5, 2, queries)
    )
    return DrawnData(data, rng.integers(0, 4, (draws, offsets[-1])) * (rng.random((draws, 1)) < 0.8))


def with_ties(drawn: DrawnData) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 3, drawn.data.items).astype(float)


def test_by_hand() -> None:
    """Scores 2 > 1; labels (1, 0) and (0, 1) equally likely: P@1 is 1/2, AP is (1 + 1/2) / 2."""
    drawn = DrawnData(rp.RankingData(labels=[0, 0], offsets=[0, 2]), [[1, 0], [0, 1]])
    assert drawn.means(["P@1", "AP"], [2.0, 1.0]) == {"P@1": 0.5, "AP": 0.75}


def test_values_are_those_of_evaluations_with_each_label_vector() -> None:
    drawn = some()
    scores = with_ties(drawn)
    found = drawn.values([name for name in METRICS if "empty=0" in name], scores)
    for name, values in found.items():
        each = [
            rp.evaluate(scores, drawn.drawn(k), name, warn=False).per_query[name]
            for k in range(drawn.draws.shape[0])
        ]
        np.testing.assert_allclose(values, np.mean(each, axis=0), atol=1e-14)


def test_values_means_and_scores_are_those_of_the_laws() -> None:
    """`known` goes query by query through `LabelLaw`."""
    drawn = some()
    scores, known = with_ties(drawn), drawn.known()
    values = drawn.values(METRICS, scores)
    assert list(values) == METRICS
    for name in METRICS:
        np.testing.assert_allclose(values[name], known.values(name, scores), atol=1e-14)
        assert drawn.means(name, scores)[name] == pytest.approx(known.value(name, scores), abs=1e-14)
    for target in ("gain", "normalised-gain", lambda labels: labels**2):
        np.testing.assert_allclose(drawn.bayes_scores(target), known.bayes_scores(target), atol=1e-14)
    for name in METRICS[:2]:
        np.testing.assert_allclose(drawn.best_values(name)[name], known.best_values(name), atol=1e-14)


def test_it_does_not_matter_how_many_queries_are_taken_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = some().values(METRICS, with_ties(some()))
    monkeypatch.setattr(module, "ITEMS_AT_ONCE", 20)
    parts = some()
    assert len(parts._spans) > 3
    for name, values in parts.values(METRICS, with_ties(parts)).items():
        np.testing.assert_array_equal(values, whole[name])


def test_no_scores_are_above_the_best() -> None:
    drawn = some(seed=3)
    best = drawn.best_values(["nDCG(empty=0)@3", "P@2"])
    for seed in range(20):
        scores = np.random.default_rng(seed).normal(size=drawn.data.items)
        for name, values in drawn.values(best, scores).items():
            assert (values <= best[name] + 1e-12).all()


def test_what_is_refused() -> None:
    data = rp.RankingData(labels=[0, 0], offsets=[0, 2])
    with pytest.raises(ArgumentError, match=r"2 columns, one per item of the data, got shape \(1, 3\)"):
        DrawnData(data, [[1, 0, 1]])
    with pytest.raises(ArgumentError, match="finite labels"):
        DrawnData(data, [[1, np.nan]])
    drawn = DrawnData(data, [[1, 0]])
    with pytest.raises(ArgumentError, match=r"No target standardises ERR.*compare scorers with each other"):
        drawn.best_values("ERR")
    with pytest.raises(DataError):
        DrawnData(data, [[1, 5]]).values("ERR(max_grade=4)", [1.0, 2.0])
    with pytest.raises(ArgumentError, match="scores"):
        drawn.values("AP", [1.0])
