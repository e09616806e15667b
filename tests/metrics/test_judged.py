"""judged against visible arithmetic and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import Judged, metric

NAN = math.nan


def test_by_hand() -> None:
    assert Judged(cutoff=3).of_labels([1, NAN, 0, NAN]) == Fraction(2, 3)
    assert value(Judged(cutoff=3), [4, 3, 2, 1], [1, NAN, 0, NAN]) == 2 / 3
    assert value(Judged(), [4, 3, 2, 1], [1, NAN, 0, NAN]) == 2 / 4
    # No grade is too low to be a judgment.
    assert value(Judged(), [2, 1], [-math.inf, -5]) == 1.0


def test_divides_by_what_was_retrieved() -> None:
    assert value(Judged(cutoff=10), [2, 1], [1, NAN], missed=[1, 1]) == 1 / 2


def test_ties_share_the_places_above_the_cut() -> None:
    assert value(Judged(cutoff=2), [9, 5, 5, 5], [NAN, 1, NAN, 0]) == (0 + 1 * 2 / 3) / 2


def test_only_a_query_with_nothing_retrieved_is_empty() -> None:
    assert Judged().of_labels([]) is None
    assert math.isnan(value(Judged(), [], [], missed=[1]))
    assert value(Judged(), [1], [NAN]) == 0.0
    assert value(Judged(), [1], [0]) == 1.0


@pytest.mark.parametrize("cutoff", [None, 1, 3])
@given(tied(grades=(0, 1, NAN)))
def test_every_order(cutoff: int | None, query: Query) -> None:
    def definition(ranked: list[float]) -> Fraction | None:
        top = ranked[:cutoff]
        return Fraction(sum(not math.isnan(y) for y in top), len(top)) if top else None

    agrees_with_every_order(Judged(cutoff=cutoff), query, definition)
    explanation_agrees(Judged(cutoff=cutoff), query)


def test_explanation_shows_the_division() -> None:
    told = Judged(cutoff=2).explain(lists_of([3, 2, 1], [0, NAN, 1]))
    assert told.rows == [(1.0, 1.0), (0.0, 1.0)]
    assert told.steps == ["judged@2 = 1 / 2 = 0.500000"]


def test_printed_form() -> None:
    prints(Judged(), "judged")
    prints(Judged(cutoff=20), "judged@20")
    assert metric("Judged@20") == Judged(cutoff=20)


def test_parameters() -> None:
    with pytest.raises(ArgumentError, match="judged has no parameter 'rel'"):
        metric("judged(rel=1)")
