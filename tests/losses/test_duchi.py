"""Duchi's loss: the sum over the edges of a graph equals the sum over items of their net weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof import PreferenceGraph
from rankproof.errors import ArgumentError
from rankproof.losses import Duchi, net_weights

GRAPH = PreferenceGraph({(0, 1): 2, (1, 2): "1/2", (0, 3): 1, (3, 2): 4})


def test_net_weights() -> None:
    assert net_weights(GRAPH).tolist() == [2 + 1, 0.5 - 2, -0.5 - 4, 4 - 1]
    assert net_weights(PreferenceGraph([], items=2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("penalty", "r"),
    [("square", lambda s: s * s), ("cosh", lambda s: math.cosh(s) - 1)],
    ids=["square", "cosh"],
)
def test_the_loss_is_that_of_the_edges(penalty: str, r: object) -> None:
    s = np.random.default_rng(0).normal(size=4)
    found = Duchi(nu=0.7, penalty=penalty).evaluate(s, net_weights(GRAPH), [0, 4]).value
    edges = sum(float(weight) * (s[j] - s[i]) for i, j, weight in GRAPH.edges)
    assert found == pytest.approx(edges + 0.7 * sum(map(r, s)), rel=1e-13)


def test_small_scores_keep_their_penalty() -> None:
    """cosh(s) - 1 is s^2 / 2 there; the difference of two numbers near 1 would be 0."""
    found = Duchi(penalty="cosh").evaluate([1e-9], [0.0], [0, 1])
    assert found.value == pytest.approx(0.5e-18, rel=1e-12, abs=0)


@pytest.mark.parametrize("penalty", ["square", "cosh"])
def test_beyond_the_largest_float_the_penalty_wins(penalty: str) -> None:
    assert Duchi(penalty=penalty).evaluate([1e300], [1e10], [0, 1]).value == math.inf


def test_parameters() -> None:
    for nu in (0, -1, math.inf, "1"):
        with pytest.raises(ArgumentError, match="Argument nu of duchi must be a number above 0"):
            Duchi(nu=nu)
    with pytest.raises(
        ArgumentError, match="Argument penalty of duchi must be one of square, cosh, got 'abs'"
    ):
        Duchi(penalty="abs")
