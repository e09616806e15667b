"""F against visible arithmetic, precision and recall, and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import F, P, R


def test_by_hand() -> None:
    # P = 1/2, R = 1/3: harmonic mean 2 / (2 + 3).
    assert F(cutoff=2).of_labels([1, 0, 1, 1]) == Fraction(2, 5)
    assert value(F(cutoff=2), [4, 3, 2, 1], [1, 0, 1, 1]) == 2 / 5
    # beta = 2: 5 P R / (4 P + R) = (5/6) / (2 + 1/3).
    assert F(cutoff=2, beta=2).of_labels([1, 0, 1, 1]) == Fraction(5, 14)
    assert value(F(cutoff=2, beta=2), [4, 3, 2, 1], [1, 0, 1, 1]) == pytest.approx(5 / 14, rel=1e-15, abs=0)


def test_no_hits_are_zero() -> None:
    assert F(cutoff=1).of_labels([0, 1]) == 0
    assert value(F(cutoff=1), [2, 1], [0, 1]) == 0.0
    assert value(F(), [], [], missed=[1]) == 0.0
    assert math.isnan(value(F(), [1], [0]))


@pytest.mark.parametrize("beta", [1e-200, 0.1, 0.3, 1, 3, 7, 1e200])
def test_lies_between_precision_and_recall(beta: float) -> None:
    scores, labels, missed = [4, 3, 2, 1], [1, 0, 1, 0], [1]
    p, r = value(P(), scores, labels, missed), value(R(), scores, labels, missed)
    f = value(F(beta=beta), scores, labels, missed)
    assert p <= f <= r
    # 2 of 2 in the top 2: nothing may round above 1.
    assert value(F(cutoff=2, beta=beta), [3, 2, 1], [1, 1, 0]) <= 1.0
    if beta == 1e-200:
        assert f == p
    if beta == 1e200:
        assert f == r


@pytest.mark.parametrize("beta", [0.5, 1, 2])
@pytest.mark.parametrize("cutoff", [None, 1, 3])
@given(tied())
def test_every_order(cutoff: int | None, beta: float, query: Query) -> None:
    relevant = sum(y >= 1 for y in (*query[1], *query[2]))

    def definition(ranked: list[float]) -> Fraction | None:
        if not relevant:
            return None
        hits = sum(y >= 1 for y in ranked[:cutoff])
        if not hits:
            return Fraction(0)
        p, r, square = Fraction(hits, cutoff or len(ranked)), Fraction(hits, relevant), Fraction(beta) ** 2
        return (1 + square) * p * r / (square * p + r)

    agrees_with_every_order(F(cutoff=cutoff, beta=beta), query, definition)
    explanation_agrees(F(cutoff=cutoff, beta=beta), query)


def test_explanation_shows_the_parts() -> None:
    told = F(cutoff=2).explain(lists_of([3, 2, 1], [1, 0, 1]))
    assert told.rows == [(1.0, 1.0), (0.0, 1.0)]
    assert told.steps[0] == "P = 1 hits / 2 places, R = 1 hits / 2 relevant items"
    assert told.steps[-1] == "F@2 = 1 / (0.5 x 2 + 0.5 x 2) = 0.500000"


def test_printed_form() -> None:
    prints(F(), "F")
    prints(F(beta=2.0, rel=2, cutoff=5), "F(rel=2,beta=2)@5")
    prints(F(beta=0.5), "F(beta=0.5)")


@pytest.mark.parametrize("beta", [0, -1, math.inf, math.nan, "2"])
def test_parameters(beta: object) -> None:
    with pytest.raises(ArgumentError, match="Argument beta of F must be"):
        F(beta=beta)  # type: ignore[arg-type]
