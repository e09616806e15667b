"""ApproxNDCG: ranks by hand, and the metric itself in the limit of a small temperature."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.losses import ApproxNDCG


def test_ranks_by_hand() -> None:
    """Scores 0 and log 3: the lower is beaten with 3/4, the higher with 1/4."""
    loss = ApproxNDCG(temperature=1)
    found = loss.evaluate([0.0, math.log(3)], [2.0, 5.0], [0, 2]).value
    assert found == pytest.approx(-2 / math.log2(1 + 1.75) - 5 / math.log2(1 + 1.25), rel=1e-14)


def test_the_temperature_is_the_unit_of_the_scores() -> None:
    rng = np.random.default_rng(0)
    s, u = rng.normal(size=6), rng.exponential(size=6)
    one = ApproxNDCG(temperature=0.5).evaluate(s, u, [0, 6])
    other = ApproxNDCG(temperature=5).evaluate(10 * s, u, [0, 6])
    assert other.value == pytest.approx(one.value, rel=1e-13)
    np.testing.assert_allclose(other.gradient, one.gradient / 10, rtol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_cold_ranks_are_the_ranks_of_dcg(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 4, 8), rng.permutation(8).astype(float)
    ranking = np.argsort(-scores).tolist()
    gains = np.exp2(labels) - 1.0
    cold = ApproxNDCG(temperature=1e-3)
    found = cold.evaluate(scores, gains, [0, 8]).value
    assert found == pytest.approx(-float(rp.metric("DCG").of_ranking(ranking, labels.tolist())), rel=1e-12)
    best = (np.sort(gains)[::-1] / np.log2(np.arange(2.0, 10.0))).sum()
    normalised = cold.evaluate(scores, gains / best, [0, 8]).value
    assert normalised == pytest.approx(
        -float(rp.metric("nDCG").of_ranking(ranking, labels.tolist())), rel=1e-12
    )


def test_the_infimum_is_the_best_strict_ranking() -> None:
    """Spread scores reach it in the order of the targets alone; scores close together stay above it."""
    rng = np.random.default_rng(3)
    u = np.array([3.0, 1.0, 0.5, 0.0])
    best = -(u / np.log2(np.arange(2.0, 6.0))).sum()
    for order in permutations(range(4)):
        found = ApproxNDCG().evaluate(-100.0 * np.argsort(order), u, [0, 4]).value
        assert found >= best - 1e-12
        assert (found == pytest.approx(best, rel=1e-12)) == (order[:3] == (0, 1, 2))
    for _ in range(200):
        assert ApproxNDCG().evaluate(rng.normal(size=4), u, [0, 4]).value > best


def test_items_without_a_target_only_push_ranks() -> None:
    found = ApproxNDCG(temperature=1).evaluate([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0, 3])
    assert found.value == pytest.approx(-1 / math.log2(1 + 2), rel=1e-15)
    assert found.gradient[0] < 0 < found.gradient[1] == found.gradient[2]
    assert found.gradient.sum() == pytest.approx(0, abs=1e-16)


@pytest.mark.parametrize("temperature", [0, -1, math.inf, math.nan, "cold", True])
def test_the_temperature_is_above_0(temperature: object) -> None:
    with pytest.raises(ArgumentError, match="Argument temperature of approx-ndcg must be a number above 0"):
        ApproxNDCG(temperature=temperature)
