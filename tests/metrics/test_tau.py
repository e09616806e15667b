"""tau against visible arithmetic, scipy's tau-b, and listing all rankings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from drawn import examples
from metrics.one_query import lists_of, mean_over, value
from rankproof.errors import ArgumentError
from rankproof.feedback import Permutation
from rankproof.metrics import Tau, metric, of_scores

scored = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from((0.0, 1.0, 2.0, 3.5, -1.0))), min_size=1, max_size=40
)
missing = st.lists(st.sampled_from((0.0, 1.0, 2.0)), max_size=4)


def test_by_hand() -> None:
    # From the top: 2, 0, 1, 1. Five of six pairs differ: 3 right with the 2; 2 wrong with the 0.
    assert Tau().of_labels([2, 0, 1, 1]) == (3 - 2) / math.sqrt(6 * 5)
    assert value(Tau(), [4, 3, 2, 1], [2, 0, 1, 1]) == (3 - 2) / math.sqrt(6 * 5)
    # All labels differ: exact. 3, 1, 2 has one pair wrong.
    assert Tau().of_labels([3, 1, 2]) == Fraction(2 - 1, 3)
    assert Tau().of_labels([0, 1]) == -1
    # Tied scores: the pair (2, 0) counts nothing. Averaged, the denominator stays; classic, it does not.
    assert value(Tau(), [1, 1, 0], [2, 0, 1]) == (1 - 1 + 0) / math.sqrt(3 * 3)
    assert value(Tau(), [2, 2, 0], [2, 1, 0]) == 2 / 3
    assert value(Tau(ties="b"), [2, 2, 0], [2, 1, 0]) == 2 / math.sqrt((3 - 1) * 3)


@given(scored)
def test_classic_ties_are_scipys(drawn: list[tuple[int, float]]) -> None:
    scores, labels = [s for s, _ in drawn], [y for _, y in drawn]
    ours = value(Tau(ties="b"), scores, labels)
    if len(set(labels)) < 2:
        assert math.isnan(ours)
    elif len(set(scores)) < 2:
        # scipy says nan; a scorer that ties everything is not an empty query, and agrees with nothing.
        assert ours == 0
    else:
        assert ours == pytest.approx(kendalltau(scores, labels, variant="b").statistic, rel=1e-12, abs=1e-15)


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=30).flatmap(
        lambda y: st.tuples(st.just(y), st.permutations(range(len(y))))
    )
)
def test_without_tied_scores_both_are_scipys(drawn: tuple[list[int], list[int]]) -> None:
    labels, scores = drawn
    if len(set(labels)) > 1:
        expected = kendalltau(scores, labels, variant="b").statistic
        assert value(Tau(), scores, labels) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        assert value(Tau(ties="b"), scores, labels) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@examples(50)
@given(st.data())
def test_the_mean_over_every_ranking(data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, 2), min_size=2, max_size=6))
    scores = data.draw(st.lists(st.integers(0, 2), min_size=len(labels), max_size=len(labels)))
    if len(set(labels)) > 1:
        expected = mean_over(scores, lambda r: Tau().of_labels([labels[i] for i in r]))
        assert value(Tau(), scores, labels) == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


@given(scored, missing)
def test_items_not_retrieved_are_tied_below_all(drawn: list[tuple[int, float]], missed: list[float]) -> None:
    scores, labels = [s for s, _ in drawn], [y for _, y in drawn]
    for found in (Tau(), Tau(ties="b")):
        ours = value(found, scores, labels, missed)
        below = value(found, [*scores, *(-1 for _ in missed)], [*labels, *missed])
        assert ours == below or (math.isnan(ours) and math.isnan(below))


def test_what_the_best_ranking_reaches() -> None:
    """No constant: sqrt((n0 - n_y) / n0), so tau claims a range and no best value."""
    assert "best" not in Tau().claims
    for labels in ((2, 1, 0), (1, 1, 0), (1, 0, 0, 0)):
        best = max(Tau().of_labels(p) for p in permutations(labels))
        n0 = math.comb(len(labels), 2)
        different = sum(a != b for k, a in enumerate(labels) for b in labels[:k])
        assert best == pytest.approx(math.sqrt(different / n0), rel=1e-15)


def test_exact_when_the_root_is_whole() -> None:
    assert isinstance(Tau().of_labels([1, 1, 0]), float)
    # 36 pairs, of which 10 + 1 have equal labels: 25 / sqrt(36 * 25).
    assert Tau().of_labels([3, 2, 1, 1, 0, 0, 0, 0, 0]) == Fraction(5, 6)


def test_permutations() -> None:
    y = Permutation.from_order((2, 0, 1))
    assert Tau().of_ranking((2, 0, 1), y) == 1
    assert Tau().of_ranking((1, 0, 2), y) == -1
    assert of_scores(Tau(), [1, 0, 1], y) == (2 - 0) / 3
    assert of_scores(Tau(), [1], Permutation((1,))) is None


@given(scored, missing, st.sampled_from(("average", "b")))
def test_the_explanation_gives_the_value(
    drawn: list[tuple[int, float]], missed: list[float], ties: str
) -> None:
    lists = lists_of([s for s, _ in drawn], [y for _, y in drawn], missed)
    told = Tau(ties=ties).explain(lists)
    assert told.value == pytest.approx(Tau(ties=ties).per_query(lists)[0], rel=1e-12, abs=1e-15, nan_ok=True)


def test_the_explanation_by_hand() -> None:
    told = Tau(ties="b").explain(lists_of([2, 2, 1], [0, 2, 1]))
    assert told.rows == [(0, 0, 0, 0, 0), (2, 0, 1, 0.5, 0.5), (1, 1, 0, 1, 1.5)]
    assert told.steps == [
        "pairs with different labels: 3 of 3",
        "pairs with different scores: 2",
        "concordant - discordant = 3 - 2 x 1.5 = 0",
        "tau(ties=b) = 0 / sqrt(2 x 3) = 0.000000",
    ]


def test_printed_form_and_errors() -> None:
    assert str(metric("Kendall(ties=b)")) == "tau(ties=b)"
    assert metric("TAU") == Tau()
    with pytest.raises(ArgumentError, match="ties of tau must be one of average, b, got 'half'"):
        Tau(ties="half")
    with pytest.raises(ArgumentError, match="tau is defined on feedback of kind graded or permutation"):
        Tau().of_ranking((0, 1), {(0, 1): 1})
