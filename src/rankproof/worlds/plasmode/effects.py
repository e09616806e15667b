r"""What the queries add to the latent value beyond the features: normal effects, their sizes by likelihood.

The latent value of item i of a query is

.. math:: α f_i + σ_0 u_0 + σ_1 u_1 s_i + σ_2 \sum_k u_{2k} p_{ik}

with independent standard normal u per query: a level (how many items are relevant), a strength (how much the
model's value says, s is the standardised f within the list) and topics (which features matter to this query,
p are the principal directions of the features within lists). Given the effects the grades are independent, so
the topics are what makes items that are alike depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from rankproof.arrays import Float64s, Int64s
from rankproof.worlds.plasmode.ordinal import log_likelihood, packed, slopes, unpacked

__all__ = ["EffectSizes", "fit_effects", "marginal_log_likelihood"]

NEWTON_STEPS = 12


@dataclass(frozen=True)
class EffectSizes:
    """Fitted numbers of the law.

    Attributes
    ----------
    slope : float
        α: what the cross-fitted value is multiplied by, below 1 where the trees had over-fitted.
    thresholds : array
        The thresholds of the grades.
    level, strength, topic : float
        The standard deviations σ.
    log_likelihood : float
        By Laplace's approximation.
    """

    slope: float
    thresholds: Float64s
    level: float
    strength: float
    topic: float
    log_likelihood: float

    def scales(self, topics: int) -> Float64s:
        """One standard deviation per column of the design."""
        return np.concatenate(([self.level, self.strength], np.full(topics, self.topic)))


def fit_effects(
    latent: Float64s, design: Float64s, classes: Int64s, offsets: Int64s, thresholds: Float64s
) -> EffectSizes:
    """The slope, thresholds and sizes of greatest marginal likelihood.

    ``design`` has a column of ones, one of standardised latent values, and one per topic.
    """
    topics = design.shape[1] - 2
    count = thresholds.size
    start = np.concatenate(([1.0], packed(thresholds), np.log([0.3, 0.3, 0.2])))
    modes = np.zeros((offsets.size - 1, design.shape[1]))

    def read(x: Float64s) -> EffectSizes:
        level, strength, topic = np.exp(x[1 + count :])
        return EffectSizes(float(x[0]), unpacked(x[1 : 1 + count]), level, strength, topic, 0.0)

    def cost(x: Float64s) -> float:
        nonlocal modes
        sizes = read(x)
        total, modes = marginal_log_likelihood(
            sizes.slope * latent, design * sizes.scales(topics), classes, offsets, sizes.thresholds, modes
        )
        return -total / classes.size

    bounds = [(0.05, 5.0), *[(None, None)] * count, *[(np.log(1e-2), np.log(6.0))] * 3]
    result = minimize(cost, start, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60, "ftol": 1e-8})
    best = read(result.x)
    return EffectSizes(
        best.slope,
        best.thresholds,
        float(best.level),
        float(best.strength),
        float(best.topic),
        -float(result.fun) * classes.size,
    )


def marginal_log_likelihood(
    latent: Float64s,
    design: Float64s,
    classes: Int64s,
    offsets: Int64s,
    thresholds: Float64s,
    start: Float64s | None = None,
) -> tuple[float, Float64s]:
    """Laplace's approximation of the log likelihood with standard normal effects, and their modes by query.

    Each query's effects are moved to their most likely value by Newton steps, all queries at a time.
    """
    queries, width = offsets.size - 1, design.shape[1]
    sizes = np.diff(offsets)
    of_item = np.repeat(np.arange(queries), sizes)
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
        modes += np.clip(step, -2.0, 2.0)
        if np.abs(step).max(initial=0.0) < 1e-5:
            break
    value = latent + np.einsum("ij,ij->i", design, modes[of_item])
    total = log_likelihood(value, classes, thresholds).sum() - 0.5 * np.square(modes).sum()
    _, log_determinants = np.linalg.slogdet(curvature(slopes(value, classes, thresholds).curvature))
    return float(total - 0.5 * log_determinants.sum()), modes
