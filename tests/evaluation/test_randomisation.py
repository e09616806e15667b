"""The randomisation test: exact against enumeration in rational numbers, sampled against exact."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import rankproof.evaluation.sign_flips as sign_flips
from drawn import examples
from rankproof.errors import ArgumentError
from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.paired import randomisation_test
from rankproof.kernels.statistics.resample import count_at_least
from rankproof.threads import using

# Per-query values in tenths or sevenths: many ties in exact arithmetic that rounding breaks.
UNITS = st.sampled_from([10, 7, 30])
COUNTS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=10)


def share_as_extreme(terms: list[Fraction]) -> Fraction:
    """The randomisation p-value by its definition, over all sign patterns, in rational numbers."""
    observed = abs(sum(terms, Fraction(0)))
    sums = [
        abs(sum((s * t for s, t in zip(signs, terms, strict=True)), Fraction(0)))
        for signs in itertools.product((1, -1), repeat=len(terms))
    ]
    return Fraction(sum(total >= observed for total in sums), len(sums))


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No exact path: every randomisation test draws sign patterns."""
    monkeypatch.setattr(sign_flips, "_MOST_ENUMERATED", 0)
    monkeypatch.setattr(sign_flips, "_MOST_CELLS", 0)


@pytest.fixture
def on_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    """No enumeration: differences must be found to be multiples of one unit."""
    monkeypatch.setattr(sign_flips, "_MOST_ENUMERATED", 0)


def test_sums_that_equal_the_bound_count() -> None:
    """0 + 2, 1 + 1 and 1 + 2 do; between systems the slack for rounding hides those that are equal."""
    assert count_at_least(np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0]), 2.0) == 3


# Randomisation: exact --------------------------------------------------------------------------------------


@given(COUNTS, UNITS)
@examples(150)
def test_exact_p_is_enumeration_in_exact_arithmetic(counts: list[tuple[int, int]], unit: int) -> None:
    a, b = [x / unit for x, _ in counts], [y / unit for _, y in counts]
    result = randomisation_test(a, b)
    assert result.exact
    assert result.p_error == 0.0
    assert result.p == float(share_as_extreme([Fraction(x - y, unit) for x, y in counts]))


@given(COUNTS, st.lists(st.integers(1, 5), min_size=10, max_size=10))
@examples(80)
def test_weights_scale_the_differences(counts: list[tuple[int, int]], weights: list[int]) -> None:
    a, b = [x / 10 for x, _ in counts], [y / 10 for _, y in counts]
    w = weights[: len(counts)]
    result = randomisation_test(a, b, weights=[v / 3 for v in w])
    terms = [Fraction((x - y) * v, 30) for (x, y), v in zip(counts, w, strict=True)]
    assert result.p == float(share_as_extreme(terms))
    assert result.statistic == pytest.approx(float(sum(terms) / Fraction(sum(w), 3)), abs=1e-15)


def test_rounding_does_not_break_a_tie() -> None:
    # The observed sum is 0 in exact arithmetic, so that every pattern is as extreme; doubles say 5.6e-17.
    a, b = [0.1, 0.2, 0.0], [0.0, 0.0, 0.3]
    assert 0.1 + 0.2 - 0.3 != 0
    assert randomisation_test(a, b).p == 1.0
    # 0.7 - 0.6 is below 0.8 - 0.7 in doubles: a plain >= would miss the pattern that swaps their signs.
    a, b = [0.8, 0.6, 0.9], [0.7, 0.7, 0.5]
    assert 0.7 - 0.6 < 0.8 - 0.7
    # |±1 ±1 ±4| is 6, 4, 4, 2 and the same again mirrored; the observed sum is 4.
    assert randomisation_test(a, b).p == 3 / 4


def test_meeting_in_the_middle_is_enumeration() -> None:
    rng = np.random.default_rng(0)
    for m in (1, 2, 5, 16):
        d = rng.normal(0.3, 1.0, m)
        signs = 1 - 2 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)
        share = float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12))
        assert randomisation_test(d, np.zeros(m)).p == share


def test_forty_differences_are_exact_and_forty_one_are_sampled() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1.0, 41)
    exact, sampled = randomisation_test(d[:40], np.zeros(40)), randomisation_test(d, np.zeros(41))
    assert exact.exact
    assert exact.detail == "all 2^40 sign patterns of the 40 non-zero differences"
    assert (exact.p * 2**39).is_integer()
    assert not sampled.exact
    assert sampled.detail == "100000 random sign patterns of 41 non-zero differences, seed 0"


def test_all_wins_leave_two_patterns() -> None:
    assert randomisation_test(np.full(40, 1.0) + np.arange(40), np.zeros(40)).p == 2.0**-39


@pytest.mark.usefixtures("on_lattice")
@given(COUNTS, UNITS)
@examples(100)
def test_lattice_is_enumeration_in_exact_arithmetic(counts: list[tuple[int, int]], unit: int) -> None:
    a, b = [x / unit for x, _ in counts], [y / unit for _, y in counts]
    result = randomisation_test(a, b)
    assert result.exact
    assert result.p == pytest.approx(float(share_as_extreme([Fraction(x - y) for x, y in counts])), rel=1e-13)


