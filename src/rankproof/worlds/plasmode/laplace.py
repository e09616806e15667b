"""The likelihood of grades with normal effects per query, by Laplace's approximation.

>>> grades, offsets = np.array([1, 1, 0]), np.array([0, 3])
>>> fit = likely_effects(np.zeros(3), np.ones((3, 1)), grades, offsets, np.zeros(1))
>>> fit.modes.round(3), round(fit.log_likelihood, 3)  # quadrature: -2.270
(array([[0.287]]), -2.283)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.worlds.plasmode.ordinal import log_likelihood, slopes

__all__ = ["LikelyEffects", "likely_effects"]

NEWTON_STEPS, LONGEST_STEP, SMALL_STEP = 12, 2.0, 1e-5


class LikelyEffects(NamedTuple):
    """The most likely effects by query, minus the second derivatives there, and the log likelihood."""

    modes: Float64s
    curvatures: Float64s
    log_likelihood: float


def likely_effects(
    latent: Float64s,
    design: Float64s,
    classes: Int64s,
    offsets: Int64s,
    thresholds: Float64s,
    start: Float64s | None = None,
) -> LikelyEffects:
    """The most likely standard normal effects of every query, by Newton steps for all queries at a time."""
    queries, width = offsets.size - 1, design.shape[1]
    of_item = np.repeat(np.arange(queries), np.diff(offsets))
    modes = np.zeros((queries, width)) if start is None else start.copy()
    products = (design[:, :, None] * design[:, None, :]).reshape(-1, width * width)
    identity = np.eye(width)

    def curvature(weights: Float64s) -> Float64s:
        summed = np.add.reduceat(products * weights[:, None], offsets[:-1])
        matrices: Float64s = summed.reshape(queries, width, width) + identity
        return matrices

    for _ in range(NEWTON_STEPS):
        at = slopes(latent + np.einsum("ij,ij->i", design, modes[of_item]), classes, thresholds)
        gradient = np.add.reduceat(design * at.first[:, None], offsets[:-1]) - modes
        step = np.linalg.solve(curvature(at.curvature), gradient[:, :, None])[:, :, 0]
        modes += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        if np.abs(step).max(initial=0.0) < SMALL_STEP:
            break
    value = latent + np.einsum("ij,ij->i", design, modes[of_item])
    total = log_likelihood(value, classes, thresholds).sum() - 0.5 * np.square(modes).sum()
    curvatures = curvature(slopes(value, classes, thresholds).curvature)
    _, log_determinants = np.linalg.slogdet(curvatures)
    return LikelyEffects(modes, curvatures, float(total - 0.5 * log_determinants.sum()))
