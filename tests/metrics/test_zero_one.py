"""ZeroOne against visible arithmetic and listing all rankings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from metrics.one_query import lists_of, mean_over, value
from rankproof.errors import ArgumentError
from rankproof.feedback import Law, Permutation
from rankproof.metrics import ZeroOne, metric, of_scores

grades = st.sampled_from((0.0, 1.0, 2.0, 2.5, -1.0))


def test_by_hand() -> None:
    assert ZeroOne().of_labels([2, 2, 1, 0]) == 0
    assert ZeroOne().of_labels([2, 1, 2, 0]) == 1
    assert value(ZeroOne(), [4, 3, 2, 1], [2, 2, 1, 0]) == 0
    assert value(ZeroOne(), [4, 3, 2, 1], [2, 1, 2, 0]) == 1
    # {2, 2, 1} tied above the 0: 2! 1! of 3! orders sort it.
    assert value(ZeroOne(), [2, 2, 2, 1], [2, 1, 2, 0]) == pytest.approx(1 - 2 / 6, rel=1e-15)
    # Two groups: {2, 1} and {1, 0}, each sorted in one of two orders.
    assert value(ZeroOne(), [2, 2, 1, 1], [1, 2, 0, 1]) == 1 - 1 / 4
    # {2, 2} above the 3: no order helps, although no group has a label too low for its places.
    assert value(ZeroOne(), [3, 3, 2, 1], [2, 2, 3, 1]) == 1
    # Not retrieved: {1, 0} tied below the 2.
    assert value(ZeroOne(), [1], [2], missed=[1, 0]) == 1 - 1 / 2
    assert value(ZeroOne(), [1], [0], missed=[1, 0]) == 1


def test_empty() -> None:
    assert ZeroOne().of_labels([1, 1, 1]) is None
    assert ZeroOne().of_labels([]) is None
    assert math.isnan(value(ZeroOne(), [2, 1], [1, 1]))
    assert math.isnan(value(ZeroOne(), [], []))
    # A permutation always says how to rank, one item too.
    assert ZeroOne().of_ranking((0,), Permutation((1,))) == 0
    assert of_scores(ZeroOne(), [3], Permutation((1,))) == 0


@examples(150)
@given(st.data())
def test_labels_by_listing_every_ranking(data: st.DataObject) -> None:
    labels = data.draw(st.lists(grades, min_size=2, max_size=6))
    levels = data.draw(st.integers(0, 3))
    scores = data.draw(st.lists(st.integers(0, levels), min_size=len(labels), max_size=len(labels)))
    # Half of the time scores that agree with the labels, else hardly any ranking is right.
    if data.draw(st.booleans()):
        scores = [math.floor(y / 2) for y in labels]
    if len(set(labels)) > 1:
        wrong = mean_over(scores, lambda r: Fraction([labels[i] for i in r] != sorted(labels, reverse=True)))
        assert value(ZeroOne(), scores, labels) == pytest.approx(float(wrong), rel=1e-14)


@examples(80)
@given(st.data())
def test_permutations_by_listing_every_ranking(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    y = Permutation.from_order(data.draw(st.permutations(range(n))))
    scores = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if data.draw(st.booleans()):
        scores = [-(rank // 2) for rank in y.ranks]
    wrong = mean_over(scores, lambda r: Fraction(r != y.order))
    assert of_scores(ZeroOne(), scores, y) == pytest.approx(float(wrong), rel=1e-14)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_an_error_only_when_the_ranking_differs(order: tuple[int, ...]) -> None:
    """B11 eq. 13 prints 1[sigma = y], which would reward the one right ranking with the error."""
    y = Permutation.from_order(order)
    assert [r for r in permutations(range(3)) if ZeroOne().of_ranking(r, y) == 0] == [order]


def test_the_best_ranking_is_the_mode_of_the_law() -> None:
    law = Law(
        [(Permutation((1, 2, 3)), "2/5"), (Permutation((2, 1, 3)), "3/10"), (Permutation((3, 1, 2)), "3/10")]
    )
    risk = {r: law.expect(lambda y, r=r: ZeroOne().of_ranking(r, y)) for r in permutations(range(3))}
    assert risk[0, 1, 2] == min(risk.values()) == Fraction(3, 5)


def test_large_groups_neither_overflow_nor_stop() -> None:
    n = 5000
    # All tied, one item better: it comes first in 1 of n orders.
    labels = [0.0] * (n - 1) + [1.0]
    assert value(ZeroOne(), [0.0] * n, labels) == pytest.approx(1 - 1 / n, rel=1e-12)
    # All tied and all different: 1/n! is below every float.
    assert value(ZeroOne(), [0.0] * n, [float(k) for k in range(n)]) == 1
    # Half and half: 1 / C(1000, 500) is about 1e-300.
    assert value(ZeroOne(), [0.0] * 1000, [0.0, 1.0] * 500) == 1


@examples(80)
@given(
    st.lists(st.tuples(st.integers(0, 2), grades), max_size=12), st.lists(grades, max_size=3), st.booleans()
)
def test_the_explanation_gives_the_value(
    drawn: list[tuple[int, float]], missed: list[float], sort: bool
) -> None:
    labels = [y for _, y in drawn]
    scores = [math.floor(y / 2) for y in labels] if sort else [s for s, _ in drawn]
    lists = lists_of(scores, labels, missed)
    told = ZeroOne().explain(lists)
    assert told.value == pytest.approx(ZeroOne().per_query(lists)[0], rel=1e-12, nan_ok=True)
    assert math.isnan(told.value) or len(told.rows) == len(drawn)


def test_the_explanation_by_hand() -> None:
    told = ZeroOne().explain(lists_of([2, 2, 2, 1], [1, 2, 1, 0]))
    # Sorted, the group is 2, 1, 1: 1/1 * 1/2 * 2/3 = 2!/3!.
    assert told.columns == ("label", "best label", "share", "product")
    assert [row[:2] for row in told.rows] == [(1, 2), (2, 1), (1, 1), (0, 0)]
    assert [row[2] for row in told.rows] == [1 / 1, 1 / 2, 2 / 3, 1 / 1]
    assert told.value == pytest.approx(1 - 1 / 3, rel=1e-15)


def test_printed_form_and_errors() -> None:
    assert str(metric("zero_one")) == "ZeroOne"
    assert metric("ZeroOne(empty=0)") == ZeroOne(empty=0)
    with pytest.raises(ArgumentError, match="ZeroOne is defined on feedback of kind graded or permutation"):
        of_scores(ZeroOne(), [1, 2], {(0, 1): 1})
