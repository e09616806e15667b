"""Products of rows and weights against numpy, for every remainder of rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from rankproof.fit.matrix import as_matrix, linear_scores
from rankproof.threads import using


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_products_are_those_of_numpy_in_double_precision(dtype: type, sparse: bool) -> None:
    rng = np.random.default_rng(3)
    for columns in (1, 2, 3, 4, 5, 7, 8, 11, 16):
        values: Any = (rng.normal(size=(19, columns)) * (rng.random((19, columns)) < 0.6)).astype(dtype)
        X = as_matrix(csr_array(values) if sparse else values)
        weights, slopes, wide = rng.normal(size=columns), rng.normal(size=19), values.astype(np.float64)
        for low, high in ((0, 19), (3, 3), (3, 4), (3, 5), (3, 6), (3, 7), (3, 8), (18, 19)):
            out = np.full(19, 7.0)
            X.scores(weights, out)(low, high)
            np.testing.assert_allclose(out[low:high], wide[low:high] @ weights, rtol=1e-13, atol=1e-13)
            assert (np.delete(out, np.s_[low:high]) == 7).all(), "rows outside the range were written"
            total = np.ones(columns)
            X.gradient(slopes, total)(low, high)
            np.testing.assert_allclose(total - 1, slopes[low:high] @ wide[low:high], rtol=1e-12, atol=1e-13)


def test_a_row_has_the_same_score_in_any_range() -> None:
    rng = np.random.default_rng(4)
    X, weights = as_matrix(rng.normal(size=(40, 13)).astype(np.float32)), rng.normal(size=13)
    whole, pieces = np.empty(40), np.empty(40)
    X.scores(weights, whole)(0, 40)
    for low, high in ((0, 1), (1, 4), (4, 9), (9, 15), (15, 40)):
        X.scores(weights, pieces)(low, high)
    assert (whole == pieces).all()
    with using(1):
        alone = linear_scores(X, weights)
    with using(3):
        assert (linear_scores(X, weights) == alone).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_moments_are_those_of_numpy(sparse: bool) -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(9000, 3)) * (rng.random((9000, 3)) < 0.5) + np.array([0.0, 5.0, 0.0])
    X = as_matrix(csr_array(values) if sparse else values)
    np.testing.assert_allclose(X.moments[0], values.mean(axis=0), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(X.moments[1], values.var(axis=0), rtol=1e-11)
    weights = rng.integers(0, 3, 9000)
    mean, variance = X.weighted_moments(weights.astype(np.float64))
    repeated = np.repeat(values, weights, axis=0)
    np.testing.assert_allclose(mean, repeated.mean(axis=0), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(variance, repeated.var(axis=0), rtol=1e-11)


def test_entries_of_a_sparse_matrix_that_are_stored_twice_are_added() -> None:
    twice = csr_array((np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    X = as_matrix(twice)
    assert X.moments[0].tolist() == [3.0, 4.0]
    assert linear_scores(X, np.array([10.0, 1.0])).tolist() == [34.0]
    assert twice.nnz == 3, "the caller's matrix was changed"
