r"""The ordinal logit: grade g or higher has probability σ(latent - θ_g), with increasing thresholds θ.

Grades are classes 0, 1, ..., G; ``thresholds`` has the G numbers θ_1 < ... < θ_G.

>>> thresholds = np.array([0.0, 1.0])
>>> at_least(np.array([0.0]), thresholds).round(3)
array([[0.5  , 0.269]])
>>> np.exp([log_likelihood(np.zeros(1), np.array([c]), thresholds).item() for c in range(3)]).round(3)
array([0.5  , 0.231, 0.269])
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from rankproof.arrays import Float64s, Int64s

__all__ = [
    "Slopes",
    "at_least",
    "best_thresholds",
    "draw_classes",
    "log_likelihood",
    "mean_at_least",
    "slopes",
    "thresholds_of_shares",
]

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
LEAST_STEP = 1e-3


class Slopes(NamedTuple):
    """The first derivative of the log likelihood in the latent value, and minus the second one."""

    first: Float64s
    curvature: Float64s


def at_least(latent: Float64s, thresholds: Float64s) -> Float64s:
    """The probability of every class above 0 or a higher one: a column per threshold."""
    values: Float64s = expit(latent[:, None] - thresholds)
    return values


def mean_at_least(latent: Float64s, spread: Float64s, thresholds: Float64s) -> Float64s:
    """The mean of `at_least` over normal effects of these standard deviations, by quadrature."""
    values = np.zeros((latent.size, thresholds.size))
    for node, weight in zip(NODES, NODE_WEIGHTS, strict=True):
        values += weight * at_least(latent + node * spread, thresholds)
    return values


def log_likelihood(latent: Float64s, classes: Int64s, thresholds: Float64s) -> Float64s:
    """The logarithm of the probability of each class.

    It is log σ(x) + log σ(-y) + log(1 - e^(y - x)) with x and y the latent value less the thresholds below
    and above the class, which never subtracts two numbers that are nearly equal.
    """
    low, high = _between(classes, thresholds)
    return -np.logaddexp(0.0, low - latent) - np.logaddexp(0.0, latent - high) + np.log(-np.expm1(low - high))


def slopes(latent: Float64s, classes: Int64s, thresholds: Float64s) -> Slopes:
    """Derivatives of `log_likelihood` in the latent value."""
    low, high = _between(classes, thresholds)
    below, above = expit(latent - low), expit(latent - high)
    return Slopes(1.0 - below - above, below * (1.0 - below) + above * (1.0 - above))


def best_thresholds(latent: Float64s, classes: Int64s, start: Float64s) -> Float64s:
    """The thresholds of greatest likelihood for these latent values."""

    def cost(x: Float64s) -> tuple[float, Float64s]:
        thresholds = unpacked(x)
        low, high = _between(classes, thresholds)
        ratio = np.where(np.isfinite(high - low), 1.0 / np.expm1(np.minimum(high - low, 500.0)), 0.0)
        by_low = -expit(low - latent) - ratio
        by_high = expit(latent - high) + ratio
        gradient = np.zeros(thresholds.size)
        np.add.at(gradient, classes[classes > 0] - 1, by_low[classes > 0])
        inner = classes < thresholds.size
        np.add.at(gradient, classes[inner], by_high[inner])
        # The first number moves all thresholds, every later one those from its own on.
        tails = np.cumsum(gradient[::-1])[::-1]
        steps = np.concatenate(([1.0], np.exp(x[1:])))
        total = log_likelihood(latent, classes, thresholds).sum()
        return -total / classes.size, -tails * steps / classes.size

    result = minimize(cost, packed(start), jac=True, method="L-BFGS-B")
    return unpacked(result.x)


def packed(thresholds: Float64s) -> Float64s:
    """The first threshold and the logarithms of the steps between them: any numbers."""
    return np.concatenate((thresholds[:1], np.log(np.maximum(np.diff(thresholds), LEAST_STEP))))


def unpacked(x: Float64s) -> Float64s:
    """Thresholds from what `packed` gave."""
    return np.cumsum(np.concatenate((x[:1], np.exp(np.clip(x[1:], -7.0, 5.0)))))


def thresholds_of_shares(latent: Float64s, spread: Float64s, shares: Float64s) -> Float64s:
    """Thresholds at which the mean of `mean_at_least` over the items is these shares, by bisection."""
    low, high = np.full(shares.size, latent.min() - 30.0), np.full(shares.size, latent.max() + 30.0)
    for _ in range(40):
        middle = (low + high) / 2
        too_many = mean_at_least(latent, spread, middle).mean(axis=0) > shares
        low, high = np.where(too_many, middle, low), np.where(too_many, high, middle)
    thresholds: Float64s = (low + high) / 2
    return thresholds


def draw_classes(latent: Float64s, thresholds: Float64s, rng: np.random.Generator) -> Int64s:
    """One class per item, independently given the latent values."""
    noisy = latent + rng.logistic(size=latent.shape)
    classes: Int64s = np.searchsorted(thresholds, noisy, side="left").astype(np.int64)
    return classes


def _between(classes: Int64s, thresholds: Float64s) -> tuple[Float64s, Float64s]:
    edges = np.concatenate(([-np.inf], thresholds, [np.inf]))
    return edges[classes], edges[classes + 1]
