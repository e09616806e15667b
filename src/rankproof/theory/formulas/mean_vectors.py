"""Vectors v of the labels by whose mean E[v(Y)] a minimiser sorts, in floats, and where that mean may lie.

Each takes the loss and one row of what it reads per feedback. A probability that is 0 or 1 asks for scores at
infinity, so for a minimum that is attained the means must lie strictly between the bounds.
"""

from __future__ import annotations

import numpy as np

from rankproof.arrays import Float64s
from rankproof.losses.approx_ndcg import ApproxNDCG
from rankproof.losses.cosine import Cosine
from rankproof.losses.listnet import ListNet
from rankproof.losses.pointwise import Ordinal, PointwiseLogistic
from rankproof.losses.xe_ndcg import XENDCG

__all__ = [
    "above_zero",
    "anywhere",
    "grade_counts",
    "probabilities",
    "relevance",
    "softmax_shares",
    "unit_vectors",
    "xe_ndcg_shares",
]

Bounds = tuple[float, float]


def softmax_shares(loss: ListNet, inputs: Float64s) -> Float64s:  # noqa: ARG001
    """softmax(y)."""
    return _shares(np.exp(inputs - inputs.max(axis=1, keepdims=True)))


def xe_ndcg_shares(loss: XENDCG, inputs: Float64s) -> Float64s:
    """2^y - gamma, over its sum."""
    return _shares(np.exp2(np.maximum(inputs, 0.0)) - float(loss.gamma))


def relevance(loss: PointwiseLogistic, inputs: Float64s) -> Float64s:
    """1 for a label of at least rel, else 0."""
    return (inputs >= loss.rel).astype(np.float64)


def unit_vectors(loss: Cosine, inputs: Float64s) -> Float64s | None:
    """u / |u|, when the loss normalises."""
    if not loss.normalize:
        return None
    norms = np.linalg.norm(inputs, axis=1, keepdims=True)
    return np.where(norms > 0, inputs / np.where(norms > 0, norms, 1.0), 0.0)


def _shares(weights: Float64s) -> Float64s:
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 0.0)


def probabilities(loss: PointwiseLogistic) -> Bounds:  # noqa: ARG001
    """Means are probabilities."""
    return 0.0, 1.0


def grade_counts(loss: Ordinal) -> Bounds:
    """Means are of the number of thresholds that a label reaches."""
    return 0.0, float(len(loss.thresholds))


def above_zero(loss: XENDCG) -> Bounds:  # noqa: ARG001
    """An item whose shares are all 0 has no score."""
    return 0.0, np.inf


def anywhere(loss: ApproxNDCG) -> Bounds:  # noqa: ARG001
    """Smooth ranks are never attained, which is proven in another way."""
    return -np.inf, np.inf
