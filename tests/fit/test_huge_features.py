"""Features whose squares overflow are named; scaling within the query needs no squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import rankproof as rp

QID = np.repeat(np.arange(6), 10)


def features(largest: float) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    X[:, 1] *= largest
    return X, random.integers(0, 3, 60)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", ["none", "standard"])
def test_a_column_beyond_a_float_is_named(form: Any, scale: str) -> None:
    X, y = features(1e200)
    with pytest.raises(rp.errors.DataError, match=r"Column 1 of X .* squares overflow"):
        rp.LinearRanker("nDCG@10", scale=scale).fit(form(X), y, qid=QID)


@pytest.mark.torch
def test_a_network_says_the_same() -> None:
    X, y = features(1e200)
    with pytest.raises(rp.errors.DataError, match="Column 1 of X"):
        rp.NeuralRanker("nDCG@10").fit(X, y, qid=QID)


def test_within_the_query_any_size_will_do() -> None:
    X, y = features(1e200)
    small = X / np.array([1.0, 1e200, 1.0])
    big = rp.LinearRanker("nDCG@10", scale="query-minmax").fit(X, y, qid=QID)
    usual = rp.LinearRanker("nDCG@10", scale="query-minmax").fit(small, y, qid=QID)
    assert big.predict(X, QID) == pytest.approx(usual.predict(small, QID), abs=1e-6)
