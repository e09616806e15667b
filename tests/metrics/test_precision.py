"""P against visible arithmetic and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import P, metric


def test_by_hand() -> None:
    assert P(cutoff=2).of_labels([1, 0, 2]) == Fraction(1, 2)
    assert value(P(cutoff=2), [3, 2, 1], [1, 0, 2]) == 1 / 2
    assert value(P(rel=2), [3, 2, 1], [1, 0, 2]) == 1 / 3


def test_divides_by_the_cutoff_also_when_the_list_is_shorter() -> None:
    assert P(cutoff=10).of_labels([1, 0, 2]) == Fraction(2, 10)
    assert value(P(cutoff=10), [3, 2, 1], [1, 0, 2]) == 2 / 10


def test_without_a_cutoff_divides_by_what_was_retrieved() -> None:
    assert P().of_labels([1, 0, 2]) == Fraction(2, 3)
    assert value(P(), [3, 2], [1, 0], missed=[1, 1]) == 1 / 2
    # Nothing retrieved, but something to retrieve.
    assert value(P(), [], [], missed=[1]) == 0.0


def test_ties_share_the_places_above_the_cut() -> None:
    # One hit at rank 1; then two of four places, of items two of which are relevant.
    assert value(P(cutoff=3), [9, 5, 5, 5, 5, 1], [1, 1, 0, 1, 0, 1]) == (1 + 2 * 2 / 4) / 3


def test_no_relevant_item_is_empty() -> None:
    assert P(rel=3).of_labels([1, 0, 2]) is None
    assert math.isnan(value(P(rel=3), [3, 2, 1], [1, 0, 2]))
    assert math.isnan(value(P(), [], []))


@pytest.mark.parametrize("cutoff", [None, 1, 2, 4, 9])
@given(tied())
def test_every_order(cutoff: int | None, query: Query) -> None:
    relevant = sum(y >= 1 for y in (*query[1], *query[2]))

    def definition(ranked: list[float]) -> Fraction | None:
        if not relevant:
            return None
        hits = sum(y >= 1 for y in ranked[: cutoff or len(ranked)])
        return Fraction(hits, cutoff or len(ranked) or 1)

    agrees_with_every_order(P(cutoff=cutoff), query, definition)
    explanation_agrees(P(cutoff=cutoff), query)


def test_explanation_shows_the_division() -> None:
    told = P(cutoff=2).explain(lists_of([3, 3, 1], [1, 0, 0]))
    assert told.rows == [(0.5, 0.5), (0.5, 1.0)]
    assert told.steps == ["P@2 = 1 hits / 2 places = 0.500000"]


def test_printed_form() -> None:
    prints(P(), "P")
    prints(P(cutoff=10, rel=2), "P(rel=2)@10")
    assert metric("precision@5") == P(cutoff=5)


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match="cutoff of P must be an int >= 1, got 0"):
        P(cutoff=0)
    with pytest.raises(ArgumentError, match="rel of P must be a finite number, got 'x'"):
        P(rel="x")  # type: ignore[arg-type]
