"""The bootstrap interval of a mean over queries: how much the number would move with other queries.

Queries are the sampling unit. A resample draws as many queries as there are, with replacement, and takes
their (weighted) mean; the interval is read off the distribution of these means.

>>> interval = mean_interval([0.2, 0.4, 0.6, 0.8], seed=1)
>>> 0.2 <= interval.low < 0.5 < interval.high <= 0.8
True
>>> 0.5 in interval
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, as_weights, as_whole_number, flat_floats, frozen
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.defaults import LEVEL, RESAMPLES, SEED
from rankproof.plain import html_fields, json_text, plain_fields
from rankproof.threads import chunks_by_items, run

__all__ = ["Interval", "Method", "as_level", "bootstrap_means", "interval_of_means", "mean_interval"]

Method = Literal["bca", "percentile"]

# Two means closer than this, relative to the largest value, differ by rounding alone.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a mean over queries.

    Attributes
    ----------
    low, high : float
        Its ends. NaN: nothing can be said.
    level : float
        The confidence level, 0.95 for a 95 % interval.
    method : str
        How it was made: ``"bca"``, ``"percentile"`` or ``"t"``.
    """

    low: float
    high: float
    level: float
    method: str

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        """``high - low``."""
        return self.high - self.low

    def __neg__(self) -> Interval:
        """The interval of the negated quantity."""
        return Interval(-self.high, -self.low, self.level, self.method)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, by the names of the attributes; NaN and infinity become None."""
        return plain_fields(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)


def as_level(name: str, level: float) -> float:
    """``level`` as a float strictly between 0 and 1."""
    try:
        value = float(level)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 < value < 1.0:
        raise ArgumentError(f"Argument {name} must be a number strictly between 0 and 1, got {level!r}.")
    return value


def mean_interval(
    values: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    method: Method = "bca",
) -> Interval:
    r"""The bootstrap confidence interval of the (weighted) mean of per-query ``values``.

    ``"percentile"`` takes the quantiles :math:`(1 \mp level)/2` of the resampled means. ``"bca"`` (Efron
    1987, *Better Bootstrap Confidence Intervals*, JASA 82) moves these quantiles for the bias and the
    skewness of the mean: with :math:`z_0 = \Phi^{-1}(P^*(\bar x^* < \bar x))` and the jackknife
    acceleration *a*,

    .. math:: \alpha \mapsto \Phi\Bigl(z_0 + \frac{z_0 + z_\alpha}{1 - a(z_0 + z_\alpha)}\Bigr),
       \qquad a = \frac{\sum_i u_i^3}{6(\sum_i u_i^2)^{3/2}},

    where :math:`u_i` is the mean of the leave-one-out means minus the mean without query *i*; for equal
    weights this is :math:`u_i \propto x_i - \bar x`. A resampled mean that ties with the mean counts half in
    :math:`z_0`.

    Parameters
    ----------
    values : one number per query
        NaN stands for a query that the metric skipped; it is left out.
    weights : one number per query, optional
        A query is drawn with its weight, and the mean of a resample is divided by the weight it drew.
        Queries of weight 0 are left out.
    level : float
        The confidence level, 0.95 for a 95 % interval.
    resamples : int
        How many resamples; 10,000 pin an end of the interval down to about 1.5 % of its half width.
    seed : int
        Same seed, same interval, on any number of threads.
    method : "bca" or "percentile"

    Returns
    -------
    Interval
        With fewer than two queries the ends are NaN: one query says nothing about the spread. When all
        values are equal both ends are that value.
    """
    if method not in get_args(Method):
        raise ArgumentError(f"Argument method must be 'bca' or 'percentile', got {method!r}.")
    level = as_level("level", level)
    x, w = _kept(values, weights)
    resamples = as_whole_number("resamples", resamples, 1)
    seed = as_whole_number("seed", seed, 0)
    if x.size < 2:
        return Interval(math.nan, math.nan, level, method)
    if np.ptp(x) <= _ROUNDING * np.abs(x).max():
        mean = float(x[0])
        return Interval(mean, mean, level, method)
    means = bootstrap_means(x, weights=w, resamples=resamples, seed=seed)
    return interval_of_means(means, x, weights=w, level=level, method=method)


def bootstrap_means(
    values: Float64s,
    *,
    weights: Float64s | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Float64s:
    """The means of the ``resamples``; no NaN in ``values``, no 0 in ``weights``.

    Resample r depends on (seed, r, number of queries) alone. Two systems on the same queries therefore see
    the same resamples.
    """
    sums = _bootstrap_sums(values if weights is None else values * weights, resamples, seed)
    if weights is None:
        return sums / values.size
    return sums / _bootstrap_sums(weights, resamples, seed)


def interval_of_means(
    means: Float64s,
    values: Float64s,
    *,
    weights: Float64s | None = None,
    level: float = LEVEL,
    method: Method = "bca",
) -> Interval:
    """The interval that resampled ``means`` of ``values`` give: see `mean_interval`."""
    tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    if method == "bca":
        tails = _bca_tails(tails, means, values, weights)
    low, high = (_quantile(means, tail) for tail in tails.tolist())
    return Interval(low, high, level, method)


def _quantile(values: Float64s, share: float) -> float:
    """`numpy.quantile` to the bit, which would import all of numpy.ma.

    >>> _quantile(np.array([3.0, 1.0, 2.0]), 0.75)
    2.5
    """
    place = (values.size - 1) * share
    below = min(int(place), max(values.size - 2, 0))
    above, part = min(below + 1, values.size - 1), place - below
    ranked = np.partition(values, (below, above))
    low, high = float(ranked[below]), float(ranked[above])
    # From the nearer end, so that it rises with the share.
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1.0 - part)


def _kept(values: ArrayLike, weights: ArrayLike | None) -> tuple[Float64s, Float64s | None]:
    x = flat_floats("values", values)
    if np.isinf(x).any():
        at = int(np.argmax(np.isinf(x)))
        raise DataError(
            f"Argument values holds {x[at]} at query {at}; a mean needs finite numbers (or NaN to skip)."
        )
    keep = ~np.isnan(x)
    if weights is None:
        return x[keep], None
    w = as_weights("weights", weights, x.size)
    keep &= w > 0
    return x[keep], w[keep]


def _bootstrap_sums(values: Float64s, resamples: int, seed: int) -> Float64s:
    from rankproof.kernels.statistics.resample import bootstrap_sums

    sums = np.empty(resamples)
    key = np.uint64(seed % 2**64)
    work = np.arange(resamples + 1, dtype=np.int64) * values.size
    values = frozen(values)  # whatever it was, so that the kernel compiles for one kind of array only
    ranges = chunks_by_items(work)
    run(lambda first, last: bootstrap_sums(values, key, first, last, sums), ranges)
    return sums


def _bca_tails(tails: Float64s, means: Float64s, values: Float64s, weights: Float64s | None) -> Float64s:
    from statistics import NormalDist

    normal = NormalDist()
    mean = float(np.average(values, weights=weights))
    slack = _ROUNDING * float(np.abs(values).max())
    below = float(np.mean(means < mean - slack) + np.mean(means <= mean + slack)) / 2.0
    # A share of 0 or 1 (a handful of resamples) would send z0 to infinity; half a resample bounds it.
    edge = 0.5 / means.size
    bias = normal.inv_cdf(min(max(below, edge), 1.0 - edge))
    acceleration = _acceleration(values, weights)
    moved = []
    for tail in tails:
        z = bias + normal.inv_cdf(float(tail))
        # |a| <= 1/6, so only levels beyond 1 - 1e-8 reach the pole of the formula; it stands for infinity.
        stretch = 1.0 - acceleration * z
        moved.append(normal.cdf(bias + z / stretch) if stretch > 0 else float(z > 0))
    return np.array(moved)


def _acceleration(values: Float64s, weights: Float64s | None) -> float:
    if weights is None:
        pull = values - values.mean()
    else:
        left_out = _sums_of_others(weights * values) / _sums_of_others(weights)
        pull = left_out.mean() - left_out
    largest = np.abs(pull).max()
    if largest == 0.0:  # weights so unequal that only one query counts in double precision
        return 0.0
    # Powers of numbers up to 1 cannot all underflow, and the ratio does not depend on the scale.
    pull = pull / largest
    return float((pull**3).sum() / (6.0 * (pull**2).sum() ** 1.5))


def _sums_of_others(terms: Float64s) -> Float64s:
    """The sum of all terms but one, for each; added up from both sides, so that nothing cancels."""
    before = np.concatenate(([0.0], np.cumsum(terms)[:-1]))
    after = np.concatenate((np.cumsum(terms[::-1])[-2::-1], [0.0]))
    return before + after
