"""Intervals contain the truth, jets contain the derivatives: against mpmath at 480 digits, and sampled."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import few_cases
from rankproof.errors import ArgumentError
from rankproof.theory.arithmetic import elementary
from rankproof.theory.arithmetic import functions as f
from rankproof.theory.arithmetic.elementary import BITS, UnprovenError, exp_bounds, log_bounds, root_bounds
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.arithmetic.jets import Jet, variables

UNIT = 1 << BITS
# Fixed-point numbers of all sizes that occur: tiny, moderate, large; and those next to special ones.
fixed = st.one_of(
    st.integers(-3 * UNIT, 3 * UNIT),
    st.integers(-700 * UNIT, 700 * UNIT),
    st.integers(-(2**40), 2**40),
    st.sampled_from([k * UNIT + d for k in (-2, -1, 0, 1, 2) for d in (-1, 0, 1)]),
)
fractions = st.fractions(-20, 20, max_denominator=10**6)


def true(x: int) -> Any:
    return mpmath.mpf(x) / UNIT


@pytest.fixture(autouse=True)
def precise() -> Any:
    with mpmath.workprec(1600):
        yield


# Elementary functions -----------------------------------------------------------------------------


@given(fixed)
def test_exp_is_enclosed(x: int) -> None:
    low, high = exp_bounds(x)
    value = mpmath.exp(true(x)) * UNIT
    assert low <= value <= high
    assert high - low <= 2 + value / 2**140


@given(fixed)
def test_log_is_enclosed(x: int) -> None:
    low, high = log_bounds(abs(x) + 1)
    assert low <= mpmath.log(true(abs(x) + 1)) * UNIT <= high <= low + 2


@given(fixed)
def test_root_is_enclosed(x: int) -> None:
    low, high = root_bounds(abs(x))
    assert low <= mpmath.sqrt(true(abs(x))) * UNIT <= high <= low + 1


WIDE = elementary._WIDE


@given(st.integers(0, (7 << WIDE) // 10))
def test_the_series_of_exp_is_enclosed_before_it_is_rounded(x: int) -> None:
    low, high = elementary._small_exp(x)
    assert low <= mpmath.exp(mpmath.mpf(x) / 2**WIDE) * 2**WIDE <= high <= low + 2**12


@given(st.integers(-(20_000 << WIDE), 20_000 << WIDE))
def test_halves_of_the_argument_are_accounted_for(x: int) -> None:
    low, high, k = elementary._exp_wide(x)
    value = mpmath.exp(mpmath.mpf(x) / 2**WIDE - k * mpmath.log(2)) * 2**WIDE
    assert low <= value <= high <= low + 2**28


@given(st.integers(-(1 << (WIDE - 40)), 1 << (WIDE - 40)))
def test_the_series_of_log_is_enclosed_before_it_is_rounded(d: int) -> None:
    low, high = elementary._log_series(d)
    assert low <= mpmath.log1p(mpmath.mpf(d) / 2**WIDE) * 2**WIDE <= high <= low + 2**34


def test_log_of_2_is_enclosed() -> None:
    low, high = elementary._log_of_2()
    assert low <= mpmath.log(2) * 2**WIDE <= high <= low + 200


def test_special_values_are_exact() -> None:
    assert exp_bounds(0) == (UNIT, UNIT)
    assert log_bounds(UNIT) == (0, 0)
    assert root_bounds(9 * UNIT) == (3 * UNIT, 3 * UNIT)


def test_what_is_out_of_reach_is_refused() -> None:
    with pytest.raises(UnprovenError, match=r"exp of 1e\+06 is beyond"):
        exp_bounds(10**6 * UNIT)
    assert exp_bounds(-(10**6) * UNIT) == (0, 1)
    with pytest.raises(UnprovenError, match="log needs a number above 0"):
        log_bounds(0)
    with pytest.raises(UnprovenError, match="root needs a number of at least 0"):
        root_bounds(-1)
    assert issubclass(UnprovenError, ArgumentError)


# Intervals ----------------------------------------------------------------------------------------

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
}


@st.composite
def boxed(draw: Any) -> tuple[Enclosure, Fraction]:
    """An interval, perhaps a point, and a number inside."""
    a, b = sorted((draw(fractions), draw(fractions)))
    share = draw(st.fractions(0, 1, max_denominator=50))
    wide = draw(st.booleans())
    return (Enclosure.from_bounds(a, b), a + share * (b - a)) if wide else (Enclosure.from_number(a), a)


@pytest.mark.parametrize("name", BINARY)
@given(one=boxed(), other=boxed())
def test_arithmetic_contains_all_results(
    name: str, one: tuple[Enclosure, Fraction], other: tuple[Enclosure, Fraction]
) -> None:
    (a, x), (b, y) = one, other
    if name == "divide" and b.low <= 0 <= b.high:
        with pytest.raises(UnprovenError, match="may be 0"):
            a / b
        return
    assert BINARY[name](x, y) in BINARY[name](a, b)
    assert BINARY[name](x, y) in BINARY[name](a, y)
    assert BINARY[name](x, y) in BINARY[name](x, b)


fine = st.integers(-(2**130), 2**130).map(lambda k: Fraction(k, 2**128))


@pytest.mark.parametrize("name", ["multiply", "divide"])
@given(x=fine, y=fine)
def test_results_of_exact_numbers_are_rounded_outwards(name: str, x: Fraction, y: Fraction) -> None:
    """Both operands are points, so nothing but the rounding of the result separates its bounds."""
    if name == "divide" and y == 0:
        return
    a, b, value = Enclosure.from_number(x), Enclosure.from_number(y), BINARY[name](x, y)
    for found in (BINARY[name](a, b), BINARY[name](a, y), BINARY[name](x, b)):
        assert value in found
        assert found.high - found.low <= 1
    assert x * x in a.square()
    assert a.square().high - a.square().low <= 1


@given(boxed())
def test_functions_contain_all_results(one: tuple[Enclosure, Fraction]) -> None:
    a, x = one
    assert x * x in a.square()
    assert a.square().low >= 0
    assert abs(x) in abs(a)
    assert x**3 in a**3
    assert x**4 in a**4
    assert (a**0) == 1
    value = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator) * UNIT
    assert a.exp().low <= value <= a.exp().high


@given(boxed(), st.fractions(Fraction(1, 10), 4, max_denominator=20))
def test_powers_contain_all_results(one: tuple[Enclosure, Fraction], exponent: Fraction) -> None:
    a, x = abs(one[0]), abs(one[1])
    value = mpmath.power(
        mpmath.mpf(x.numerator) / x.denominator, mpmath.mpf(exponent.numerator) / exponent.denominator
    )
    found = a**exponent
    assert found.low <= value * UNIT <= found.high


def test_numbers_enter_as_they_are() -> None:
    third = Enclosure.from_number(Fraction(1, 3))
    assert third.high - third.low == 1
    tenth = Enclosure.from_number(0.1)
    assert Fraction(0.1) in tenth
    assert Fraction(1, 10) not in tenth
    assert 3 * Enclosure.from_number(2) == 6
    assert Enclosure.from_number(np.int64(4)) == 4
    with pytest.raises(UnprovenError, match="finite number, got inf"):
        Enclosure.from_number(math.inf)


def test_comparisons_are_proven_or_refused() -> None:
    wide, third = Enclosure.from_bounds(0, 1), Enclosure.from_number(Fraction(1, 3))
    assert wide < 2
    assert not wide > 1
    assert not wide < 0
    assert wide >= 0
    assert wide <= 1
    assert wide == wide  # one and the same number
    assert wide != 2
    for undecided in (lambda: wide < Fraction(1, 2), lambda: wide == 0, lambda: third == Fraction(1, 3)):
        with pytest.raises(UnprovenError, match="cannot be decided"):
            undecided()


# Jets ---------------------------------------------------------------------------------------------

# Functions of three scores in generic arithmetic, and the same for mpmath.
FORMULAS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "polynomial": (lambda a, b, c: a * b - c**3 + 2 * a / 3, lambda a, b, c: a * b - c**3 + 2 * a / 3),
    "quotient": (lambda a, b, c: (a - b) / (4 + c * c), lambda a, b, c: (a - b) / (4 + c * c)),
    "inverse": (lambda a, b, c: 1 / (3 - a * b) - c, lambda a, b, c: 1 / (3 - a * b) - c),
    "exp": (lambda a, b, c: f.exp(a * b - c), lambda a, b, c: mpmath.exp(a * b - c)),
    "log": (lambda a, b, c: f.log(5 + a + b * c), lambda a, b, c: mpmath.log(5 + a + b * c)),
    "log1p": (lambda a, b, c: f.log1p(a * a) * (b + c), lambda a, b, c: mpmath.log(1 + a * a) * (b + c)),
    "softplus": (
        lambda a, b, c: f.softplus(a - 3 * b * c),
        lambda a, b, c: mpmath.log(1 + mpmath.exp(a - 3 * b * c)),
    ),
    "sigmoid": (lambda a, b, c: f.sigmoid(a + b * c), lambda a, b, c: 1 / (1 + mpmath.exp(-a - b * c))),
    "sqrt": (lambda a, b, c: f.sqrt(3 + a * b + c), lambda a, b, c: mpmath.sqrt(3 + a * b + c)),
    "cosh": (lambda a, b, c: f.cosh(a * b + c), lambda a, b, c: mpmath.cosh(a * b + c)),
    "power": (
        lambda a, b, c: f.power(4 + a + b * c, Fraction(5, 3)),
        lambda a, b, c: mpmath.power(4 + a + b * c, mpmath.mpf(5) / 3),
    ),
    "absolute power": (
        lambda a, b, c: f.absolute_power(a - b, Fraction(7, 2)) + c,
        lambda a, b, c: mpmath.power(abs(a - b), mpmath.mpf(7) / 2) + c,
    ),
    "negative power": (lambda a, b, c: (3 + a * b) ** -2 - c, lambda a, b, c: (3 + a * b) ** -2 - c),
    "log_sum_exp": (
        lambda a, b, c: f.log_sum_exp([a, 2 * b, c * c]),
        lambda a, b, c: mpmath.log(mpmath.exp(a) + mpmath.exp(2 * b) + mpmath.exp(c * c)),
    ),
    "kinks away": (
        lambda a, b, c: (
            f.positive_part(5 + a) + f.squared_positive_part(4 - b) + abs(c - 6) + f.positive_part(c - 9)
        ),
        lambda a, b, c: 5 + a + (4 - b) ** 2 + 6 - c,
    ),
}
ORDERS = [
    (0, 0, 0),
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (2, 0, 0),
    (1, 1, 0),
    (1, 0, 1),
    (0, 2, 0),
    (0, 1, 1),
    (0, 0, 2),
]


def derivative(jet: Jet, order: tuple[int, ...]) -> Enclosure:
    """The derivative of these orders in the three scores."""
    places = [i for i, times in enumerate(order) for _ in range(times)]
    return jet.value if not places else jet.slope(*places) if len(places) == 1 else jet.bend(*places)


@few_cases
@pytest.mark.parametrize("name", FORMULAS)
def test_derivatives_are_those_of_mpmath(name: str) -> None:
    ours, theirs = FORMULAS[name]
    rng = np.random.default_rng(1)
    for point in rng.uniform(-1, 1, (3, 3)).tolist():
        jet = ours(*variables([Enclosure.from_number(x) for x in point]))
        for order in ORDERS:
            found = derivative(jet, order)
            value = mpmath.diff(theirs, tuple(map(mpmath.mpf, point)), order)
            assert abs(float(found.middle) - float(value)) < 1e-12 * (1 + abs(float(value))), order
            # mpmath's differences are good to a third of its digits.
            assert found.low - 2**20 <= value * UNIT <= found.high + 2**20, order
            assert found.high - found.low < 2**40


@pytest.mark.parametrize("name", FORMULAS)
def test_a_box_contains_the_derivatives_of_all_its_points(name: str) -> None:
    ours, _ = FORMULAS[name]
    rng = np.random.default_rng(2)
    for half in (0.3, 0.01):
        center = rng.uniform(-0.6, 0.6, 3)
        box = ours(*variables([Enclosure.from_bounds(float(x) - half, float(x) + half) for x in center]))
        for point in rng.uniform(center - half, center + half, (8, 3)).tolist():
            jet = ours(*variables([Enclosure.from_number(x) for x in point]))
            for order in ORDERS:
                inner, outer = derivative(jet, order), derivative(box, order)
                assert outer.low <= inner.high, order
                assert inner.low <= outer.high, order


def test_at_a_kink_the_slope_is_the_hull_of_both_sides() -> None:
    x = variables([Enclosure.from_bounds(-1, 2)])[0]
    for jet, slope in ((f.positive_part(x), (0, 1)), (abs(x), (-1, 1)), (f.positive_part(-3 * x), (-3, 0))):
        assert (jet.slope(0).lower, jet.slope(0).upper) == slope
        with pytest.raises(UnprovenError, match="kink"):
            jet.bend(0, 0)
        # What is computed from it has no second derivative either.
        assert (jet * jet + x).hessian is None
    point = variables([Enclosure.from_number(0)])[0]
    assert f.positive_part(point).slope(0).upper == 1
    squared = f.squared_positive_part(x)
    assert (squared.slope(0).lower, squared.slope(0).upper) == (0, 4)
    assert (squared.bend(0, 0).lower, squared.bend(0, 0).upper) == (0, 2)
    assert f.squared_positive_part(point).bend(0, 0).upper == 2
    assert f.squared_positive_part(x - 5).bend(0, 0) == 0


def test_functions_take_floats_and_exact_numbers() -> None:
    for name, (ours, theirs) in FORMULAS.items():
        value = float(theirs(mpmath.mpf(0.5), mpmath.mpf(-0.25), mpmath.mpf(0.125)))
        assert ours(0.5, -0.25, 0.125) == pytest.approx(value, rel=1e-13), name
        exact = ours(Fraction(1, 2), Fraction(-1, 4), Fraction(1, 8))
        assert float(exact.middle if isinstance(exact, Enclosure) else exact) == pytest.approx(
            value, rel=1e-15
        ), name
    assert f.positive_part(Fraction(-1)) == 0
    assert f.softplus(800.0) == 800.0
    assert f.softplus(Fraction(-800)).upper < Fraction(1, 2**120)


def test_comparisons_of_jets_are_of_values() -> None:
    a, b = variables([Enclosure.from_bounds(0, 1), Enclosure.from_bounds(2, 3)])
    assert a < b
    assert b >= a
    assert a <= a  # one and the same number
    assert a != 5
    with pytest.raises(UnprovenError, match="cannot be decided"):
        a < b - 2  # noqa: B015


def test_numpy_functions_run_on_arrays_of_jets() -> None:
    scores = np.array(variables([Enclosure.from_number(0), Enclosure.from_number(1)]), dtype=object)
    total = np.exp(scores).sum() + np.float64(2.0) * np.log1p(np.exp(scores))[1] + np.sqrt(4 + scores).mean()
    slope = 1 + 1 / (2 * math.sqrt(4)) / 2
    assert float(total.slope(0).middle) == pytest.approx(slope, rel=1e-15)
    slope = math.e + 2 * math.e / (1 + math.e) + 1 / (2 * math.sqrt(5)) / 2
    assert float(total.slope(1).middle) == pytest.approx(slope, rel=1e-15)


def test_division_by_what_may_be_zero_is_refused() -> None:
    x = variables([Enclosure.from_bounds(-1, 1)])[0]
    for quotient in (lambda: 1 / x, lambda: x / 0, lambda: f.log(x), lambda: f.sqrt(x - 2), lambda: x**-1):
        with pytest.raises(UnprovenError):
            quotient()
