"""Success against visible arithmetic, the hypergeometric law, and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import Success, metric


def test_by_hand() -> None:
    assert Success(cutoff=2).of_labels([0, 1, 1]) == 1
    assert Success(cutoff=1).of_labels([0, 1, 1]) == 0
    assert value(Success(cutoff=2), [3, 2, 1], [0, 1, 1]) == 1.0
    assert value(Success(cutoff=1), [3, 2, 1], [0, 1, 1]) == 0.0


def test_without_a_cutoff_any_retrieved_item_will_do() -> None:
    assert Success().of_labels([0, 0, 1]) == 1
    assert value(Success(), [3, 2, 1], [0, 0, 1]) == 1.0
    assert value(Success(), [3, 2], [0, 0], missed=[1]) == 0.0


def test_ties_by_hand() -> None:
    # Two of the four tied places are in the top, one of the four items is relevant.
    assert value(Success(cutoff=3), [9, 5, 5, 5, 5], [0, 0, 0, 1, 0]) == 2 / 4


def test_no_relevant_item_is_empty() -> None:
    assert Success().of_labels([0]) is None
    assert math.isnan(value(Success(), [1], [0]))


@pytest.mark.parametrize(("size", "inside"), [(1000, 1), (1000, 2), (1000, 700), (61, 30), (5, 5)])
@pytest.mark.parametrize("places", [1, 3, 40, 1000])
def test_long_ties_are_hypergeometric(size: int, inside: int, places: int) -> None:
    places = min(places, size)
    wanted = 1 - Fraction(math.comb(size - places, inside), math.comb(size, inside))
    labels = [0] * (size - inside) + [1] * inside
    assert value(Success(cutoff=places), [0.0] * size, labels) == pytest.approx(
        float(wanted), rel=1e-13, abs=0
    )
    assert value(Success(cutoff=places), [0.0] * size, labels) <= 1.0


@pytest.mark.parametrize("cutoff", [None, 1, 2, 4])
@given(tied())
def test_every_order(cutoff: int | None, query: Query) -> None:
    relevant = any(y >= 1 for y in (*query[1], *query[2]))

    def definition(ranked: list[float]) -> Fraction | None:
        return Fraction(int(any(y >= 1 for y in ranked[:cutoff]))) if relevant else None

    agrees_with_every_order(Success(cutoff=cutoff), query, definition)
    explanation_agrees(Success(cutoff=cutoff), query)


def test_explanation_shows_the_chances() -> None:
    told = Success(cutoff=2).explain(lists_of([1, 1, 1], [0, 1, 0]))
    assert [row[0] for row in told.rows] == pytest.approx([1 / 3, 1 / 3])
    assert told.steps == ["Success@2 = 0.666667"]


def test_printed_form() -> None:
    prints(Success(), "Success")
    prints(Success(cutoff=5, rel=2), "Success(rel=2)@5")
    assert metric("HitRate@5") == Success(cutoff=5)


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match="cutoff of Success must be an int >= 1, got True"):
        Success(cutoff=True)
