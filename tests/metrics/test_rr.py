"""RR against visible arithmetic, binomial coefficients, and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from every_case import every_case
from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import RR, metric


def test_by_hand() -> None:
    assert RR().of_labels([0, 0, 2, 1]) == Fraction(1, 3)
    assert value(RR(), [4, 3, 2, 1], [0, 0, 2, 1]) == 1 / 3
    assert RR(cutoff=2).of_labels([0, 0, 2, 1]) == 0
    assert value(RR(cutoff=2), [4, 3, 2, 1], [0, 0, 2, 1]) == 0.0
    assert value(RR(), [1], [0], missed=[1]) == 0.0


def test_ties_by_hand() -> None:
    # One relevant of three at ranks 2..4: each with chance 1/3.
    assert value(RR(), [9, 5, 5, 5], [0, 0, 1, 0]) == pytest.approx(
        (1 / 2 + 1 / 3 + 1 / 4) / 3, rel=1e-15, abs=0
    )
    # Cut at rank 3.
    assert value(RR(cutoff=3), [9, 5, 5, 5], [0, 0, 1, 0]) == pytest.approx(
        (1 / 2 + 1 / 3) / 3, rel=1e-15, abs=0
    )
    assert value(RR(), [5] * 4, [1] * 4) == 1.0


def test_no_relevant_item_is_empty() -> None:
    assert RR().of_labels([0]) is None
    assert math.isnan(value(RR(), [1], [0]))
    assert math.isnan(value(RR(), [], []))


@every_case(("size", "inside"), [(1000, 1), (1000, 3), (1000, 500), (1000, 999), (61, 30)])
@every_case("above", [0, 7])
@every_case("cutoff", [None, 1, 8, 20, 600])
def test_long_ties_are_a_ratio_of_binomials(size: int, inside: int, above: int, cutoff: int | None) -> None:
    wanted = sum(
        Fraction(math.comb(size - j, inside - 1), math.comb(size, inside) * (above + j))
        for j in range(1, size - inside + 2)
        if cutoff is None or above + j <= cutoff
    )
    scores = [1.0] * above + [0.0] * size
    labels = [0] * above + [1] * inside + [0] * (size - inside)
    assert value(RR(cutoff=cutoff), scores, labels) == pytest.approx(float(wanted), rel=1e-13, abs=0)


@pytest.mark.parametrize("cutoff", [None, 1, 2, 4])
@given(tied())
def test_every_order(cutoff: int | None, query: Query) -> None:
    relevant = any(y >= 1 for y in (*query[1], *query[2]))

    def definition(ranked: list[float]) -> Fraction | None:
        ranks = [k for k, y in enumerate(ranked[:cutoff], start=1) if y >= 1]
        return (Fraction(1, ranks[0]) if ranks else Fraction(0)) if relevant else None

    agrees_with_every_order(RR(cutoff=cutoff), query, definition)
    explanation_agrees(RR(cutoff=cutoff), query)


def test_explanation_shows_the_chances() -> None:
    told = RR().explain(lists_of([2, 2, 1], [1, 0, 1]))
    assert told.rows == [(0.5, 1.0, 0.5, 0.5), (0.5, 0.5, 0.25, 0.75), (0.0, 1 / 3, 0.0, 0.75)]
    assert told.steps == ["RR = 0.750000"]


def test_printed_form() -> None:
    prints(RR(), "RR")
    prints(RR(cutoff=10, rel=3), "RR(rel=3)@10")
    assert metric("MRR@10") == RR(cutoff=10)


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match="RR has no parameter 'relevance'"):
        metric("RR(relevance=2)")
