"""PD against visible arithmetic, scipy's tau, listing all rankings, and the papers' tables."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from drawn import examples
from metrics.one_query import lists_of, mean_over, value
from rankproof.feedback import Graded, Law, Permutation, PreferenceGraph
from rankproof.metrics import PD, WPDL, metric, of_scores

scored = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from((0.0, 1.0, 2.0, 4.0, 0.5, -1.0))), min_size=1, max_size=30
)
missing = st.lists(st.sampled_from((0.0, 1.0, 3.0)), max_size=4)


@st.composite
def graphs(draw: st.DrawFn, items: int) -> PreferenceGraph:
    """A graph whose edges follow a random order, so that it has no cycle."""
    order = draw(st.permutations(range(items)))
    weight = st.sampled_from((0, 1, 2, Fraction(1, 3), 10))
    return PreferenceGraph({(i, j): draw(weight) for i, j in combinations(order, 2)}, items)


def test_by_hand() -> None:
    # From the top: 0, 2, 1, 0. Lost: (2, 0), (1, 0). Pairs with different labels: 2 + 2 + 1.
    assert PD().of_labels([0, 2, 1, 0]) == 2
    assert PD(normalize=True).of_labels([0, 2, 1, 0]) == Fraction(2, 5)
    assert value(PD(), [4, 3, 2, 1], [0, 2, 1, 0]) == 2
    assert value(PD(normalize=True), [4, 3, 2, 1], [0, 2, 1, 0]) == 2 / 5
    # Tied: {0, 2} above {1, 0}. Lost: (2, 0) by half, (1, 0 above) wholly, (1, 0 tied) by half.
    assert value(PD(), [2, 2, 1, 1], [0, 2, 1, 0]) == 1 / 2 + 1 + 1 / 2
    assert value(PD(ties="full"), [2, 2, 1, 1], [0, 2, 1, 0]) == 1 + 1 + 1
    # Not retrieved: 1 and 0 tied below the 0 and the 2.
    assert value(PD(), [2, 1], [0, 2], missed=[1, 0]) == 1 + 1 + 1 / 2
    assert value(PD(ties="full"), [2, 1], [0, 2], missed=[1, 0]) == 1 + 1 + 1


def test_without_a_preference_the_query_is_empty() -> None:
    assert PD().of_labels([1, 1]) is None
    assert PD().of_labels([1]) is None
    assert math.isnan(value(PD(), [2, 1], [3, 3]))
    assert math.isnan(value(PD(), [], []))
    assert of_scores(PD(), [1, 2], PreferenceGraph([], items=2)) is None
    assert PD().of_ranking((0, 1), PreferenceGraph([], items=2)) is None


@examples(60)
@given(scored, missing)
def test_counts_the_pairs_one_by_one(drawn: list[tuple[int, float]], missed: list[float]) -> None:
    # A score below all others stands for "not retrieved".
    every = [*drawn, *((-9, y) for y in missed)]
    pairs = [(s, t) for s, y in every for t, z in every if y > z]
    half = sum(0.5 if s == t else float(s < t) for s, t in pairs)
    full = float(sum(s <= t for s, t in pairs))
    scores, labels = [s for s, _ in drawn], [y for _, y in drawn]
    nan = math.nan
    for ours, expected in [
        (PD(), half),
        (PD(ties="full"), full),
        (PD(normalize=True), half / len(pairs) if pairs else nan),
        (PD(ties="full", normalize=True), full / len(pairs) if pairs else nan),
    ]:
        assert value(ours, scores, labels, missed) == pytest.approx(
            expected if pairs else nan, rel=0, abs=0, nan_ok=True
        )


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_on_different_labels_it_is_the_distance_behind_tau(scores: list[int], labels: list[int]) -> None:
    tau = kendalltau(scores, labels).statistic
    assert value(PD(), scores, labels) == pytest.approx((1 - tau) / 2 * math.comb(8, 2), rel=1e-12)


@examples(60)
@given(st.data())
def test_graphs_under_ties_by_listing_every_ranking(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 5))
    graph = data.draw(graphs(n))
    scores = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    for found in (PD(), PD(normalize=True)):
        got = of_scores(found, scores, graph)
        if graph.edges:
            expected = mean_over(scores, partial(found.of_ranking, feedback=graph))
            assert got == pytest.approx(float(expected), rel=1e-14)
        else:
            assert got is None
    worst = max((PD().of_ranking(r, graph) or 0) for r in permutations(range(n)))
    assert worst == sum(weight for _, _, weight in graph.edges)


@examples(40)
@given(st.data())
def test_the_graph_of_labels_is_the_labels(data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, 3), min_size=2, max_size=6))
    scores = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    for found in (PD(), PD(ties="full"), PD(normalize=True), WPDL()):
        assert of_scores(found, scores, Graded(labels)) == of_scores(
            found, scores, Graded(labels).preferences()
        )


def test_an_edge_is_paid_when_its_better_end_is_below() -> None:
    """B11 eq. 12 prints the indicator the other way: sigma(j) > sigma(i), the rank of i being the better."""
    graph = PreferenceGraph({(0, 1): 7})
    assert PD().of_ranking((0, 1), graph) == 0
    assert PD().of_ranking((1, 0), graph) == 7
    assert of_scores(PD(), [1, 2], graph) == 7
    assert of_scores(PD(), [2, 2], graph) == 7 / 2
    assert of_scores(PD(ties="full"), [2, 2], graph) == 7


@pytest.mark.parametrize("a", [Fraction(7, 10), Fraction(3, 4), Fraction(99, 100)])
def test_c12_table_2(a: Fraction) -> None:
    """p = (1 - a) [1→2, 2→3, 1→3] + a [3→1], 2/3 < a < 1: the best rankings are 2, 3, 1 and 3, 1, 2."""
    law = Law.point([(0, 1), (1, 2), (0, 2)]).mix(PreferenceGraph([(2, 0)]), str(a))
    risk = {r: law.expect(lambda y, r=r: PD().of_ranking(r, y)) for r in permutations(range(3))}
    assert {r for r, v in risk.items() if v == min(risk.values())} == {(1, 2, 0), (2, 0, 1)}
    # 2, 3, 1 loses 1→2 and 1→3; the ranking 1, 2, 3 loses 3→1 alone.
    assert risk[1, 2, 0] == (1 - a) * 2
    assert risk[0, 1, 2] == a


def test_permutations_give_the_distance_of_kendall() -> None:
    y = Permutation.from_order((2, 0, 1))
    # The ranking 1, 0, 2 turns all three pairs round; 2, 1, 0 only the last one.
    assert PD().of_ranking((1, 0, 2), y) == 3
    assert PD().of_ranking((2, 1, 0), y) == 1
    assert of_scores(PD(), [1, 1, 1], y) == 3 / 2
    assert of_scores(PD(), [1], Permutation((1,))) is None


@given(scored, missing, st.sampled_from(("half", "full")), st.booleans())
def test_the_explanation_gives_the_value(
    drawn: list[tuple[int, float]], missed: list[float], ties: str, normalize: bool
) -> None:
    lists = lists_of([s for s, _ in drawn], [y for _, y in drawn], missed)
    found = PD(ties=ties, normalize=normalize)
    told = found.explain(lists)
    assert told.value == pytest.approx(found.per_query(lists)[0], rel=1e-12, nan_ok=True)
    if not math.isnan(told.value):
        assert len(told.rows) == len(drawn)
        assert told.rows[-1][-1] == pytest.approx(sum(row[3] for row in told.rows), rel=1e-12)


def test_the_explanation_by_hand() -> None:
    told = PD(normalize=True).explain(lists_of([3, 2, 2], [0, 2, 1], missed=[1]))
    assert told.columns == ("label", "above", "tied", "adds", "sum")
    assert told.rows == [(0, 0, 0, 0, 0), (2, 1, 1, 1.5, 1.5), (1, 1, 0, 1, 2.5)]
    assert told.steps == [
        "lost at the ranked places: 2.500000 (a tied pair counts 0.5)",
        "items that were not retrieved, tied below all others: + 1.000000",
        "all pairs with different labels: 5.000000",
        "PD(normalize=true) = 3.500000 / 5.000000 = 0.700000",
    ]


def test_printed_form() -> None:
    assert str(PD(ties="full", normalize=True)) == "PD(ties=full,normalize=true)"
    assert metric("PairwiseDisagreement(normalize=true,ties=full)") == PD(ties="full", normalize=True)
    assert metric("PD(normalize=false)") == PD()
