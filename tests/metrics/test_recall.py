"""R against visible arithmetic and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import R, metric


def test_by_hand() -> None:
    assert R(cutoff=2).of_labels([1, 0, 2, 1]) == Fraction(1, 3)
    assert value(R(cutoff=2), [4, 3, 2, 1], [1, 0, 2, 1]) == 1 / 3
    assert R().of_labels([1, 0, 2, 1]) == 1


def test_relevant_items_that_were_not_retrieved_count() -> None:
    assert value(R(), [2, 1], [1, 0], missed=[1, 0, 2]) == 1 / 3
    assert value(R(), [], [], missed=[1]) == 0.0


def test_ties_share_the_places_above_the_cut() -> None:
    # Three relevant items; one of the three places of the group is above the cut, two of its items count.
    assert value(R(cutoff=2), [9, 5, 5, 5], [1, 1, 0, 1]) == (1 + 1 * 2 / 3) / 3


def test_no_relevant_item_is_empty() -> None:
    assert R().of_labels([0, 0]) is None
    assert math.isnan(value(R(), [2, 1], [0, 0]))


@pytest.mark.parametrize("cutoff", [None, 1, 3])
@given(tied())
def test_every_order(cutoff: int | None, query: Query) -> None:
    relevant = sum(y >= 1 for y in (*query[1], *query[2]))

    def definition(ranked: list[float]) -> Fraction | None:
        return Fraction(sum(y >= 1 for y in ranked[:cutoff]), relevant) if relevant else None

    agrees_with_every_order(R(cutoff=cutoff), query, definition)
    explanation_agrees(R(cutoff=cutoff), query)


def test_explanation_shows_the_division() -> None:
    told = R(cutoff=1).explain(lists_of([2, 1], [1, 0], missed=[1]))
    assert told.rows == [(1.0, 1.0)]
    assert told.steps == ["R@1 = 1 hits / 2 relevant items = 0.500000"]


def test_printed_form() -> None:
    prints(R(), "R")
    prints(R(cutoff=100, rel=0.5), "R(rel=0.5)@100")
    assert metric("Recall@5") == R(cutoff=5)


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match=r"cutoff of R must be an int >= 1, got 2\.5"):
        R(cutoff=2.5)  # type: ignore[arg-type]
