"""Effect sizes, the interval of a difference, and the difference a test could see."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

from rankproof.errors import ArgumentError
from rankproof.evaluation.effect import detectable_difference, difference_interval, effect_size


def test_dz_is_the_mean_over_the_standard_deviation() -> None:
    # Differences 1, 2, 6: mean 3, variance ((-2)^2 + (-1)^2 + 3^2) / 2 = 7.
    effect = effect_size([2.0, 4.0, 9.0], [1.0, 2.0, 3.0])
    assert (effect.difference, effect.n) == (3.0, 3)
    assert effect.sd == pytest.approx(math.sqrt(7))
    assert effect.dz == pytest.approx(3 / math.sqrt(7))
    # Hedges' factor with 2 degrees of freedom: gamma(1) / (sqrt(1) * gamma(1/2)) = 1 / sqrt(pi).
    assert effect.g == pytest.approx(3 / math.sqrt(7 * math.pi))


@pytest.mark.parametrize("n", [3, 10, 300])
def test_g_is_dz_without_bias(n: int) -> None:
    a, b = np.random.default_rng(n).random((2, n))
    effect = effect_size(a, b)
    f = n - 1
    factor = math.exp(scipy.special.gammaln(f / 2) - scipy.special.gammaln((f - 1) / 2)) / math.sqrt(f / 2)
    assert effect.g == pytest.approx(effect.dz * factor, rel=1e-12)
    assert factor == pytest.approx(1 - 3 / (4 * f - 1), abs=0.02)
    # t = dz * sqrt(n)
    assert effect.dz * math.sqrt(n) == pytest.approx(scipy.stats.ttest_rel(a, b).statistic, rel=1e-11)


@pytest.mark.exhaustive
def test_mean_of_g_over_samples_is_the_true_effect() -> None:
    rng = np.random.default_rng(0)
    samples = rng.normal(0.5, 1.0, (20_000, 6))
    effects = [effect_size(sample, np.zeros(6)) for sample in samples]
    gs, dzs = np.array([e.g for e in effects]), np.array([e.dz for e in effects])
    error = gs.std() / math.sqrt(gs.size)
    assert abs(gs.mean() - 0.5) < 4 * error
    assert dzs.mean() > 0.5 + 4 * error


def test_swap_turns_the_sign_and_scale_does_nothing() -> None:
    a, b = np.random.default_rng(0).random((2, 20))
    there, back, scaled = effect_size(a, b), effect_size(b, a), effect_size(8 * a, 8 * b)
    assert (back.difference, back.dz, back.g, back.sd) == (-there.difference, -there.dz, -there.g, there.sd)
    assert (scaled.dz, scaled.g) == pytest.approx((there.dz, there.g), rel=1e-12)


def test_weighted_effect() -> None:
    a, b = np.random.default_rng(0).random((2, 20))
    plain, equal = effect_size(a, b), effect_size(a, b, weights=np.full(20, 3.0))
    assert (equal.dz, equal.g, equal.sd) == pytest.approx((plain.dz, plain.g, plain.sd), rel=1e-12)
    # Differences 0 and 3 with weights 1 and 2: mean 2, sum of w (d - 2)^2 = 4 + 2 = 6, and
    # W - sum w^2 / W = 3 - 5/3.
    effect = effect_size([0.0, 3.0], [0.0, 0.0], weights=[1.0, 2.0])
    assert effect.difference == 2.0
    assert effect.sd == pytest.approx(math.sqrt(6 / (4 / 3)))


@pytest.mark.exhaustive
def test_weighted_variance_is_unbiased() -> None:
    rng = np.random.default_rng(1)
    weights = rng.gamma(1.0, size=7)
    variances = [
        effect_size(sample, np.zeros(7), weights=weights).sd ** 2 for sample in rng.normal(0, 2, (20_000, 7))
    ]
    assert abs(np.mean(variances) - 4.0) < 4 * np.std(variances) / math.sqrt(len(variances))


def test_borders() -> None:
    assert math.isnan(effect_size([], []).dz)
    one = effect_size([0.5], [0.25])
    assert (one.difference, one.n) == (0.25, 1)
    assert math.isnan(one.dz)
    none = effect_size([0.3, 0.2], [0.1 + 0.2, 0.2])
    assert (none.dz, none.g, none.sd) == (0.0, 0.0, 0.0)
    constant = effect_size([0.7, 0.8, 0.9], [0.6, 0.7, 0.8])
    assert (constant.dz, constant.g, constant.sd) == (math.inf, math.inf, 0.0)
    # One degree of freedom: Hedges' factor is 0.
    assert effect_size([0.5, 0.9], [0.25, 0.0]).g == 0.0
    assert math.isnan(effect_size([0.5, 0.9], [0.25, 0.0], weights=[1e300, 1e-300]).dz)


def test_difference_interval_is_that_of_the_paired_t_test() -> None:
    """Against scipy, on the queries that both have."""
    nan = float("nan")
    a, b = [0.5, 0.75, nan, 0.25, 1.0], [0.25, 0.25, 0.5, 0.5, nan]
    found = difference_interval(a, b, level=0.9)
    theirs = scipy.stats.ttest_1samp([0.25, 0.5, -0.25], 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    assert (found.level, found.method) == (0.9, "t")


@pytest.mark.parametrize("n", [2, 5, 50, 5000])
@pytest.mark.parametrize(("level", "power"), [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5)])
def test_detectable_difference_has_the_power_asked_for(n: int, level: float, power: float) -> None:
    difference = detectable_difference(0.2, n, level=level, power=power)
    critical = scipy.stats.t.ppf(1 - level / 2, n - 1)
    reached = scipy.stats.nct.sf(critical, n - 1, difference / 0.2 * math.sqrt(n))
    assert reached == pytest.approx(power, rel=1e-9)


def test_detectable_difference_of_nothing_is_nan_and_bad_levels_are_named() -> None:
    assert math.isnan(detectable_difference(0.2, 1))
    assert math.isnan(detectable_difference(math.nan, 10))
    assert detectable_difference(0.0, 10) == 0.0
    # Half of level is what chance alone reaches on the right side.
    assert detectable_difference(0.2, 10, level=0.5, power=0.2) == 0.0
    with pytest.raises(
        ArgumentError, match=r"Argument power must be a number strictly between 0 and 1, got 1\."
    ):
        detectable_difference(0.2, 10, power=1.0)
