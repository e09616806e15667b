"""The three kinds of feedback: what they take, what they refuse, and the laws of relabelling."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Feedback, Graded, Permutation, PreferenceGraph, as_feedback

grades = st.integers(0, 4) | st.fractions(0, 4, max_denominator=9) | st.floats(0, 4)


def graded(items: int) -> st.SearchStrategy[Graded]:
    return st.lists(grades, min_size=items, max_size=items).map(Graded)


def graphs(items: int) -> st.SearchStrategy[PreferenceGraph]:
    """Any graph whose edges all follow one random order has no cycle."""
    pairs = [(i, j) for i in range(items) for j in range(i + 1, items)]
    weights = st.dictionaries(st.sampled_from(pairs), grades) if pairs else st.just({})
    return st.tuples(st.permutations(range(items)), weights).map(
        lambda drawn: PreferenceGraph(
            {(drawn[0][i], drawn[0][j]): weight for (i, j), weight in drawn[1].items()}, items
        )
    )


def rankings(items: int) -> st.SearchStrategy[Permutation]:
    return st.permutations(range(items)).map(Permutation.from_order)


feedback = st.integers(1, 5).flatmap(lambda n: graded(n) | graphs(n) | rankings(n))


def entry(y: Feedback, i: int, j: int) -> object:
    """What feedback says about items i and j."""
    return y.weight(i, j) if isinstance(y, PreferenceGraph) else (y[i], y[j])


@given(feedback, st.data())
def test_relabelling_renames_items(y: Feedback, data: st.DataObject) -> None:
    p = data.draw(st.permutations(range(y.items)))
    new = y.relabel(p)
    assert new.items == y.items
    for i in range(y.items):
        for j in range(y.items):
            assert entry(new, i, j) == entry(y, p[i], p[j])


@given(feedback, st.data())
def test_relabelling_twice_is_relabelling_by_the_composition(y: Feedback, data: st.DataObject) -> None:
    p = data.draw(st.permutations(range(y.items)))
    q = data.draw(st.permutations(range(y.items)))
    assert y.relabel(p).relabel(q) == y.relabel([p[q[i]] for i in range(y.items)])
    assert y.relabel(range(y.items)) == y


@given(feedback, st.data())
def test_views_commute_with_relabelling(y: Feedback, data: st.DataObject) -> None:
    p = data.draw(st.permutations(range(y.items)))
    if not isinstance(y, PreferenceGraph):
        assert y.relabel(p).preferences() == y.preferences().relabel(p)
    if isinstance(y, Permutation):
        assert y.relabel(p).grades() == y.grades().relabel(p)


@given(feedback)
def test_repr_evaluates_to_an_equal_value_with_an_equal_hash(y: Feedback) -> None:
    again = eval(repr(y))  # noqa: S307
    assert again == y
    assert hash(again) == hash(y)
    assert repr(again) == repr(y)
    assert pickle.loads(pickle.dumps(y)) == y  # noqa: S301
    assert as_feedback(y) is y


@given(st.integers(1, 5).flatmap(graded))
def test_preferences_of_grades_are_their_strict_order(y: Graded) -> None:
    graph = y.preferences()
    for i in range(y.items):
        for j in range(y.items):
            assert graph.weight(i, j) == (1 if y[i] > y[j] else 0)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_permutation_is_the_inverse_of_its_order(order: tuple[int, ...]) -> None:
    y = Permutation.from_order(order)
    assert y.order == order
    for place, item in enumerate(order):
        assert y[item] == place + 1
        assert y.grades()[item] == 3 - place
    assert y.preferences().weight(order[0], order[2]) == 1
    assert y.preferences().weight(order[2], order[0]) == 0
    assert list(y) == list(y.ranks)
    assert len(y) == 3
    assert y.exact


def test_numbers_are_kept_exact() -> None:
    y = Graded([np.int64(2), Fraction(1, 3), "0.5", Decimal("0.25"), Fraction(4, 2), 3.0, np.float64(1)])
    assert y.labels == (2, Fraction(1, 3), Fraction(1, 2), Fraction(1, 4), 2, 3, 1)
    assert [type(label) for label in y] == [int, Fraction, Fraction, Fraction, int, int, int]
    assert y.exact
    inexact = Graded((0.1, 1))
    assert not inexact.exact
    assert inexact[0] == 0.1
    assert len(inexact) == inexact.items == 2
    assert not PreferenceGraph({(0, 1): 0.1}).exact
    assert PreferenceGraph({(0, 1): 2.0}).edges == ((0, 1, 2),)


def test_values_are_frozen() -> None:
    for y in (Graded((1, 0)), PreferenceGraph([(0, 1)]), Permutation((1, 2))):
        with pytest.raises(AttributeError):
            y.items = 3  # type: ignore[misc]


def test_a_graph_knows_its_weights() -> None:
    graph = PreferenceGraph({(0, 1): 2, (2, 1): "1/2", (0, 2): 0}, items=4)
    assert graph.edges == ((0, 1, 2), (2, 1, Fraction(1, 2)))
    assert graph.matrix() == ((0, 2, 0, 0), (0, 0, 0, 0), (0, Fraction(1, 2), 0, 0), (0, 0, 0, 0))
    assert graph.difference(1, 2) == Fraction(-1, 2)
    assert graph == PreferenceGraph([(2, 1, Fraction(1, 2)), (0, 1, 2)], items=4)
    assert graph != PreferenceGraph(graph.edges, items=3)
    with pytest.raises(ArgumentError, match=r"Items of this preference graph are 0\.\.3, got 4"):
        graph.weight(0, 4)


def test_an_edge_of_weight_zero_closes_no_cycle() -> None:
    assert PreferenceGraph({(0, 1): 1, (1, 0): 0}).edges == ((0, 1, 1),)
    assert PreferenceGraph({}, items=2) == PreferenceGraph({(0, 1): 0})


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ([(0, 1), (1, 0)], {0, 1}),
        ([(3, 0), (0, 1), (1, 2), (2, 0)], {0, 1, 2}),
        ([(0, 4), (4, 1), (1, 2), (2, 3), (3, 1), (0, 3)], {1, 2, 3}),
    ],
)
def test_a_cycle_is_named(edges: list[tuple[int, int]], cycle: set[int]) -> None:
    with pytest.raises(DataError, match="must not have a cycle") as caught:
        PreferenceGraph(edges)
    shown = str(caught.value).split("got ")[1].split(". Drop")[0]
    walk = [int(item) for item in shown.split("→")]
    assert walk[0] == walk[-1]
    assert all(step in edges for step in pairwise(walk))
    assert set(walk) == cycle
    assert len(walk) == len(cycle) + 1


def test_a_long_chain_is_no_cycle_and_needs_no_recursion() -> None:
    chain = [(i, i + 1) for i in range(5000)]
    assert PreferenceGraph(chain).items == 5001
    with pytest.raises(DataError, match="must not have a cycle"):
        PreferenceGraph([*chain, (5000, 0)])


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ((1, 0), Graded((1, 0))),
        ([1, 0], Graded((1, 0))),
        (np.array([1.0, 0.0]), Graded((1, 0))),
        ({(0, 1): 3}, PreferenceGraph({(0, 1): 3})),
        ({}, PreferenceGraph({}, items=1)),
        ({(0, 1), (1, 2)}, PreferenceGraph([(0, 1), (1, 2)])),
        (frozenset({(0, 1)}), PreferenceGraph([(0, 1)])),
        (((0, 1), (1, 2)), PreferenceGraph([(0, 1), (1, 2)])),
        ([(0, 1, "1/2")], PreferenceGraph({(0, 1): "1/2"})),
        (np.array([[0, 1], [1, 2]]), PreferenceGraph([(0, 1), (1, 2)])),
        (Permutation((2, 1)), Permutation((2, 1))),
    ],
)
def test_plain_values_stand_for_feedback(thing: object, expected: Feedback) -> None:
    assert as_feedback(thing) == expected


def test_an_array_of_edges_makes_a_graph() -> None:
    assert PreferenceGraph(np.array([[0, 1], [1, 2]])) == PreferenceGraph([(0, 1), (1, 2)])


def test_items_of_edges_can_be_asked_for() -> None:
    assert as_feedback({(0, 1): 1}, items=4).items == 4
    with pytest.raises(ArgumentError, match=r"Feedback must have 3 items, got 2 in Graded\(\(1, 0\)\)"):
        as_feedback((1, 0), items=3)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: Graded(()), ArgumentError, "at least one grade"),
        (lambda: Graded((1, -1)), ArgumentError, "must not be negative, got -1 at item 1"),
        (lambda: Graded((1, float("nan"))), ArgumentError, r"labels\[1\] of Graded must be finite, got nan"),
        (lambda: Graded((True,)), ArgumentError, r"labels\[0\] of Graded must be a number, got True"),
        (lambda: Graded(("x",)), ArgumentError, r"rational number such as '8/13' or '0.3', got 'x'"),
        (lambda: Graded(("1/0",)), ArgumentError, "rational number"),
        (lambda: Graded((Decimal("inf"),)), ArgumentError, "rational number"),
        (lambda: Graded((None,)), ArgumentError, "must be a number, got None"),  # type: ignore[arg-type]
        (lambda: Graded("10"), ArgumentError, "must be a sequence of numbers"),
        (lambda: Graded(3), ArgumentError, "must be a sequence of numbers"),  # type: ignore[arg-type]
        (lambda: Graded((1, 0)).relabel((0, 0)), ArgumentError, r"each of 0\.\.1 once, got \(0, 0\)"),
        (lambda: Graded((1, 0)).relabel(1), ArgumentError, r"each of 0\.\.1 once, got 1"),  # type: ignore[arg-type]
        (lambda: PreferenceGraph([(1, 1)]), DataError, "must not have a loop, got 1→1"),
        (lambda: PreferenceGraph({(0, 1): -2}), DataError, "got -2 on 0→1. Reverse the edge"),
        (lambda: PreferenceGraph([(0, 1), (0, 1)]), DataError, "0→1 comes twice"),
        (lambda: PreferenceGraph([(0, -1)]), ArgumentError, "whole numbers >= 0, got the edge 0→-1"),
        (lambda: PreferenceGraph([(0, 1.5)]), ArgumentError, "whole numbers >= 0"),  # type: ignore[list-item]
        (lambda: PreferenceGraph([3]), ArgumentError, "got the entry 3"),  # type: ignore[list-item]
        (lambda: PreferenceGraph("ab"), ArgumentError, "got 'ab'"),  # type: ignore[arg-type]
        (
            lambda: PreferenceGraph([(0, 3)], items=3),
            ArgumentError,
            "items of PreferenceGraph must be an int >= 4",
        ),
        (lambda: Permutation((0, 1)), ArgumentError, r"each of 1\.\.n once .*got \(0, 1\).*from_order"),
        (lambda: Permutation((1, 1)), ArgumentError, r"each of 1\.\.n once"),
        (lambda: Permutation((1.0, 2.0)), ArgumentError, r"each of 1\.\.n once"),  # type: ignore[arg-type]
        (lambda: Permutation(()), ArgumentError, r"each of 1\.\.n once"),
        (lambda: Permutation.from_order((1, 2)), ArgumentError, r"each of 0\.\.1 once, got \(1, 2\)"),
        (lambda: as_feedback("11"), ArgumentError, "got '11'"),
        (lambda: as_feedback(3), ArgumentError, "Feedback is a sequence of grades"),
        (lambda: as_feedback(()), ArgumentError, "Feedback is a sequence of grades"),
    ],
)
def test_errors_name_the_value_and_the_rule(make: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()  # type: ignore[operator]
