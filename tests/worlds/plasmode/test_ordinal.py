"""The ordinal logit: probabilities, derivatives and thresholds by plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.worlds.plasmode.ordinal import (
    at_least,
    best_thresholds,
    draw_classes,
    log_likelihood,
    mean_at_least,
    slopes,
    thresholds_of_shares,
)

THRESHOLDS = np.array([-0.5, 0.7, 2.0])
LATENT = np.array([-30.0, -1.3, 0.0, 0.4, 2.5, 30.0])


def sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def test_the_probability_of_a_class_is_a_difference_of_logistic_values() -> None:
    """A class has what passes its threshold and not the next; in the tails logarithms do not break down."""
    for latent in LATENT[1:5]:
        passes = [1.0, *(sigmoid(latent - t) for t in THRESHOLDS), 0.0]
        for grade in range(4):
            value = log_likelihood(np.array([latent]), np.array([grade]), THRESHOLDS).item()
            assert np.exp(value) == pytest.approx(passes[grade] - passes[grade + 1], rel=1e-12)
    far = log_likelihood(np.array([-800.0]), np.array([3]), THRESHOLDS).item()
    assert far == pytest.approx(-802.0)


def test_derivatives_are_those_of_the_logarithm() -> None:
    step = 1e-4
    for grade in range(4):
        classes = np.full(LATENT.size, grade)
        value = [log_likelihood(LATENT + k * step, classes, THRESHOLDS) for k in (-1, 0, 1)]
        at = slopes(LATENT, classes, THRESHOLDS)
        np.testing.assert_allclose(at.first, (value[2] - value[0]) / (2 * step), atol=1e-6)
        np.testing.assert_allclose(at.curvature, -(value[2] - 2 * value[1] + value[0]) / step**2, atol=1e-5)


def test_thresholds_of_greatest_likelihood_at_one_latent_value_are_the_log_odds() -> None:
    """Of 10 items 4, 3, 2, 1 in the classes: 6, 3 and 1 of 10 pass, so θ = log((1 - p) / p)."""
    classes = np.repeat([0, 1, 2, 3], [4, 3, 2, 1])
    expected = [np.log(4 / 6), np.log(7 / 3), np.log(9)]
    np.testing.assert_allclose(best_thresholds(np.zeros(10), classes, THRESHOLDS), expected, atol=1e-3)


def test_the_mean_over_normal_effects_is_that_of_many_draws() -> None:
    effects = 1.7 * np.random.default_rng(0).standard_normal(400_000)
    for latent in (-1.0, 0.5):
        drawn = at_least(latent + effects, THRESHOLDS).mean(axis=0)
        mean = mean_at_least(np.array([latent]), np.array([1.7]), THRESHOLDS)[0]
        np.testing.assert_allclose(mean, drawn, atol=0.003)


def test_thresholds_of_shares_give_the_shares() -> None:
    rng = np.random.default_rng(1)
    latent, spread = rng.normal(size=3000), rng.uniform(0.2, 2.0, 3000)
    shares = np.array([0.6, 0.2, 0.01])
    thresholds = thresholds_of_shares(latent, spread, shares)
    np.testing.assert_allclose(mean_at_least(latent, spread, thresholds).mean(axis=0), shares, rtol=1e-6)


def test_classes_are_drawn_with_their_probabilities() -> None:
    """At latent 0.4: 1 - σ(.9), σ(.9) - σ(-.3), σ(-.3) - σ(-1.6), σ(-1.6); the error is below 5 sigma."""
    drawn = draw_classes(np.full(200_000, 0.4), THRESHOLDS, np.random.default_rng(2))
    passes = [1.0, sigmoid(0.9), sigmoid(-0.3), sigmoid(-1.6), 0.0]
    np.testing.assert_allclose(np.bincount(drawn) / 200_000, -np.diff(passes), atol=0.0056)
