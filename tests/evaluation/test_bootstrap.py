"""The bootstrap interval of a mean: its random draws, its formula, its coverage, its borders."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from every_case import exhaustive
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.bootstrap import (
    Interval,
    _quantile,
    bootstrap_means,
    interval_of_means,
    mean_interval,
)
from rankproof.threads import using

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(state: int) -> int:
    """SplitMix64's output function, in Python integers."""
    z = state & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def words(seed: int, sample: int, count: int) -> list[int]:
    start = mix(mix(seed + GOLDEN) + sample * GOLDEN + 0xBF58476D1CE4E5B9)
    return [mix(start + (j + 1) * GOLDEN) for j in range(count)]


@pytest.mark.parametrize("n", [2, 3, 64, 101])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_draws_are_splitmix64_of_seed_resample_and_place(n: int, seed: int) -> None:
    values = np.random.default_rng(5).random(n)
    means = bootstrap_means(values, resamples=7, seed=seed)
    for r, mean in enumerate(means):
        halves = [half for word in words(seed, r, (n + 1) // 2) for half in (word % 2**32, word >> 32)]
        drawn = [values[half * n >> 32] for half in halves[:n]]
        assert mean == pytest.approx(math.fsum(drawn) / n, rel=1e-14)


def test_first_word_of_splitmix64_is_the_published_one() -> None:
    # The reference generator seeded with 0 starts with this number.
    assert mix(GOLDEN) == 0xE220A8397B1DCDAF


def test_three_queries_follow_the_exact_bootstrap_law() -> None:
    values = np.array([0.0, 1.0, 10.0])
    resamples = 54_000
    totals = np.rint(3 * bootstrap_means(values, resamples=resamples, seed=3)).astype(int)
    law: dict[int, int] = {}
    for draw in itertools.product([0, 1, 10], repeat=3):
        law[sum(draw)] = law.get(sum(draw), 0) + 1
    seen = [int((totals == total).sum()) for total in law]
    assert sum(seen) == resamples
    assert scipy.stats.chisquare(seen, [count / 27 * resamples for count in law.values()]).pvalue > 1e-3


def test_resampled_means_have_the_mean_and_variance_of_the_bootstrap() -> None:
    values = np.random.default_rng(1).gamma(0.5, size=301)
    resamples = 40_000
    means = bootstrap_means(values, resamples=resamples, seed=11)
    sd = values.std() / math.sqrt(values.size)
    assert abs(means.mean() - values.mean()) < 5 * sd / math.sqrt(resamples)
    assert means.std() == pytest.approx(sd, rel=5 / math.sqrt(2 * resamples))
    neighbours = np.corrcoef(means[1:], means[:-1])[0, 1]
    assert abs(neighbours) < 5 / math.sqrt(resamples)


@pytest.mark.parametrize("method", ["BCa", "percentile"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_interval_is_scipys_on_scipys_own_resamples(method: str, level: float) -> None:
    values = np.random.default_rng(2).exponential(size=40)
    reference = scipy.stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=level,
        n_resamples=3000,
        method=method,
        rng=np.random.default_rng(0),
    )
    ours = interval_of_means(
        reference.bootstrap_distribution,
        values,
        level=level,
        method="bca" if method == "BCa" else "percentile",
    )
    assert ours.low == pytest.approx(reference.confidence_interval.low, rel=1e-12)
    assert ours.high == pytest.approx(reference.confidence_interval.high, rel=1e-12)


def test_weighted_bca_follows_its_definition() -> None:
    rng = np.random.default_rng(8)
    values, weights = rng.exponential(size=25), rng.gamma(2.0, size=25)
    means = bootstrap_means(values, weights=weights, resamples=2001, seed=4)
    mean = np.average(values, weights=weights)
    left_out = np.array(
        [np.average(np.delete(values, i), weights=np.delete(weights, i)) for i in range(values.size)]
    )
    pull = left_out.mean() - left_out
    a = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    normal = statistics.NormalDist()
    z0 = normal.inv_cdf(float((means < mean).mean()))
    ends = []
    for tail in (0.05, 0.95):
        z = z0 + normal.inv_cdf(tail)
        ends.append(float(np.quantile(means, normal.cdf(z0 + z / (1 - a * z)))))
    interval = mean_interval(values, weights=weights, level=0.9, resamples=2001, seed=4)
    assert [interval.low, interval.high] == pytest.approx(ends, rel=1e-12)


def test_weighted_resamples_draw_values_with_their_weights() -> None:
    values, weights = np.array([1.0, 5.0]), np.array([3.0, 1.0])
    means = bootstrap_means(values, weights=weights, resamples=400, seed=0)
    # Twice the first, one of each, twice the second: 1, (3 + 5) / 4, 5.
    assert set(means.tolist()) == {1.0, 2.0, 5.0}


def test_equal_weights_are_no_weights() -> None:
    values = np.random.default_rng(0).random(50)
    plain = mean_interval(values, resamples=500)
    weighted = mean_interval(values, weights=np.full(50, 0.25), resamples=500)
    assert [weighted.low, weighted.high] == pytest.approx([plain.low, plain.high], rel=1e-12)


def test_nan_and_weight_zero_are_as_if_absent() -> None:
    values = np.array([0.1, np.nan, 0.5, 0.9, 0.4])
    assert mean_interval(values, resamples=300) == mean_interval([0.1, 0.5, 0.9, 0.4], resamples=300)
    weights = np.array([1.0, 2.0, 3.0, 0.0, 2.0])
    assert mean_interval(values, weights=weights, resamples=300) == mean_interval(
        [0.1, 0.5, 0.4], weights=[1.0, 3.0, 2.0], resamples=300
    )


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("values", [[], [0.3], [float("nan")], [0.3, float("nan")]])
def test_fewer_than_two_queries_say_nothing(values: list[float], method: str) -> None:
    interval = mean_interval(values, method=method)  # type: ignore[arg-type]
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert 0.3 not in interval


@pytest.mark.parametrize("values", [[0.25] * 9, [0.3, 0.1 + 0.2, 0.3], [0.0, 0.0]])
def test_equal_values_give_a_point(values: list[float]) -> None:
    assert mean_interval(values) == Interval(values[0], values[0], 0.95, "bca")


@pytest.mark.parametrize("resamples", [1, 2, 3])
def test_a_handful_of_resamples_is_still_finite(resamples: int) -> None:
    values = np.array([0.0, 0.1, 0.2, 5.0])
    for seed in range(20):
        interval = mean_interval(values, resamples=resamples, seed=seed)
        assert 0.0 <= interval.low <= interval.high <= 5.0


def test_extreme_level_and_extreme_weights_stay_finite() -> None:
    values = np.array([0.0] * 30 + [1.0])
    interval = mean_interval(values, level=1 - 1e-15)
    assert 0.0 <= interval.low < interval.high <= 1.0
    lopsided = mean_interval([0.1, 0.9, 0.4], weights=[1e300, 1e-300, 1e-300])
    assert 0.1 <= lopsided.low <= lopsided.high <= 0.9


@pytest.mark.parametrize("weighted", [False, True])
def test_same_bits_on_any_number_of_threads(weighted: bool) -> None:
    rng = np.random.default_rng(6)
    values = rng.random(1003)
    weights = rng.random(1003) if weighted else None
    means = []
    for threads in (1, 2, 4):
        with using(threads):
            means.append(bootstrap_means(values, weights=weights, resamples=801, seed=9))
    one, two, four = means
    assert one.tobytes() == two.tobytes() == four.tobytes()


def test_seed_decides_and_a_longer_run_starts_with_the_shorter() -> None:
    values = np.random.default_rng(6).random(30)
    assert not np.array_equal(
        bootstrap_means(values, resamples=50, seed=1), bootstrap_means(values, resamples=50, seed=2)
    )
    assert np.array_equal(bootstrap_means(values, resamples=50), bootstrap_means(values, resamples=90)[:50])


def test_two_systems_see_the_same_resamples() -> None:
    a, b = np.random.default_rng(6).random((2, 77))
    apart = bootstrap_means(a, resamples=60) - bootstrap_means(b, resamples=60)
    assert apart == pytest.approx(bootstrap_means(a - b, resamples=60), abs=1e-14)


@given(
    values=st.lists(st.integers(-50, 50), min_size=2, max_size=12).filter(lambda v: len(set(v)) > 1),
    shift=st.integers(-9, 9),
    scale=st.sampled_from([0.125, 1.0, 8.0]),
    method=st.sampled_from(["bca", "percentile"]),
)
@examples(60)
def test_interval_moves_with_shift_scale_and_sign(
    values: list[int], shift: int, scale: float, method: str
) -> None:
    x = np.array(values, dtype=float)
    base = mean_interval(x, resamples=201, method=method)  # type: ignore[arg-type]
    moved = mean_interval(scale * x + shift, resamples=201, method=method)  # type: ignore[arg-type]
    assert [moved.low, moved.high] == pytest.approx(
        [scale * base.low + shift, scale * base.high + shift], abs=1e-9
    )
    turned = -mean_interval(-x, resamples=201, method=method)  # type: ignore[arg-type]
    assert [turned.low, turned.high] == pytest.approx([base.low, base.high], abs=1e-9)
    assert x.min() <= base.low <= base.high <= x.max()


@pytest.mark.parametrize(
    ("method", "law"), [("bca", "uniform"), *exhaustive(("percentile", "uniform"), ("bca", "exponential"))]
)
def test_coverage_is_near_nominal(method: str, law: str) -> None:
    rng = np.random.default_rng(20)
    trials, truth = 2000, {"uniform": 0.5, "exponential": 1.0}[law]
    hits = 0
    for trial in range(trials):
        values = getattr(rng, law)(size=200)
        hits += truth in mean_interval(values, level=0.9, resamples=400, seed=trial, method=method)  # type: ignore[arg-type]
    # Five binomial standard errors about 0.9.
    assert abs(hits / trials - 0.9) < 5 * math.sqrt(0.9 * 0.1 / trials)


def test_bca_follows_the_skewness() -> None:
    values = np.random.default_rng(4).lognormal(sigma=1.5, size=60)
    bca = mean_interval(values, resamples=20_000)
    plain = mean_interval(values, resamples=20_000, method="percentile")
    assert bca.low > plain.low
    assert bca.high > plain.high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "Argument level must be a number strictly between 0 and 1, got 1.0."),
        ({"level": "much"}, "Argument level must be a number strictly between 0 and 1, got 'much'."),
        ({"method": "normal"}, "Argument method must be 'bca' or 'percentile', got 'normal'."),
        ({"resamples": 0}, "Argument resamples must be an int >= 1, got 0."),
        ({"seed": -1}, "Argument seed must be an int >= 0, got -1."),
        ({"weights": [1.0]}, "Argument weights must have 2 numbers, got 1."),
    ],
)
def test_bad_arguments_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        mean_interval([0.1, 0.2], **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_infinite_values_are_refused() -> None:
    with pytest.raises(DataError, match="holds inf at query 1"):
        mean_interval([0.1, math.inf])


def test_frozen_input_is_accepted_and_untouched() -> None:
    values = np.array([0.1, 0.4, 0.2])
    values.flags.writeable = False
    assert mean_interval(values, resamples=50) == mean_interval(values.copy(), resamples=50)
    assert values.tolist() == [0.1, 0.4, 0.2]


@pytest.mark.parametrize("kind", ["continuous", "tied"])
def test_quantiles_are_those_of_numpy_to_the_bit(kind: str) -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 7, 40, 1000):
        values = rng.standard_normal(size) if kind == "continuous" else rng.integers(0, 4, size).astype(float)
        places = [k / max(size - 1, 1) for k in range(min(size, 40))]
        for share in (0.0, 0.5, 1.0, *places, *rng.random(40).tolist()):
            assert _quantile(values, share) == np.quantile(values, share)