@pytest.mark.parametrize(("wins", "losses"), [(60, 40), (300, 250), (130, 0), (2000, 1000)])
def test_success_rates_are_the_sign_test(wins: int, losses: int) -> None:
    # With differences of 1, 0 and -1 only, the randomisation test is the binomial sign test.
    a = np.array([1.0] * wins + [0.0] * (losses + 50))
    b = np.array([0.0] * wins + [1.0] * losses + [0.0] * 50)
    result = randomisation_test(a, b)
    assert result.exact
    assert result.p == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)


def test_precision_at_ten_on_many_queries_is_exact_by_convolution() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 11, (2, 400))
    steps = np.abs(a - b)[a != b]
    law = np.ones(1)
    for step in steps:
        kernel = np.zeros(2 * step + 1)
        kernel[[0, -1]] = 0.5
        law = np.convolve(law, kernel)
    sums = np.arange(law.size) - steps.sum()
    expected = law[np.abs(sums) >= abs(int((a - b).sum()))].sum()
    result = randomisation_test(a / 10, b / 10)
    assert result.exact
    assert "multiples of 0.1" in result.detail
    assert result.p == pytest.approx(expected, rel=1e-9)


def test_a_p_value_too_small_for_a_double_is_small_and_not_zero() -> None:
    result = randomisation_test(np.ones(5000), np.zeros(5000))
    assert 0.0 < result.p <= 1e-200


# Randomisation: sampled ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("m", [3, 12, 30])
def test_sampled_p_is_within_five_standard_errors_of_exact(m: int) -> None:
    for seed in range(20):
        a, b = np.random.default_rng([m, seed]).normal(0.0, 1.0, (2, m))
        d = paired_differences(a, b)
        exact = sign_flips._enumerated_p(np.sort(np.abs(d.values)), abs(d.values.sum()) - 1e-12)
        result = randomisation_test(a, b, seed=seed, samples=20_000)
        assert not result.exact
        assert result.p_error == pytest.approx(math.sqrt(result.p * (1 - result.p) / 20_000))
        assert abs(result.p - exact) <= 5 * result.p_error


@pytest.mark.usefixtures("sampled")
def test_sampled_p_counts_the_observed_pattern() -> None:
    d = np.random.default_rng(0).random(300) + 1.0
    # No random pattern of 300 has all signs equal, so only the observed one is as extreme.
    assert randomisation_test(d, np.zeros(300), samples=999).p == 1 / 1000


@pytest.mark.usefixtures("sampled")
def test_sampled_patterns_count_ties() -> None:
    # The three quarters of the test above.
    result = randomisation_test([0.8, 0.6, 0.9], [0.7, 0.7, 0.5], samples=20_000)
    assert abs(result.p - 0.75) <= 5 * result.p_error


def test_signs_are_fair_and_independent() -> None:
    from rankproof.kernels.statistics.resample import byte_tables, sign_flip_sums

    # Powers of three have distinct signed sums: every sum shows its pattern of signs.
    m, samples = 8, 64_000
    sums = np.zeros(samples)
    sign_flip_sums(byte_tables(3.0 ** np.arange(m)), 0, np.uint64(7), 0, samples, sums)
    patterns, counts = np.unique(sums, return_counts=True)
    assert patterns.size == 2**m
    assert scipy.stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("m", [1, 63, 64, 65, 200])
def test_sign_sums_are_signed_sums_of_all_values(m: int) -> None:
    from rankproof.kernels.statistics.resample import byte_tables, sign_flip_sums

    # One value at a time: with the others 0 the sum shows the sign of that value in every sample.
    samples, columns = 50, []
    for i in range(m):
        alone, out = np.zeros(m), np.zeros(samples)
        alone[i] = 1.0
        sign_flip_sums(byte_tables(alone), 0, np.uint64(3), 0, samples, out)
        assert set(out.tolist()) == {1.0, -1.0}
        columns.append(out)
    values, sums = np.random.default_rng(m).random(m), np.zeros(samples)
    sign_flip_sums(byte_tables(values), 0, np.uint64(3), 0, samples, sums)
    assert sums == pytest.approx(np.array(columns).T @ values, abs=1e-12)


def test_tables_in_parts_draw_the_same_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = np.random.default_rng(2).random(333)
    whole = sign_flips._extreme_patterns(sizes, 15.0, 1, 5000)
    monkeypatch.setattr(sign_flips, "_TABLED", 64)
    assert sign_flips._extreme_patterns(sizes, 15.0, 1, 5000) == whole
    assert 50 < whole < 4950


def test_same_p_on_any_number_of_threads_and_another_with_another_seed() -> None:
    a, b = np.random.default_rng(3).random((2, 700))
    results = []
    for threads in (1, 2, 4):
        with using(threads):
            results.append(randomisation_test(a, b, seed=5, samples=9001))
    one, two, four = results
    assert one == two == four
    assert not one.exact
    assert randomisation_test(a, b, seed=6, samples=9001).p != one.p


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ArgumentError, match=r"Argument samples must be an int >= 1, got 0\."):
        randomisation_test([0.1], [0.2], samples=0)
    with pytest.raises(ArgumentError, match=r"Argument seed must be an int >= 0, got 1\.5\."):
        randomisation_test([0.1], [0.2], seed=1.5)  # type: ignore[arg-type]
