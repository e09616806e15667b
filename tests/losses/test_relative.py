"""Relative: weighted regression on the target over itself plus its mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankproof.losses import Relative


@pytest.mark.parametrize("unit", [1.0, 250.0])
def test_its_minimum_compares_with_the_mean_and_has_no_unit(unit: float) -> None:
    m = unit * np.array([0.1, 0.4, 0.0, 0.3])  # of mean 0.2: 1/3, 2/3, 0, 3/5
    loss = Relative()

    def objective(s: np.ndarray) -> tuple[float, np.ndarray]:
        found = loss.evaluate(s, m / unit, [0, 4])
        assert loss.evaluate(s, m, [0, 4]).value == pytest.approx(unit * found.value, rel=1e-13)
        return found.value, found.gradient

    found = minimize(objective, np.zeros(4), jac=True, options={"gtol": 1e-12})
    np.testing.assert_allclose(found.x, [1 / 3, 2 / 3, 0, 3 / 5], atol=1e-8)


@pytest.mark.parametrize("weights", [None, np.array([2.0, 0.0, 0.5, 1.0, 1.0, 3.0])])
def test_it_is_weighted_squares_and_a_number(weights: np.ndarray | None) -> None:
    rng = np.random.default_rng(1)
    targets, offsets = rng.exponential(size=6) * (rng.random(6) < 0.7), np.array([0, 2, 6])
    a = targets if weights is None else targets * weights
    mean = np.repeat([a[:2].mean(), a[2:].mean()], [2, 4])
    one, other = rng.normal(size=(2, 6))

    def squares(s: np.ndarray) -> float:
        return float(((a + mean) * (s - a / (a + mean)) ** 2).sum())

    def value(s: np.ndarray) -> float:
        return Relative().evaluate(s, targets, offsets, item_weights=weights).value

    assert value(one) - value(other) == pytest.approx(squares(one) - squares(other), rel=1e-12)


def test_a_huge_score_of_an_item_without_target_costs_what_it_costs() -> None:
    # Item 1: 0 * (1 - s)^2 + 1/2 s^2, with (1 - s)^2 beyond the largest float.
    found = Relative().evaluate([0.0, 1e160], [1.0, 0.0], [0, 2])
    assert found.value == np.inf
    assert found.gradient.tolist() == [-2.0, 1e160]
