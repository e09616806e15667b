r"""The law of the labels given what the trees say: a link, and normal effects of the query.

With f the value of the trees, f' its mean over the list and s_i = (f_i - f') / d its standardised place in
the list, the latent value of item i of a query is

.. math:: κ (b f' + h(s_i)) + σ_0 u_0 + σ_1 u_1 s_i + σ_2 \sum_k u_{2k} p_{ik}

with h increasing and linear between the knots 0, 1 and 2, and independent standard normal u for each query: a
level (how many items are relevant), a strength (how much the trees' value says) and topics (which features
matter to this query; p are the principal directions of the features within lists). Given the effects the
grades are independent, so topics are what makes items that are alike depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rankproof.arrays import Float64s, Int64s
from rankproof.plain import html_text, json_text
from rankproof.worlds.plasmode.laplace import likely_effects
from rankproof.worlds.plasmode.lists import centred
from rankproof.worlds.plasmode.ordinal import packed, unpacked

__all__ = ["LabelModel", "fit_label_model"]

KNOTS = np.array([0.0, 1.0, 2.0])
START_DEVIATIONS = (1.0, 0.3, 0.3)
LEAST_DEVIATION, MOST_DEVIATION = 0.01, 6.0
LEAST_SLOPE, MOST_SLOPE = 0.02, 20.0


@dataclass(frozen=True)
class LabelModel:
    """The numbers of the law.

    Attributes
    ----------
    spread : float
        d: the pooled standard deviation of the trees' value within lists.
    between : float
        b: what the mean of the trees' value over the list is multiplied by.
    within : array of 4
        The slopes of h below 0, up to 1, up to 2, and above.
    thresholds : array
        The thresholds of the grades, increasing.
    level, strength, topic : float
        The standard deviations σ.
    signal : float
        κ: 1 as fitted.
    """

    spread: float
    between: float
    within: Float64s
    thresholds: Float64s
    level: float
    strength: float
    topic: float
    signal: float = 1.0

    @classmethod
    def from_dict(cls, numbers: dict[str, Any]) -> LabelModel:
        """The numbers that `to_dict` gave."""
        arrays = {name: np.array(numbers[name], dtype=np.float64) for name in ("within", "thresholds")}
        return cls(**{**numbers, **arrays})

    def to_dict(self) -> dict[str, Any]:
        """All numbers, as plain ones."""
        return {**vars(self), "within": self.within.tolist(), "thresholds": self.thresholds.tolist()}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def with_signal(self, signal: float) -> LabelModel:
        """The same with another κ."""
        return replace(self, signal=signal)

    def latent(self, value: Float64s, offsets: Int64s) -> Float64s:
        """The latent value of every item without the effects of its query."""
        inner = centred(value, offsets)
        link = _pieces(inner / self.spread) @ self.within
        return self.signal * (self.between * (value - inner) + link)

    def columns(self, value: Float64s, topics: Float64s, offsets: Int64s) -> Float64s:
        """What the standard normal effects of the query are multiplied by: a column for each."""
        scales = [self.level, self.strength, *[self.topic] * topics.shape[1]]
        return _design(centred(value, offsets) / self.spread, topics) * scales


def fit_label_model(
    value: Float64s, topics: Float64s, classes: Int64s, offsets: Int64s, thresholds: Float64s
) -> LabelModel:
    """The numbers of greatest likelihood, by Laplace's approximation of the integral over the effects.

    ``value`` is that of trees that did not see the query, so that the slopes are as small as the trees'
    errors make them; ``thresholds`` is where the search starts.
    """
    inner = centred(value, offsets)
    spread = float(np.sqrt(np.square(inner).mean()))
    count, ends = thresholds.size, KNOTS.size + 2
    modes: Float64s | None = None

    def read(x: Float64s) -> LabelModel:
        deviations = np.exp(x[ends + count :]).tolist()
        return LabelModel(
            spread, float(x[0]), np.exp(x[1:ends]), unpacked(x[ends : ends + count]), *deviations
        )

    def cost(x: Float64s) -> float:
        nonlocal modes
        model = read(x)
        fit = likely_effects(
            model.latent(value, offsets),
            model.columns(value, topics, offsets),
            classes,
            offsets,
            model.thresholds,
            modes,
        )
        modes = fit.modes
        return -fit.log_likelihood / classes.size

    slopes = np.full(KNOTS.size + 1, np.log(np.clip(spread, LEAST_SLOPE, MOST_SLOPE)))
    start = np.concatenate(([1.0], slopes, packed(thresholds), np.log(START_DEVIATIONS)))
    bounds = [
        (LEAST_SLOPE, MOST_SLOPE),
        *[(np.log(LEAST_SLOPE), np.log(MOST_SLOPE))] * slopes.size,
        *[(None, None)] * count,
        *[(np.log(LEAST_DEVIATION), np.log(MOST_DEVIATION))] * len(START_DEVIATIONS),
    ]
    result = minimize(cost, start, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60, "ftol": 1e-8})
    return read(result.x)


def _design(inner: Float64s, topics: Float64s) -> Float64s:
    return np.column_stack((np.ones(inner.size), inner, topics))


def _pieces(places: Float64s) -> Float64s:
    """How far each place goes into each piece between the knots: a column per piece."""
    starts, ends = KNOTS, np.append(KNOTS[1:], np.inf)
    above = [np.clip(places - low, 0.0, high - low) for low, high in zip(starts, ends, strict=True)]
    return np.column_stack((np.minimum(places - KNOTS[0], 0.0), *above))
