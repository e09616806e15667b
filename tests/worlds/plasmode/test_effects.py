"""The effects of queries: Laplace's approximation against quadrature, and sizes that are recovered."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rankproof.worlds.plasmode.effects import LabelModel, fit_label_model
from rankproof.worlds.plasmode.laplace import likely_effects
from rankproof.worlds.plasmode.ordinal import draw_classes, log_likelihood

THRESHOLDS = np.array([0.3, 1.9])


def by_quadrature(latent: np.ndarray, columns: np.ndarray, classes: np.ndarray) -> float:
    """The logarithm of the integral over two standard normal effects, on a fine grid."""
    grid = np.linspace(-7, 7, 281)
    u, v = np.meshgrid(grid, grid)
    total = -0.5 * (u**2 + v**2) - np.log(2 * np.pi) + 2 * np.log(grid[1] - grid[0])
    for item in range(latent.size):
        value = latent[item] + columns[item, 0] * u + columns[item, 1] * v
        classes_of_item = np.full(value.size, classes[item])
        total = total + log_likelihood(value.ravel(), classes_of_item, THRESHOLDS).reshape(u.shape)
    return float(np.log(np.exp(total).sum()))


def test_the_likelihood_of_lists_is_close_to_the_integral() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([12, 30, 60])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    latent = rng.normal(size=offsets[-1])
    columns = np.column_stack((np.full(latent.size, 0.9), 0.5 * rng.normal(size=latent.size)))
    classes = rng.integers(0, 3, latent.size)
    exact = [
        by_quadrature(latent[low:high], columns[low:high], classes[low:high])
        for low, high in pairwise(offsets.tolist())
    ]
    together = likely_effects(latent, columns, classes, offsets, THRESHOLDS)
    assert together.log_likelihood == pytest.approx(sum(exact), abs=0.05)


def test_the_effects_are_most_likely_where_the_derivative_is_0() -> None:
    """One effect, two of three items relevant at σ(u): 2 - 3 σ(u) - u is 0 at the mode."""
    fit = likely_effects(np.zeros(3), np.ones((3, 1)), np.array([1, 1, 0]), np.array([0, 3]), np.zeros(1))
    u = fit.modes.item()
    assert 2 - 3 / (1 + np.exp(-u)) - u == pytest.approx(0, abs=1e-9)


def drawn_labels(model: LabelModel, queries: int, size: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(3)
    offsets = np.arange(queries + 1) * size
    value = rng.normal(size=queries * size)
    topics = rng.normal(size=(queries * size, 2))
    columns = model.columns(value, topics, offsets)
    effects = rng.standard_normal((queries, 4)).repeat(size, axis=0)
    latent = model.latent(value, offsets) + (columns * effects).sum(axis=1)
    return value, topics, draw_classes(latent, model.thresholds, rng), offsets


def test_sizes_are_recovered_from_labels_that_were_drawn_with_them() -> None:
    """600 lists of 40 items; twice the standard error of a deviation is about 2 / sqrt(2 * 600) of it."""
    truth = LabelModel(
        spread=1.0,
        between=0.7,
        within=np.array([1.2, 1.2, 1.2, 1.2]),
        thresholds=THRESHOLDS,
        level=1.1,
        strength=0.6,
        topic=0.4,
    )
    value, topics, classes, offsets = drawn_labels(truth, 600, 40)
    fitted = fit_label_model(value, topics, classes, offsets, np.array([0.0, 1.0]))
    assert fitted.level == pytest.approx(1.1, rel=0.08)
    assert fitted.strength == pytest.approx(0.6, rel=0.08)
    assert fitted.topic == pytest.approx(0.4, rel=0.08)
    # Above 2 are some 550 of the 24,000 items, with a standard error of the slope of about 0.2.
    np.testing.assert_allclose(fitted.within[:3] / fitted.spread, 1.2, rtol=0.15)
    assert fitted.within[3] / fitted.spread == pytest.approx(1.2, abs=0.6)
    assert fitted.between == pytest.approx(0.7, abs=0.5)
    np.testing.assert_allclose(fitted.thresholds, THRESHOLDS, atol=0.15)


def test_the_link_adds_up_over_its_pieces() -> None:
    """Slopes 1, 2, 3, 4, knots 0, 1, 2, list means of 0 and 100: h(3) = 2 + 3 + 4, h(-1) = -1."""
    model = LabelModel(
        1.0, 10.0, np.array([1.0, 2.0, 3.0, 4.0]), THRESHOLDS, level=1.0, strength=1.0, topic=1.0
    )
    value = np.array([3.0, -1.0, 0.5, -2.5, 101.0, 99.0])
    expected = np.array([9.0, -1.0, 1.0, -2.5, 1000 + 2.0, 1000 - 1.0])
    np.testing.assert_allclose(model.latent(value, np.array([0, 4, 6])), expected)
    doubled = model.with_signal(2.0).latent(value, np.array([0, 4, 6]))
    np.testing.assert_allclose(doubled, 2 * expected)


def test_effects_are_multiplied_by_their_sizes() -> None:
    """Level .5 everywhere, strength 2 times the place in the list (±1 / 4), topics .1 times the values."""
    model = LabelModel(4.0, 1.0, np.ones(4), THRESHOLDS, level=0.5, strength=2.0, topic=0.1)
    columns = model.columns(np.array([7.0, 9.0]), np.array([[1.0, 2.0], [3.0, -4.0]]), np.array([0, 2]))
    np.testing.assert_allclose(columns, [[0.5, -0.5, 0.1, 0.2], [0.5, 0.5, 0.3, -0.4]])
