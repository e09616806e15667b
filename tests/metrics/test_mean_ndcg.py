"""MeanNDCG against visible arithmetic and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import MeanNDCG, metric


def test_by_hand() -> None:
    # Gains 1, 3 with weights 1, 1/2: DCG 1, 2.5; best 3, 3.5.
    halves = MeanNDCG(discount=[1, 0.5])
    assert halves.of_labels([1, 2]) == pytest.approx((1 / 3 + 2.5 / 3.5) / 2, rel=1e-15)
    assert value(halves, [2, 1], [1, 2]) == pytest.approx((1 / 3 + 2.5 / 3.5) / 2, rel=1e-15)


def test_is_the_mean_of_ndcg_over_all_cutoffs() -> None:
    query = ([5, 4, 4, 3, 2, 2, 2], [0, 2, 0, 1, 3, 0, 1], [2])
    parts = [value(metric("nDCG", cutoff=k), *query) for k in range(1, 9)]
    assert value(MeanNDCG(), *query) == pytest.approx(sum(parts) / 8, rel=1e-14)


def test_cutoffs_below_the_retrieved_items_count() -> None:
    # One relevant item of three was retrieved, at the top: nDCG@1 = 1, then 1 / (1 + 1) and 1 / (1 + 1 + 1).
    flat = MeanNDCG(discount=[1, 1, 1])
    assert value(flat, [1], [1], missed=[1, 1]) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, rel=1e-15)


def test_no_gain_is_empty() -> None:
    assert MeanNDCG().of_labels([0, -1]) is None
    assert MeanNDCG().of_labels([]) is None
    assert math.isnan(value(MeanNDCG(), [2, 1], [0, -1]))
    assert math.isnan(value(MeanNDCG(), [], []))
    # A discount that looks at no rank.
    assert math.isnan(value(MeanNDCG(discount=[0]), [1], [1]))


@given(tied())
def test_every_order(query: Query) -> None:
    everything = sorted((*query[1], *query[2]), reverse=True)

    def definition(ranked: list[float]) -> Fraction | None:
        if not any(everything):
            return None
        total = Fraction(0)
        for k in range(1, len(everything) + 1):
            dcg, best = (
                sum((Fraction(2 ** int(y) - 1, j) for j, y in enumerate(labels[:k], start=1)), Fraction(0))
                for labels in (ranked, everything)
            )
            total += dcg / best
        return total / len(everything)

    agrees_with_every_order(MeanNDCG(discount="reciprocal"), query, definition)
    explanation_agrees(MeanNDCG(discount="reciprocal"), query)


def test_explanation_shows_every_cutoff() -> None:
    told = MeanNDCG(gain="linear", discount=[1, 1, 1]).explain(lists_of([3, 3], [1, 0], missed=[1]))
    assert told.columns == ("DCG@k", "best DCG@k", "nDCG@k", "sum")
    assert told.rows == [(0.5, 1.0, 0.5, 0.5), (1.0, 2.0, 0.5, 1.0)]
    assert told.steps == [
        "ranks 3..3 hold no retrieved item: their nDCG@k add 0.500000",
        "MeanNDCG(gain=linear,discount=[1,1,1]) = 1.500000 / 3 = 0.500000",
    ]


def test_printed_form() -> None:
    prints(MeanNDCG(), "MeanNDCG")
    prints(MeanNDCG(gain="linear", discount="letor"), "MeanNDCG(gain=linear,discount=letor)")


def test_it_has_no_cutoff() -> None:
    with pytest.raises(ArgumentError, match="MeanNDCG has no cutoff"):
        metric("MeanNDCG@10")
