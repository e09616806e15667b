"""What a neural ranker is without torch: its features and its network."""

from __future__ import annotations

import numpy as np

from rankproof.fit.neural.network import Network, random_network
from rankproof.fit.neural.query_features import QueryFeatures, learn_features


def test_features_are_standardised_over_all_and_over_the_query() -> None:
    X = np.array([[1.0, 5.0], [3.0, 5.0], [8.0, 0.1], [7.0, 2.0], [7.0, 2.0], [7.0, 2.0]])
    offsets = np.array([0, 2, 3, 3, 6])
    both = learn_features("both", X, None)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    found = both.transform(X, offsets)
    np.testing.assert_allclose(found[:, :2], np.sign(z) * np.log1p(np.abs(z)), rtol=1e-6)
    # The first feature of the first query is one deviation from its mean; all else is constant or alone.
    within = np.zeros((6, 2))
    within[:2, 0] = -np.log(2), np.log(2)
    np.testing.assert_allclose(found[:, 2:], within, rtol=1e-6, atol=0)
    assert (learn_features("query", X, None).transform(X, offsets) == found[:, 2:]).all()
    assert (learn_features("standard", X, None).transform(X, offsets) == found[:, :2]).all()


def test_constant_and_huge_features_are_finite() -> None:
    X = np.array([[0.1, 1e200, 3.0], [0.1, -1e200, 3.0], [0.1, 0.0, 3.0]])
    seen = QueryFeatures("both", X.mean(axis=0), np.ones(3)).transform(X, np.array([0, 3]))
    assert np.isfinite(seen).all()
    assert (seen[:, [3, 5]] == 0).all()
    np.testing.assert_allclose(seen[:, [0, 2]], 0, atol=1e-15)


def test_a_network_is_its_formula() -> None:
    net = random_network((3, 4, 1), np.random.default_rng(0))
    net = Network((*net.weights[:1], np.full((1, 4), 0.5, np.float32)), net.biases)
    X = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    wanted = 0.5 * np.maximum(X.astype(float) @ net.weights[0].T, 0).sum(axis=1)
    np.testing.assert_allclose(net.scores(X), wanted, rtol=1e-5)
