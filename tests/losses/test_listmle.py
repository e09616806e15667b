"""ListMLE: the Plackett-Luce likelihood by the product of its picks, and the two rules for equal labels."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from rankproof.errors import ArgumentError
from rankproof.losses import ListMLE


def probability(weights: list[float], ranking: tuple[int, ...]) -> float:
    """Of picking the items in this order, each in proportion to its weight among those left."""
    chance = 1.0
    for k in range(len(ranking)):
        chance *= weights[ranking[k]] / sum(weights[i] for i in ranking[k:])
    return chance


def test_it_is_minus_the_logarithm_of_the_probability_of_the_ranking() -> None:
    weights, labels = [1.0, 4.0, 2.0, 3.0], [2.0, 0.0, 3.0, 1.0]
    found = ListMLE().evaluate(np.log(weights), labels, [0, 4]).value
    # Pick 2 of 10, then 1 of 8, then 3 of 7, then the last.
    assert found == pytest.approx(-math.log(2 / 10 * 1 / 8 * 3 / 7), rel=1e-14)
    assert found == pytest.approx(-math.log(probability(weights, (2, 0, 3, 1))), rel=1e-14)


def test_probabilities_of_all_rankings_sum_to_one() -> None:
    s = np.random.default_rng(0).normal(size=4)
    labels = [np.argsort(ranking)[::-1].argsort().astype(float) for ranking in permutations(range(4))]
    found = ListMLE().evaluate(np.tile(s, 24), np.concatenate(labels), np.arange(25) * 4).per_query
    assert np.exp(-found).sum() == pytest.approx(1, rel=1e-12)


def test_equal_labels_together() -> None:
    """Weights 1, 2, 5: the first two have grade 1, each picked from all three; then the last from itself."""
    found = ListMLE().evaluate(np.log([1.0, 2.0, 5.0]), [1.0, 1.0, 0.0], [0, 3]).value
    assert found == pytest.approx(-math.log(1 / 8 * 2 / 8 * 5 / 5), rel=1e-14)


def test_equal_labels_in_the_order_of_the_rows() -> None:
    found = ListMLE(ties="order").evaluate(np.log([1.0, 2.0, 5.0]), [1.0, 1.0, 0.0], [0, 3]).value
    assert found == pytest.approx(-math.log(1 / 8 * 2 / 7 * 5 / 5), rel=1e-14)


def test_together_lies_above_the_mean_over_all_orders() -> None:
    rng = np.random.default_rng(1)
    weights = rng.exponential(size=4).tolist()
    labels = np.array([1.0, 1.0, 1.0, 0.0])
    orders = [(*head, 3) for head in permutations(range(3))]
    mean = np.mean([-math.log(probability(weights, order)) for order in orders])
    assert ListMLE().evaluate(np.log(weights), labels, [0, 4]).value > mean


def test_a_long_list_against_the_plain_double_sum() -> None:
    rng = np.random.default_rng(2)
    n = 400
    s, y = 3 * rng.normal(size=n), rng.integers(0, 5, n).astype(float)
    found = ListMLE().evaluate(s, y, [0, n], hessian=True)
    left = np.where(y[None, :] <= y[:, None], np.exp(s)[None, :], 0.0)
    shares = left / left.sum(axis=1, keepdims=True)
    assert found.value == pytest.approx((np.log(left.sum(axis=1)) - s).sum(), rel=1e-12)
    np.testing.assert_allclose(found.gradient, shares.sum(axis=0) - 1, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(found.hessian, (shares * (1 - shares)).sum(axis=0), rtol=1e-9, atol=1e-11)


def test_equal_huge_scores_keep_the_logarithm_of_their_number() -> None:
    for s in (0.0, 1e300, -1e300):
        assert ListMLE().evaluate([s] * 3, [2.0, 1.0, 0.0], [0, 3]).value == pytest.approx(
            math.log(6), rel=1e-14
        )


def test_a_million_items() -> None:
    """Equal scores, different labels: the sum of log k."""
    n = 1_000_000
    found = ListMLE().evaluate(np.zeros(n), np.arange(n, dtype=float), [0, n], hessian=True)
    assert found.value == pytest.approx(math.lgamma(n + 1), rel=1e-11)
    # The last pick saw them all: 1/n + 1/(n-1) + ... + 1, less 1.
    assert found.gradient[0] == pytest.approx((1 / np.arange(1.0, n + 1)).sum() - 1, rel=1e-11)


def test_ties_is_a_word() -> None:
    with pytest.raises(
        ArgumentError, match="Argument ties of listmle must be one of together, order, got 'mean'"
    ):
        ListMLE(ties="mean")
