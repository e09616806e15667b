"""Squared and query-centred squared loss: arithmetic by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.losses import CentredSquared, Squared


def test_value_gradient_and_hessian() -> None:
    found = Squared().evaluate([1.0, 3.0, -2.0], [0.0, 1.0, -2.0], [0, 2, 3], hessian=True)
    assert found.per_query.tolist() == [1 + 4, 0]
    assert found.gradient.tolist() == [2 * 1, 2 * 2, 0]
    assert found.hessian.tolist() == [2, 2, 2]


def test_item_weights() -> None:
    found = Squared().evaluate([1.0, 3.0], [0.0, 1.0], [0, 2], item_weights=[0.0, 0.5], hessian=True)
    assert found.value == 0.5 * 4
    assert found.gradient.tolist() == [0, 0.5 * 4]
    assert found.hessian.tolist() == [0, 1]


def test_the_centred_loss_is_the_least_over_all_constants() -> None:
    rng = np.random.default_rng(0)
    s, u = rng.normal(size=(2, 6))
    centred = CentredSquared().evaluate(s, u, [0, 6]).value
    best = u.mean() - s.mean()
    assert centred == pytest.approx(Squared().evaluate(s + best, u, [0, 6]).value, rel=1e-13)
    for shift in (best - 0.1, best + 0.1):
        assert centred < Squared().evaluate(s + shift, u, [0, 6]).value


def test_one_item_costs_nothing_when_centred() -> None:
    found = CentredSquared().evaluate([5.0], [-1.0], [0, 1], hessian=True)
    assert (found.value, found.gradient.tolist(), found.hessian.tolist()) == (0.0, [0.0], [0.0])


def test_a_common_shift_does_not_round_the_centred_loss() -> None:
    """At 2^40 a score keeps steps of 2^-12: the differences are exact, so the loss must be too."""
    s = np.array([0.0, 1.0, 3.0, 4.0]) / 4
    plain = CentredSquared().evaluate(s, np.zeros(4), [0, 4])
    moved = CentredSquared().evaluate(s + 2.0**40, np.zeros(4), [0, 4])
    assert moved.value == plain.value == 4 * 0.25 / 2 + 0.125
    assert moved.gradient.tolist() == plain.gradient.tolist()
