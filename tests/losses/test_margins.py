"""Margins: their values, and every fact they claim attacked with numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError, UnknownNameError
from rankproof.losses.margins import FACTS, MARGINS, Margin, huber, margin, theorem_1
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder

ALL = [*MARGINS.values(), huber(0.1), huber(1), huber(2.5)]
GRID = np.linspace(-6, 6, 2401)


def ids(found: Margin) -> str:
    return f"{found.name}{found.pieces or ''}"


@pytest.mark.parametrize("found", ALL, ids=ids)
class TestFacts:
    def test_convex(self, found: Margin) -> None:
        values = np.array([found.value(t) for t in GRID])
        lies_below_the_chord = (values[:-2] + values[2:]) / 2 - values[1:-1] >= -1e-9
        assert bool(lies_below_the_chord.all()) == found.claims.value("convex")

    def test_never_rises_and_is_not_negative(self, found: Margin) -> None:
        values = np.array([found.value(t) for t in GRID])
        assert bool((np.diff(values) <= 0).all()) == found.claims.value("non_increasing")
        assert bool((values >= 0).all()) == found.claims.value("nonnegative")

    def test_differentiable(self, found: Margin) -> None:
        step = 1e-7
        points = [
            *GRID[::10].tolist(),
            1.0,
            *(edge for edge in (found.pieces or ())[:2] if math.isfinite(edge)),
        ]
        jumps = []
        for t in points:
            right = (found.value(t + step) - found.value(t)) / step
            left = (found.value(t) - found.value(t - step)) / step
            jumps.append(abs(right - left) / (1 + abs(right)))
        assert (max(jumps) < 1e-4) == found.claims.value("differentiable")

    def test_falls_at_zero(self, found: Margin) -> None:
        assert (found.derivative(0.0) < 0) == found.claims.value("falls_at_zero")

    def test_prefers_the_right_order(self, found: Margin) -> None:
        positive = GRID[GRID > 0]
        smaller = all(found.value(t) < found.value(-t) for t in positive)
        assert smaller == found.claims.value("prefers_right")

    def test_flat_point(self, found: Margin) -> None:
        flat = found.claims.value("flat_point")
        if flat is None:
            assert all(found.derivative(t) < 0 for t in [*GRID, 30.0])
        else:
            assert flat > 0
            assert found.derivative(flat) == 0 == found.derivative(flat + 1)

    def test_derivatives_are_those_of_the_value(self, found: Margin) -> None:
        step = 1e-5
        kinks = (found.pieces or (math.inf, math.inf))[:2]
        for t in np.linspace(-4.03, 4.07, 83).tolist():
            if min(abs(t - kink) for kink in kinks) < 10 * step:
                continue
            slope = (found.value(t + step) - found.value(t - step)) / (2 * step)
            bend = (found.derivative(t + step) - found.derivative(t - step)) / (2 * step)
            assert found.derivative(t) == pytest.approx(slope, rel=1e-6, abs=1e-8)
            assert found.second(t) == pytest.approx(bend, rel=1e-6, abs=1e-8)

    def test_every_fact_is_claimed(self, found: Margin) -> None:
        assert set(found.claims) == set(FACTS)


def test_values_by_hand() -> None:
    assert margin("hinge").value(-2.0) == 3
    assert margin("squared-hinge").value(-2.0) == 9
    assert margin("huber").value(0.25) == 0.75  # below 1 - h: the hinge
    assert margin("huber").value(1.0) == 0.5**2 / (4 * 0.5)
    assert huber(2).value(0.0) == 3**2 / (4 * 2)
    assert huber(2).value(3.1) == 0
    assert margin("logistic").value(0.0) == math.log(2)
    assert margin("logistic").value(-800.0) == 800
    assert margin("exponential").value(2.0) == math.exp(-2)


def test_which_margins_meet_theorem_1() -> None:
    meets = {name: theorem_1(found.claims) for name, found in MARGINS.items()}
    assert meets == {
        "hinge": False,
        "squared-hinge": True,
        "huber": True,
        "logistic": True,
        "exponential": True,
    }
    assert theorem_1(Claims()) is None


def own(**more: object) -> Margin:
    return Margin(lambda t: math.exp(-t), lambda t: -math.exp(-t), lambda t: math.exp(-t), **more)  # type: ignore[arg-type]


def test_a_margin_of_ones_own_claims_what_it_is_given() -> None:
    facts = [
        Claim(f, value=True, reference="mine")
        for f in (
            "convex",
            "non_increasing",
            "differentiable",
            "falls_at_zero",
            "prefers_right",
            "nonnegative",
        )
    ]
    told = OrderPreserving(margin=own(claims=facts))
    assert told.claims.value("order_preserving") is True
    silent = OrderPreserving(margin=own())
    for name in ("order_preserving", "convex", "smooth", "bounded_below"):
        assert silent.claims.value(name) is None
    with pytest.raises(ArgumentError, match="claims 'concave'; margins claim: convex"):
        own(claims=[Claim("concave", value=True, reference="mine")])


def test_a_named_margin_object_is_kept_by_name() -> None:
    assert OrderPreserving(margin=MARGINS["logistic"]) == OrderPreserving(margin="logistic")
    assert Preorder(margin=huber(0.3)) == Preorder(margin="huber", width=0.3)
    with pytest.raises(ArgumentError, match="'hinge' is taken"):
        Preorder(margin=own(name="hinge"))


def test_wrong_arguments() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown margin 'hubr'. Did you mean 'huber'"):
        Preorder(margin="hubr")
    with pytest.raises(ArgumentError, match=r"Margin hinge has no width, got width=0.3"):
        OrderPreserving(margin="hinge", width=0.3)
    with pytest.raises(ArgumentError, match=r"width of order-preserving must be a number above 0, got -1"):
        OrderPreserving(margin="huber", width=-1)
    with pytest.raises(ArgumentError, match=r"must be one of exponential, hinge, .* or a Margin, got 3"):
        OrderPreserving(margin=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"of your own has no width"):
        OrderPreserving(margin=own(), width=2)
    with pytest.raises(ArgumentError, match=r"second of margin 'custom' must be a function"):
        Margin(math.exp, math.exp, 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"pieces .* of margin 'custom' give 0.5 at t = 0.5"):
        Margin(lambda t: 2.0 * (t < 1), math.exp, math.exp, pieces=(1.0, 1.0, 0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t: object().missing + t, "value of margin 'bad' cannot be compiled by numba"),  # type: ignore[attr-defined]
        (lambda t: str(t > 0), "value of margin 'bad' must return a number"),
        (lambda t: [t], "value of margin 'bad' must return a number"),
        (lambda: 1.0, "value of margin 'bad' must be a function of one number"),
        (lambda t, u: t + u, "value of margin 'bad' must be a function of one number"),
    ],
)
def test_a_function_that_does_not_compile_is_refused(function: object, message: str) -> None:
    bad = Margin(function, math.exp, math.exp, name="bad")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=message):
        OrderPreserving(margin=bad).evaluate([0.0, 1.0], [1.0, 0.0], [0, 2])
