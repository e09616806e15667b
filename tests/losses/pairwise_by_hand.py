"""The pairwise losses by their definitions, in plain numpy: every pair, no sorting, no compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankproof.arrays import Float64s

Triple = tuple[Float64s, Float64s, Float64s]


class ByHand(NamedTuple):
    """Value, gradient and diagonal of the Hessian of one query."""

    value: float
    gradient: Float64s
    hessian: Float64s


def phi(name: str, t: Float64s, width: float = 0.5) -> Triple:
    """A named margin and its derivatives at every difference; at a kink those of the right-hand side."""
    h = width
    zero, one = np.zeros_like(t), np.ones_like(t)
    if name == "hinge":
        return np.where(t < 1, 1 - t, 0), np.where(t < 1, -one, 0), zero
    if name == "squared-hinge":
        return np.where(t < 1, (1 - t) ** 2, 0), np.where(t < 1, 2 * t - 2, 0), np.where(t < 1, 2 * one, 0)
    if name == "huber":
        line, bend = t < 1 - h, t < 1 + h
        value = np.where(line, 1 - t, np.where(bend, (1 + h - t) ** 2 / (4 * h), 0))
        slope = np.where(line, -1, np.where(bend, (t - 1 - h) / (2 * h), 0))
        return value, slope, np.where(~line & bend, 1 / (2 * h), 0)
    if name == "logistic":
        p = np.where(t > 0, np.exp(-np.abs(t)), 1) / (1 + np.exp(-np.abs(t)))
        return np.logaddexp(0, -t), -p, np.exp(-np.abs(t)) / (1 + np.exp(-np.abs(t))) ** 2
    e = np.exp(-t)
    return e, -e, e


def summed(weights: Float64s, margins: Triple) -> ByHand:
    """The sum of w_ij phi(s_i - s_j) and its derivatives by every score; pairs of weight 0 do not count."""
    value, slope, bend = (np.where(weights > 0, weights * part, 0) for part in margins)
    return ByHand(value.sum(), slope.sum(1) - slope.sum(0), bend.sum(1) + bend.sum(0))


def order_preserving(
    margin: str, scores: Float64s, targets: Float64s, *, normalize: bool = False, width: float = 0.5
) -> ByHand:
    n = scores.size
    weights = np.repeat(targets[:, None], n, 1) * (1 - np.eye(n))
    if normalize and n > 1:
        weights /= n * (n - 1)
    return summed(weights, phi(margin, scores[:, None] - scores, width))


def preorder(
    margin: str, scores: Float64s, labels: Float64s, *, weight: str = "one", width: float = 0.5
) -> ByHand:
    above = labels[:, None] > labels
    weights = above.astype(float)
    if weight == "difference":
        weights *= labels[:, None] - labels
    elif weight in ("gain", "gain-pairs"):
        weights *= 2 ** labels[:, None] - 2**labels
    if weight in ("pairs", "gain-pairs"):
        weights /= max(above.sum(), 1)
    return summed(weights, phi(margin, scores[:, None] - scores, width))
