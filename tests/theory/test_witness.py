"""Splits: laws that refute all convex losses. What is found is checked; the search is compared with grids."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.feedback import Graded, Law, PreferenceGraph
from rankproof.feedback.spaces import graded_space, graph_space, permutation_space
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.proofs import SplitLaw
from rankproof.theory.base.risk import optimal_rankings, risks
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.checks import can_tie, check_split
from rankproof.theory.existence.witness import find_split, simplest_between, widest_split

BINARY = graded_space(3, 2)
RANKINGS = list(permutations(range(3)))


@pytest.mark.parametrize(
    ("metric", "margin"),
    [("AP", Fraction(1, 50)), ("ERR(max_grade=1)", Fraction(1, 60)), ("RR", Fraction(1, 14))],
)
def test_the_widest_margin_between_two_rankings_and_all_others(metric: str, margin: Fraction) -> None:
    found = widest_split(value_table(metric, BINARY))
    assert found is not None
    assert found.margin == margin
    every = risks(metric, found.law)
    first, second = found.rankings
    assert every[first] == every[second]
    others = [value for ranking, value in every.items() if ranking not in found.rankings]
    assert max(others) == every[first] - margin


def test_the_widest_law_for_ap() -> None:
    found = widest_split(value_table("AP", BINARY))
    assert found is not None
    wanted = Law({(0, 1, 0): "8/25", (0, 1, 1): "3/25", (1, 0, 1): "14/25"})
    assert found.law in [wanted.relabel(order) for order in permutations(range(3))]


@pytest.mark.parametrize("metric", ["DCG", "nDCG", "AUC", "P@2", "RBP"])
def test_metrics_with_a_target_have_no_split(metric: str) -> None:
    assert widest_split(value_table(metric, BINARY)) is None
    assert find_split(value_table(metric, BINARY)) is None


@pytest.mark.exhaustive
def test_no_wider_margin_exists_for_ap() -> None:
    """A fine grid of laws on all triples of label vectors never beats 1/50."""
    widest = Fraction(0)
    for support in combinations([y for y in BINARY.feedback if len(set(y)) > 1], 3):  # type: ignore[arg-type]
        rows = [list(risks("AP", Law.point(y)).values()) for y in support]
        for a, b in product(range(26), repeat=2):
            if a + b <= 25:
                masses = (a, b, 25 - a - b)
                means = [sum(m * row[r] for m, row in zip(masses, rows, strict=True)) / 25 for r in range(6)]
                order = sorted(means, reverse=True)
                best = [r for r, mean in zip(RANKINGS, means, strict=True) if mean == order[0]]
                if len(best) == 2 and not any(can_tie(best, i, j) for i, j in combinations(range(3), 2)):
                    widest = max(widest, order[1] - order[2])  # type: ignore[assignment]
    assert widest == Fraction(1, 50)


# The splits that people read ----------------------------------------------------------------------


def test_the_split_for_ap_is_that_of_c12() -> None:
    split = find_split(value_table("AP", BINARY))
    assert split is not None
    assert split.law == Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
    assert split.best == ((0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0))


def test_the_split_for_err_is_inside_the_interval_of_c12() -> None:
    # Table 2: for any share of 001 in (1/3, 1/2). The fraction there with the smallest denominator is 2/5.
    split = find_split(value_table("ERR(max_grade=1)", BINARY))
    assert split is not None
    assert split.law == Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})
    assert split.best == ((0, 2, 1), (1, 2, 0))
    assert split.pair == (0, 1)


def test_the_split_for_pd_on_graphs_has_two_graphs() -> None:
    table = value_table("PD", graph_space(3))
    split = find_split(table)
    assert split is not None
    assert len(split.law) == 2
    assert check_split(table, split) is None
    # And that of C12 is one too.
    chain = PreferenceGraph([(0, 1), (1, 2), (0, 2)], 3)
    law = Law([(chain, Fraction(1, 4)), (PreferenceGraph([(2, 0)], 3), Fraction(3, 4))])
    best = optimal_rankings("PD", law)
    assert best == ((1, 2, 0), (2, 0, 1))
    assert check_split(table, SplitLaw(law, (0, 1), (2, 0, 1), (1, 2, 0), best)) is None


@pytest.mark.parametrize("metric", ["PD", "tau", "ZeroOne"])
def test_three_permutations_split(metric: str) -> None:
    """Assumption (A) fails on permutations, but each ranking is the only best one under some law."""
    table = value_table(metric, permutation_space(3))
    split = find_split(table)
    assert split is not None
    assert check_split(table, split) is None


def test_one_feedback_can_split() -> None:
    """Weights 3, 1, 2: of two relevant items one goes to the top and one to the end, in either order."""

    def metric(ranking: tuple[int, ...], y: Graded) -> int:
        return 3 * y[ranking[0]] + y[ranking[1]] + 2 * y[ranking[2]]  # type: ignore[operator,return-value]

    split = find_split(value_table(metric, BINARY))
    assert split is not None
    assert len(split.law) == 1
    assert len(split.best) == 2


def test_irrational_values_split_where_a_whole_interval_of_laws_does() -> None:
    table = value_table("MeanNDCG", BINARY)
    assert not table.exact
    split = find_split(table)
    assert split is not None
    assert split.law == Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})
    # Laws nearby have the same best rankings, so digits do not matter.
    for near in ("39/100", "41/100"):
        assert optimal_rankings("MeanNDCG", Law.point((1, 1, 0)).mix((0, 0, 1), near)) == split.best


def test_rankings_that_are_never_told_apart_are_not_split() -> None:
    # Of four items, RR@2 never tells the last two apart: Lemma 7 of C12 fails, and so may its Theorem 3.
    assert find_split(value_table("RR@2", graded_space(4, 2))) is None
    assert find_split(value_table("RR@2", BINARY)) is not None


# The parts of the search --------------------------------------------------------------------------


@given(st.fractions(0, 1, max_denominator=60), st.fractions(0, 1, max_denominator=60))
def test_the_simplest_fraction_between_two(a: Fraction, b: Fraction) -> None:
    low, high = min(a, b), max(a, b)
    if low == high:
        return
    found = simplest_between(low, high)
    assert low < found < high
    smaller = range(1, found.denominator)
    assert not any(low < Fraction(k, d) < high for d in smaller for k in range(d + 1))


def test_far_digits_do_not_slow_it() -> None:
    low = Fraction(1, 3)
    assert low < simplest_between(low, low + Fraction(1, 10**40)) < low + Fraction(1, 10**40)


@pytest.mark.parametrize("metric", ["AP", "ERR(max_grade=1)", "RR", "Rprec"])
def test_two_label_vectors_are_searched_completely(metric: str) -> None:
    """No pair of label vectors splits with a smaller denominator than what was found."""
    split = find_split(value_table(metric, BINARY))
    assert split is not None
    found = max(p.denominator for p in split.law.probabilities)
    smaller = {Fraction(k, d) for d in range(2, found) for k in range(1, d)}
    for first, second in combinations(BINARY.feedback, 2):
        for share in smaller:
            best = optimal_rankings(metric, Law.point(first).mix(second, share))
            for i, j in combinations(range(3), 2):
                both = {ranking.index(i) < ranking.index(j) for ranking in best} == {True, False}
                assert not both or can_tie(best, i, j)


def test_can_tie_is_about_all_scores_with_a_tie() -> None:
    """By the definition: some scores with s_i = s_j, and any other ties, have all their sorts in the set."""
    draw = random.Random(1)
    for n in (3, 4):
        every = list(permutations(range(n)))
        weak = [(levels, frozenset(sorting_rankings(levels))) for levels in product(range(n), repeat=n)]
        for _ in range(40):
            best = draw.sample(every, draw.randint(1, 6))
            for i, j in combinations(range(n), 2):
                defined = any(levels[i] == levels[j] and sorts <= set(best) for levels, sorts in weak)
                assert can_tie(best, i, j) == defined


# The check rejects what is wrong ------------------------------------------------------------------


def test_a_wrong_split_is_rejected() -> None:
    table = value_table("RR", BINARY)
    right = find_split(table)
    assert right is not None
    assert check_split(table, right) is None
    assert SplitLaw.from_dict(json.loads(json.dumps(right.to_dict()))) == right
    wrong = {
        "best rankings": replace(right, law=Law.point((1, 1, 0))),
        "not among": replace(right, first=(2, 0, 1)),
        "must have": replace(right, first=right.second, second=right.first),
        "two items": replace(right, pair=(0, 0)),
        "not on": replace(right, law=Law.point((2, 0, 0))),
    }
    for words, split in wrong.items():
        assert words in str(check_split(table, split))
    missing = replace(right, best=right.best[:1])
    assert "best rankings" in str(check_split(table, missing))


def test_a_tie_that_is_optimal_is_no_split() -> None:
    table = value_table("AP", BINARY)
    law = Law.point((1, 1, 0))
    best = optimal_rankings("AP", law)
    assert best == ((0, 1, 2), (1, 0, 2))
    assert "tie" in str(check_split(table, SplitLaw(law, (0, 1), (0, 1, 2), (1, 0, 2), best)))


def test_rankings_of_the_same_values_are_no_split() -> None:
    # Of four items RR@2 never tells the last two apart, so a loss need not reach all best rankings.
    table = value_table("RR@2", graded_space(4, 2))
    law = Law({(0, 1, 1, 0): "2/3", (0, 0, 0, 1): "1/3"})
    best = optimal_rankings("RR@2", law)
    assert best == ((1, 3, 0, 2), (1, 3, 2, 0), (2, 3, 0, 1), (2, 3, 1, 0))
    assert not can_tie(best, 1, 2)
    split = SplitLaw(law, (1, 2), best[0], best[2], best)
    assert "same values" in str(check_split(table, split))
