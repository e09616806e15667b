"""Minimisers of sums over pairs of logistic terms, many at once, in floats.

>>> weights = np.zeros((1, 2, 2))
>>> weights[0, 0, 1], weights[0, 1, 0] = 3.0, 1.0
>>> scores, reached = minimise_pairs(weights, 1.0)  # s_0 - s_1 = log(3)
>>> bool(reached[0]), float(np.round(scores[0, 0] - scores[0, 1], 12)) == round(math.log(3.0), 12)
(True, True)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s

__all__ = ["FARTHEST", "gradients", "minimise_pairs"]

STEPS = 60
# Scores that spread farther than this are on their way to infinity.
FARTHEST = 20.0
# The longest step: where the curvature is next to nothing, Newton's is far too long.
LONGEST = 2.0
DONE = 1e-12


def _sigmoid(x: Float64s) -> Float64s:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def gradients(weights: Float64s, scores: Float64s, sigma: float) -> Float64s:
    """One gradient per row of scores; ``weights`` is (..., items, items)."""
    x = sigma * (scores[..., :, None] - scores[..., None, :])
    push = weights * _sigmoid(-x)
    result: Float64s = sigma * (np.swapaxes(push, -1, -2).sum(-1) - push.sum(-1))
    return result


def minimise_pairs(weights: Float64s, sigma: float) -> tuple[Float64s, NDArray[np.bool_]]:
    """The minimiser of every matrix of weights (rows of sum 0), and whether it was reached."""
    count, n, _ = weights.shape
    scores = np.zeros((count, n))
    both = weights + np.swapaxes(weights, 1, 2)
    size = np.maximum(both.sum((1, 2)), 1e-300)
    for _ in range(STEPS):
        gradient = gradients(weights, scores, sigma)
        x = sigma * (scores[:, :, None] - scores[:, None, :])
        bend = -(sigma**2) * both * _sigmoid(x) * _sigmoid(-x)
        hessian = bend - np.eye(n) * bend.sum(2)[:, :, None]
        # Along (1, ..., 1) nothing changes: any curvature there will do.
        hessian += (size / n)[:, None, None] + 1e-14 * size[:, None, None] * np.eye(n)
        move = np.linalg.solve(hessian, -gradient[:, :, None])[:, :, 0]
        longest = np.abs(move).max(1)
        scores += move * np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))[:, None]
        scores = np.clip(scores, -2 * FARTHEST, 2 * FARTHEST)
        if longest.max(initial=0.0) < DONE:
            break
    scores -= scores.mean(1, keepdims=True)
    slope = np.abs(gradients(weights, scores, sigma)).max(1)
    return scores, (slope < 1e-9 * size * max(sigma, math.ulp(1.0))) & (np.abs(scores).max(1) < FARTHEST)
