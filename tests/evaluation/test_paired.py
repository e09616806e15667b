"""Laws of the three paired tests, Student's and Wilcoxon's against scipy, and their borders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from every_case import few_cases
from rankproof.evaluation.paired import paired_t_test, randomisation_test, wilcoxon_test

TESTS = [randomisation_test, paired_t_test, wilcoxon_test]

# Per-query values in tenths or sevenths: many ties in exact arithmetic that rounding breaks.
UNITS = st.sampled_from([10, 7, 30])
COUNTS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=10)


# Laws ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [17, 300])
@pytest.mark.parametrize("test", TESTS)
def test_order_of_queries_does_not_matter(test: object, n: int) -> None:
    rng = np.random.default_rng(n)
    a, b, w = rng.random((3, n))
    order = rng.permutation(n)
    first, second = test(a, b, weights=w), test(a[order], b[order], weights=w[order])  # type: ignore[operator]
    assert second.p == pytest.approx(first.p, rel=1e-12)
    if test is randomisation_test:
        assert second == first


@pytest.mark.parametrize("n", [17, 300])
@pytest.mark.parametrize("test", TESTS)
def test_swapping_the_systems_turns_the_sign_only(test: object, n: int) -> None:
    a, b = np.random.default_rng(n).random((2, n))
    there, back = test(a, b), test(b, a)  # type: ignore[operator]
    assert back.p == there.p
    assert back.direction == -there.direction != 0
    assert abs(back.statistic) == abs(there.statistic)
    if test is not wilcoxon_test:
        assert back.statistic == -there.statistic


@pytest.mark.parametrize("n", [17, 300])
@pytest.mark.parametrize("test", TESTS)
def test_a_common_shift_and_a_common_scale_change_nothing(test: object, n: int) -> None:
    a, b = np.random.default_rng(n).integers(0, 11, (2, n)) / 10
    p = test(a, b).p  # type: ignore[operator]
    shift = np.random.default_rng(0).integers(0, 100, n) / 10
    assert test(a + shift, b + shift).p == pytest.approx(p, rel=1e-9)  # type: ignore[operator]
    assert test(a / 3, b / 3).p == pytest.approx(p, rel=1e-9)  # type: ignore[operator]


@few_cases
@pytest.mark.parametrize(
    ("test", "n", "options"),
    [
        (randomisation_test, 25, {}),
        (randomisation_test, 60, {"samples": 1999}),
        (paired_t_test, 25, {}),
        (wilcoxon_test, 45, {}),
        (wilcoxon_test, 400, {}),
    ],
)
def test_p_is_uniform_under_the_null(test: object, n: int, options: dict[str, int]) -> None:
    rng = np.random.default_rng(12)
    ps = []
    for trial in range(1500):
        a, b = rng.normal(size=(2, n))
        seed = {"seed": trial} if test is randomisation_test else {}
        ps.append(test(a, b, **options, **seed).p)  # type: ignore[operator]
    assert scipy.stats.kstest(ps, "uniform").pvalue > 0.01
    assert abs(np.mean(np.array(ps) <= 0.05) - 0.05) < 4 * math.sqrt(0.05 * 0.95 / 1500)


@pytest.mark.parametrize("test", [randomisation_test, wilcoxon_test])
def test_exact_tests_keep_their_level_on_tied_differences(test: object) -> None:
    # Zeros and two sizes only: p-values are coarse, and must then err to the safe side.
    rng = np.random.default_rng(4)
    ps = np.array([test(rng.choice([-0.5, -0.1, 0, 0, 0.1, 0.5], 12), np.zeros(12)).p for _ in range(3000)])  # type: ignore[operator]
    for level in (0.01, 0.05, 0.2):
        assert np.mean(ps <= level) <= level + 4 * math.sqrt(level * (1 - level) / 3000)


# Student and Wilcoxon against scipy ------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), min_size=2, max_size=30),
)
@examples(100)
def test_t_is_scipys(pairs: list[tuple[float, float]]) -> None:
    a, b = np.array(pairs).T
    result = paired_t_test(a, b)
    d = a - b
    if np.ptp(d) <= 1e-9 or np.abs(d).max() == 0:
        return
    reference = scipy.stats.ttest_rel(a, b)
    assert result.statistic == pytest.approx(reference.statistic, rel=1e-6, abs=1e-9)
    assert result.p == pytest.approx(reference.pvalue, rel=1e-6, abs=1e-12)
    assert result.detail == f"t with {d.size - 1} degrees of freedom"


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_t_is_scipys_closely(n: int) -> None:
    a, b, w = np.random.default_rng(n).random((3, n))
    reference = scipy.stats.ttest_rel(a, b)
    result = paired_t_test(a, b)
    assert (result.statistic, result.p) == pytest.approx((reference.statistic, reference.pvalue), rel=1e-11)
    weighted = scipy.stats.ttest_1samp(w * (a - b), 0.0)
    assert paired_t_test(a, b, weights=w).p == pytest.approx(weighted.pvalue, rel=1e-11)


@pytest.mark.parametrize("n", [1, 2, 5, 13, 14, 50, 51, 200])
def test_wilcoxon_without_ties_is_scipys_default(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b, w = rng.normal(0.2, 1.0, n), rng.normal(0.0, 1.0, n), rng.random(n) + 0.1
    reference = scipy.stats.wilcoxon(a, b)
    result = wilcoxon_test(a, b)
    assert result.statistic == reference.statistic
    assert result.p == pytest.approx(reference.pvalue, rel=1e-11)
    assert result.exact == (n <= 50)
    assert wilcoxon_test(a, b, weights=w).p == pytest.approx(
        scipy.stats.wilcoxon(w * (a - b)).pvalue, rel=1e-11
    )


def test_wilcoxon_with_ties_on_many_queries_is_scipys_default() -> None:
    # Whole numbers: scipy sees the ties only where differences are equal to the last bit.
    a, b = np.random.default_rng(0).integers(0, 12, (2, 400)).astype(float)
    reference = scipy.stats.wilcoxon(a, b)
    result = wilcoxon_test(a / 10, b / 10)
    assert result.statistic == reference.statistic
    assert result.p == pytest.approx(reference.pvalue, rel=1e-11)
    assert not result.exact


@given(COUNTS, UNITS)
@examples(100)
def test_wilcoxon_with_ties_and_zeros_is_enumeration(counts: list[tuple[int, int]], unit: int) -> None:
    d = np.array([x - y for x, y in counts])
    d = d[d != 0]
    # scipy's ranks of the whole numbers; the test itself sees tenths, sevenths, thirtieths.
    ranks = scipy.stats.rankdata(np.abs(d))
    sums = [abs(float(np.dot(signs, ranks))) for signs in itertools.product((1, -1), repeat=d.size)]
    expected = np.mean(np.array(sums) >= abs(float(np.dot(np.sign(d), ranks))))
    result = wilcoxon_test([x / unit for x, _ in counts], [y / unit for _, y in counts])
    assert result.exact
    assert result.p == pytest.approx(float(expected), rel=1e-13)
    assert result.statistic == min(ranks[d > 0].sum(), ranks[d < 0].sum())


# Borders ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("n", [1, 2, 60])
def test_no_difference_has_p_one(test: object, n: int) -> None:
    result = test(np.full(n, 0.3), np.full(n, 0.1 + 0.2))  # type: ignore[operator]
    assert (result.p, result.statistic, result.n, result.direction) == (1.0, 0.0, n, 0)


@pytest.mark.parametrize("test", TESTS)
def test_no_queries_have_p_one_and_no_statistic(test: object) -> None:
    for a, b in (([], []), ([float("nan")], [0.2])):
        result = test(a, b)  # type: ignore[operator]
        assert (result.p, result.n, result.direction) == (1.0, 0, 0)
        assert math.isnan(result.statistic)


def test_one_query_shows_nothing() -> None:
    assert randomisation_test([0.9], [0.1]).p == 1.0
    assert wilcoxon_test([0.9], [0.1]).p == 1.0
    t = paired_t_test([0.9], [0.1])
    assert (t.p, t.detail) == (1.0, "one query has no variance to judge it by")
    assert math.isnan(t.statistic)


def test_the_same_difference_everywhere_has_an_infinite_t() -> None:
    result = paired_t_test([0.7, 0.6, 0.8], [0.6, 0.5, 0.7])
    assert (result.statistic, result.p, result.direction) == (math.inf, 0.0, 1)
    assert paired_t_test([0.5, 0.6], [0.7, 0.8]).statistic == -math.inf


@pytest.mark.parametrize("test", TESTS)
def test_nan_and_weight_zero_are_as_if_absent(test: object) -> None:
    nan = float("nan")
    a, b = [0.5, nan, 0.3, 0.9, 0.2, 0.8], [0.1, 0.3, nan, 0.8, 0.6, 0.1]
    assert test(a, b) == test([0.5, 0.9, 0.2, 0.8], [0.1, 0.8, 0.6, 0.1])  # type: ignore[operator]
    assert test(a, b, weights=[1, 1, 1, 0, 2, 1]) == test(  # type: ignore[operator]
        [0.5, 0.2, 0.8], [0.1, 0.6, 0.1], weights=[1, 2, 1]
    )
