"""bpref against visible arithmetic and every order of tied items, some of them not judged."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import Bpref, metric

NAN = math.nan


def test_by_hand() -> None:
    # R = 2, N = 3: none above the first relevant item, one above the second.
    assert Bpref().of_labels([1, 0, 1, 0, 0]) == Fraction(1, 2) * (1 + (1 - Fraction(1, 2)))
    assert value(Bpref(), [5, 4, 3, 2, 1], [1, 0, 1, 0, 0]) == (1 + (1 - 1 / 2)) / 2
    # R = 3, N = 1: min(N, R) = 1 divides.
    assert value(Bpref(), [4, 3, 2, 1], [1, 0, 1, 1]) == (1 + 0 + 0) / 3
    # More than R nonrelevant items above count as R.
    assert value(Bpref(), [5, 4, 3, 2, 1], [0, 0, 0, 1, 1]) == 0.0


def test_unjudged_items_are_passed_over() -> None:
    assert Bpref().of_labels([NAN, 1, NAN, 0, NAN, 1]) == Bpref().of_labels([1, 0, 1]) == Fraction(1, 2)
    assert value(Bpref(), [6, 5, 4, 3, 2, 1], [NAN, 1, NAN, 0, NAN, 1]) == 1 / 2


def test_items_that_were_not_retrieved_count_in_the_totals() -> None:
    # R = 2, N = 2, one relevant item retrieved below one of the others.
    assert value(Bpref(), [2, 1], [0, 1], missed=[1, 0]) == (1 - 1 / 2) / 2
    assert value(Bpref(), [], [], missed=[1]) == 0.0


def test_without_a_judged_nonrelevant_item_every_hit_counts() -> None:
    assert value(Bpref(), [3, 2, 1], [NAN, 1, 1], missed=[1]) == 2 / 3


def test_ties_by_hand() -> None:
    # R = 1, N = 2, all tied: 0, 1 or 2 above, each with chance 1/3, counted as 0, 1, 1.
    assert value(Bpref(), [1, 1, 1], [1, 0, 0]) == pytest.approx(1 - (0 + 1 + 1) / 3, rel=1e-15, abs=0)


def test_no_relevant_item_is_empty() -> None:
    assert Bpref().of_labels([0, NAN]) is None
    assert math.isnan(value(Bpref(), [2, 1], [0, NAN]))


@given(tied(grades=(0, 1, -1, NAN), most=6))
def test_every_order(query: Query) -> None:
    judged = [y for y in (*query[1], *query[2]) if y == y]
    relevant = sum(y >= 1 for y in judged)
    others = len(judged) - relevant

    def definition(ranked: list[float]) -> Fraction | None:
        if not relevant:
            return None
        total = Fraction(0)
        for k, y in enumerate(ranked):
            if y >= 1:
                above = sum(z < 1 for z in ranked[:k])
                total += 1 if others == 0 else 1 - Fraction(min(above, relevant), min(others, relevant))
        return total / relevant

    agrees_with_every_order(Bpref(), query, definition)
    explanation_agrees(Bpref(), query)


def test_explanation_shows_what_is_above() -> None:
    told = Bpref().explain(lists_of([3, 2, 1, 1], [0, NAN, 1, 0], missed=[1]))
    # R = 2, N = 2; the relevant item has 1 or 2 above it.
    assert told.rows == [
        (0.0, 0.5, 0.0, 0.0),
        (0.0, 1.0, 0.0, 0.0),
        (0.5, 1.5, 0.125, 0.125),
        (0.5, 1.5, 0.125, 0.25),
    ]
    assert told.steps[0] == "judged items: R = 2 relevant, N = 2 not relevant"
    assert told.steps[-1] == "bpref = 0.250000 / 2 = 0.125000"


def test_printed_form() -> None:
    prints(Bpref(), "bpref")
    prints(Bpref(rel=2), "bpref(rel=2)")
    assert metric("Bpref") == Bpref()


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match="bpref has no cutoff"):
        metric("bpref@10")
