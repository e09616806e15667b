"""Rprec against visible arithmetic and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import P, R, Rprec, metric


def test_by_hand() -> None:
    # R = 3: one hit in the top 3.
    assert Rprec().of_labels([0, 1, 0, 1, 2]) == Fraction(1, 3)
    assert value(Rprec(), [5, 4, 3, 2, 1], [0, 1, 0, 1, 2]) == 1 / 3
    # One relevant item was not retrieved: R = 3 of a list of 2.
    assert value(Rprec(), [2, 1], [1, 2], missed=[1]) == 2 / 3


def test_is_precision_and_recall_at_the_number_of_relevant_items() -> None:
    labels = [0, 1, 0, 1, 2]
    assert Rprec().of_labels(labels) == P(cutoff=3).of_labels(labels) == R(cutoff=3).of_labels(labels)


def test_no_relevant_item_is_empty() -> None:
    assert Rprec().of_labels([0]) is None
    assert math.isnan(value(Rprec(), [1], [0]))


@given(tied())
def test_every_order(query: Query) -> None:
    relevant = sum(y >= 1 for y in (*query[1], *query[2]))

    def definition(ranked: list[float]) -> Fraction | None:
        return Fraction(sum(y >= 1 for y in ranked[:relevant]), relevant) if relevant else None

    agrees_with_every_order(Rprec(), query, definition)
    explanation_agrees(Rprec(), query)


def test_explanation_counts_down_to_the_number_of_relevant_items() -> None:
    told = Rprec().explain(lists_of([3, 2, 1], [0, 1, 1]))
    assert told.rows == [(0.0, 0.0), (1.0, 1.0), (1.0, 1.0)]
    assert told.steps[-1] == "Rprec = 1 hits / 2 = 0.500000"


def test_printed_form() -> None:
    prints(Rprec(), "Rprec")
    prints(Rprec(rel=2), "Rprec(rel=2)")
    assert metric("R-precision") == Rprec()


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match="Rprec has no cutoff"):
        metric("Rprec@5")
