"""Effect size: how large a difference is beside its spread over queries, and what a test could have seen.

>>> e = effect_size([0.6, 0.8, 0.7, 0.9], [0.5, 0.6, 0.6, 0.7])
>>> round(e.difference, 3), round(e.dz, 3)
(0.15, 2.598)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankproof.evaluation.bootstrap import Interval, as_level
from rankproof.evaluation.defaults import LEVEL, SIGNIFICANCE
from rankproof.evaluation.differences import Differences, paired_differences
from rankproof.evaluation.t_interval import t_interval
from rankproof.plain import html_fields, json_text, plain_fields

__all__ = ["Effect", "detectable_difference", "difference_interval", "effect_of", "effect_size"]


@dataclass(frozen=True)
class Effect:
    """The size of a paired difference.

    Attributes
    ----------
    difference : float
        The (weighted) mean of *a - b*.
    sd : float
        The standard deviation of the differences over queries; NaN with fewer than two queries.
    dz : float
        Cohen's d for paired values, ``difference / sd`` (Cohen 1988). 0 when all differences are 0,
        infinite when all are the same other number.
    g : float
        ``dz`` without its small-sample bias (Hedges 1981): times
        :math:`\\Gamma(f/2) / (\\sqrt{f/2}\\, \\Gamma((f-1)/2))` with f = n - 1.
    n : int
        How many queries were compared.
    """

    difference: float
    sd: float
    dz: float
    g: float
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, by the names of the attributes; NaN and infinity become None."""
        return plain_fields(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)


def effect_size(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> Effect:
    """The effect size of the paired differences of per-query values; a query with NaN is left out.

    With weights, the variance is :math:`\\sum w (d - \\bar d)^2 / (W - \\sum w^2 / W)`, which is unbiased,
    and the number of queries in Hedges' factor is :math:`W^2 / \\sum w^2`.
    """
    return effect_of(paired_differences(a, b, weights))


def effect_of(d: Differences) -> Effect:
    """The effect size of differences already taken."""
    if d.n < 2:
        return Effect(d.mean, math.nan, math.nan, math.nan, d.n)
    w = np.full(d.n, 1.0 / d.n) if d.weights is None else d.weights / d.weights.sum()
    concentration = float((w**2).sum())
    if concentration >= 1.0:  # weights so unequal that only one query counts in double precision
        return Effect(d.mean, math.nan, math.nan, math.nan, d.n)
    spread = d.values - d.mean
    # Differences that are the same up to rounding have no spread, whatever their last bits say.
    constant = np.ptp(d.values) <= 2.0 * d.rounding.max()
    sd = 0.0 if constant else math.sqrt(float((w * spread**2).sum()) / (1.0 - concentration))
    limit = 0.0 if d.mean == 0.0 else math.copysign(math.inf, d.mean)
    dz = d.mean / sd if sd > 0.0 else limit
    factor = _hedges(1.0 / concentration - 1.0)
    return Effect(d.mean, sd, dz, dz * factor if factor > 0.0 else 0.0, d.n)


def _hedges(freedom: float) -> float:
    if freedom <= 1.0:  # the second gamma function has its pole there: nothing of d is left
        return 0.0
    half = freedom / 2.0
    return math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)


def difference_interval(
    a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None, level: float = LEVEL
) -> Interval:
    """Student's interval of the (weighted) mean difference: see `rankproof.evaluation.t_interval`."""
    return t_interval(paired_differences(a, b, weights), level=as_level("level", level))


def detectable_difference(sd: float, n: int, *, level: float = SIGNIFICANCE, power: float = 0.8) -> float:
    """The smallest true mean difference that a two-sided t test finds with probability ``power``.

    The non-centrality that puts ``power`` of the non-central t distribution beyond the critical value, times
    ``sd / sqrt(n)``. NaN with fewer than two queries.

    >>> round(detectable_difference(sd=0.2, n=50), 4)
    0.0808
    """
    level, power = as_level("level", level), as_level("power", power)
    if n < 2 or math.isnan(sd):
        return math.nan
    from scipy.optimize import brentq
    from scipy.special import nctdtr, stdtrit

    critical = float(stdtrit(n - 1, 1.0 - level / 2.0))

    def missed(shift: float) -> float:
        return float(nctdtr(n - 1, shift, critical)) - (1.0 - power)

    if missed(0.0) <= 0.0:  # chance alone rejects that often
        return 0.0
    enough = critical
    while missed(enough) > 0.0:
        enough *= 2.0
    return float(brentq(missed, 0.0, enough, xtol=1e-12)) * sd / math.sqrt(n)
