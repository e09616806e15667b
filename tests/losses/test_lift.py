"""Lift against its definition over all pairs, and its minimum against the closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankproof.losses import Lift, OrderPreserving


def by_pairs(s: np.ndarray, a: np.ndarray) -> float:
    n = s.size
    return sum(a[i] * (1 - s[i] + s[j]) ** 2 for i in range(n) for j in range(n) if i != j) / n


@pytest.mark.parametrize("n", [1, 2, 3, 11])
def test_it_is_the_sum_over_pairs(n: int) -> None:
    rng = np.random.default_rng(n)
    s, u, v = rng.normal(size=n), rng.exponential(size=n), rng.exponential(size=n)
    found = Lift().evaluate(s + 1e6, u, [0, n], item_weights=v, hessian=True)
    assert found.value == pytest.approx(by_pairs(s, u * v), rel=1e-8)
    step = 1e-4 * np.eye(n)
    up, down = ([by_pairs(s + sign * e, u * v) for e in step] for sign in (1, -1))
    assert found.gradient == pytest.approx((np.array(up) - down) / 2e-4, abs=1e-6)
    assert found.hessian == pytest.approx((np.array(up) + down - 2 * by_pairs(s, u * v)) / 1e-8, abs=1e-5)


def test_within_the_margin_it_is_the_squared_hinge_over_n() -> None:
    rng = np.random.default_rng(0)
    s, u = rng.uniform(-0.5, 0.5, 9), rng.exponential(size=9)
    hinge = OrderPreserving(margin="squared-hinge").evaluate(s, u, [0, 9])
    lift = Lift().evaluate(s, u, [0, 9])
    assert lift.value == pytest.approx(hinge.value / 9, rel=1e-12)
    assert lift.gradient == pytest.approx(hinge.gradient / 9, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 50.0])
def test_its_minimum_is_the_lift_and_has_no_unit(unit: float) -> None:
    mean = np.array([0.0, 0.1, 0.1, 0.7, 2.0])

    def value(s: np.ndarray) -> tuple[float, np.ndarray]:
        found = Lift().evaluate(s, unit * mean, [0, 5])
        return found.value / unit, found.gradient / unit

    least = minimize(value, np.zeros(5), jac=True, tol=1e-14).x
    raised = mean + mean.mean()
    harmonic = 1 / np.mean(1 / raised)
    assert least - least.mean() == pytest.approx(1 - harmonic / raised, abs=1e-5)
    assert (np.diff(least) > -1e-6).all()


def test_a_query_without_targets_says_nothing() -> None:
    found = Lift().evaluate([1.0, 5.0, 2.0], [0.0, 0.0, 0.0], [0, 3], hessian=True)
    assert found.value == 0
    assert not found.gradient.any()
    assert found.hessian is not None
    assert not found.hessian.any()


@pytest.mark.parametrize("weights", [None, np.array([1.0, 3.0, 0.5, 2.0, 1.0])])
def test_huge_targets_take_the_careful_way_to_the_same_numbers(weights: np.ndarray | None) -> None:
    scores, targets = np.array([0.3, -1.2, 0.0, 2.5, 0.7]), np.array([1.0, 0.0, 4.0, 0.5, 2.0])
    unit = 2.0**400  # beyond what needs no care, and exact
    small, huge = (
        Lift().evaluate(scores, times * targets, [0, 5], item_weights=weights, hessian=True)
        for times in (1.0, unit)
    )
    assert huge.value / unit == pytest.approx(small.value, rel=1e-14)
    np.testing.assert_allclose(huge.gradient / unit, small.gradient, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(huge.hessian / unit, small.hessian)


def test_huge_scores_keep_their_direction() -> None:
    # The gradient of the only target's item pulls it up, all others down, however far away they are.
    found = Lift().evaluate([-1e305, 0.0, 1e305], [1.0, 0.0, 0.0], [0, 3])
    assert np.isfinite(found.gradient).all()
    assert found.gradient[0] < 0 < found.gradient[2]
