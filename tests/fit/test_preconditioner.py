"""The preconditioner of the solvers: sound also where the sampled queries say nothing of a column."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.fit.linear import preconditioner as module
from rankproof.fit.linear.preconditioner import covariance
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.matrix import as_matrix

RNG = np.random.default_rng(0)
QUERIES, ITEMS = 2000, 8
OFFSETS = np.arange(0, QUERIES * ITEMS + 1, ITEMS)


def rare(tiny: float) -> np.ndarray:
    """Two common columns, and one that varies in a few queries only, or by next to nothing elsewhere."""
    X = RNG.normal(size=(QUERIES * ITEMS, 3))
    X[:, 2] = tiny * RNG.normal(size=X.shape[0])
    X[OFFSETS[1] : OFFSETS[2], 2] = RNG.normal(size=ITEMS)
    return X


@pytest.mark.parametrize("tiny", [0.0, 1e-20])
def test_a_column_that_hardly_varies_in_the_sample_keeps_its_variance(
    monkeypatch: pytest.MonkeyPatch, tiny: float
) -> None:
    monkeypatch.setattr(module, "_LEAST_ROWS", 2000)
    monkeypatch.setattr(module, "_ROWS_PER_COLUMN", 1)
    X = rare(tiny)
    found = covariance(as_matrix(X), OFFSETS, np.ones(3), within=True)
    assert found[2, 2] == pytest.approx(X[:, 2].var(), rel=1e-6)
    np.testing.assert_array_equal(found[2, :2], 0.0)
    # Within queries of 8 items the variance is 7/8; the sample of 2000 rows errs by about 0.03.
    assert found[0, 0] == pytest.approx(7 / 8, abs=0.15)


def test_a_fit_without_penalty_reaches_its_optimum_despite_a_rare_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_LEAST_ROWS", 100)
    monkeypatch.setattr(module, "_ROWS_PER_COLUMN", 1)
    X = rare(1e-20)
    y = (X[:, 0] + RNG.normal(size=X.shape[0]) > 0.5).astype(float)
    qid = np.repeat(np.arange(QUERIES), ITEMS)
    ranker = LinearRanker("nDCG", loss="softmax:nDCG", l2=0.0, tol=1e-6).fit(X, y, qid=qid)
    assert ranker.report_.converged
    assert abs(ranker.coef_[0]) > 0.3
