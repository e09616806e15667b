"""L12 (Lan, Guo, Cheng & Liu, NIPS 2012), sections 2 and 3, statement by statement, in the paper's order.

Items are counted from 0 here, from 1 in the paper. ``012`` is the ranking that has item 0 first. Where a
printed statement is false, the test shows a law that refutes it, and what holds instead.
"""

from __future__ import annotations

import random
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

from every_case import exhaustive
from rankproof.feedback import Graded, Law
from rankproof.losses.margins import MARGINS
from rankproof.metrics import WPDL
from rankproof.metrics.disagreement import weight_of
from rankproof.metrics.on_feedback import of_scores
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory import noise
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.noise.laws import sample
from theory.pairwise_risk import Risk, favour, hinge_minimisers, on_permutations, on_ratings

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

WEIGHTS = ("one", "difference", "gain")
# The margins that meet the conditions of Theorem 5: hinge-like, logistic, exponential.
SMOOTH = ("squared-hinge", "huber", "logistic", "exponential")


# 2 Preliminaries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", WEIGHTS)
def test_equation_2_the_weights_meet_the_conditions_on_d(weight: str) -> None:
    for low, middle, high in combinations(range(5), 3):
        assert weight_of(weight, middle, low) > 0
        assert weight_of(weight, middle, low) <= weight_of(weight, high, low)
        assert weight_of(weight, high, middle) <= weight_of(weight, high, low)


def test_equation_2_counts_a_tie_in_full() -> None:
    """Labels (2, 1, 0), scores (1, 1, 1): D(2, 1) + D(2, 0) + D(1, 0) = 2 + 3 + 1 for D = 2^a - 2^b."""
    assert of_scores(WPDL(weight="gain", ties="full"), [1, 1, 1], (2, 1, 0)) == 6


def test_theorem_1_rank_consistency_gives_consistency() -> None:
    """Below the least excess of a wrong order (eq. 5) no scores have regret; above it some do."""
    law = Law({(2, 1, 0): "3/6", (1, 2, 0): "2/6", (2, 0, 1): "1/6"})
    best = optimal_rankings("WPDL", law)
    assert best == ((0, 1, 2),)
    risk = Risk(law, "logistic")
    least, centre = risk.least()
    epsilon = min(risk.least(pair)[0] for pair in combinations(range(3), 2)) - least
    assert epsilon > 1e-3
    rng = np.random.default_rng(0)
    below, above = 0, 0
    for scores in centre + rng.normal(size=(600, 3)) * rng.choice([0.1, 0.5, 2], size=(600, 1)):
        wrong = tuple(np.argsort(-scores)) not in best
        near = risk(scores)[0] < least + epsilon
        assert not (near and wrong)
        below, above = below + near, above + wrong
    assert min(below, above) > 50


# 3.1 A rank-differentiable probability space ---------------------------------------------------------


def test_definition_3_equivalent_ratings() -> None:
    """27 ratings of three items on three levels fall into the 13 weak orders of three items."""
    classes: dict[Any, set[tuple[int, ...]]] = {}
    for ratings in product(range(3), repeat=3):
        classes.setdefault(noise.preferred_pairs(ratings), set()).add(ratings)
    assert len(classes) == 13
    assert classes[noise.preferred_pairs((1, 0, 0))] == {(1, 0, 0), (2, 0, 0), (2, 1, 1)}
    for members in classes.values():
        known = noise.rdps(Law.point(min(members)))
        assert set(known.members(3)) == members


def test_definition_4_dual_ratings() -> None:
    for ratings in product(range(3), repeat=3):
        y = Graded(ratings)
        other = noise.dual(y, 0, 2)
        assert tuple(other) == (ratings[2], ratings[1], ratings[0])
        assert noise.dual(other, 0, 2) == y


def test_definition_5_rank_differentiable_with_a_pair() -> None:
    law = Law({(1, 0, 0): "3/8", (0, 1, 0): "2/8", (1, 0, 1): "1/8", (0, 1, 1): "1/8", (0, 0, 1): "1/8"})
    found = {pair for pair in permutations(range(3), 2) if noise.differentiates(law, *pair)}
    # (0, 1): 3 > 2 and 1 = 1. (1, 2): P(110) = 0 < P(101), yet P(010) > P(001). (0, 2): 3 > 1, 0 < 1.
    assert found == {(0, 1)}
    assert noise.differentiates(law, 1, 0).why == (
        "P(0, 1, 0) = 1/4 < 3/8 = P(1, 0, 0), though these labels grade 1 above 0."
    )


def test_definition_6_and_that_the_class_is_unique() -> None:
    """Of all 75 classes of ratings of four items exactly one fits an RDPS, none any other law."""
    rng = random.Random(6)
    counts = set()
    for k in range(120):
        items = rng.choice((2, 3, 3, 4))
        law = sample((None, "rank-differentiable")[k % 2], items, 3, rng)
        strict = {pair for pair in permutations(range(items), 2) if noise.differentiates(law, *pair)}
        every = {noise.preferred_pairs(r) for r in product(range(items), repeat=items)}
        fitting = [pairs for pairs in every if pairs == strict]
        found = noise.rdps(law)
        assert len(fitting) == found.holds
        assert not found or noise.preferred_pairs(found.ratings) == strict
        counts.add(len(fitting))
    assert counts == {0, 1}


def test_definition_6_takes_ratings_from_those_of_the_labels() -> None:
    """Binary labels have two levels, so by the letter no binary law orders three items strictly."""
    law = Law({(1, 0, 0): "3/6", (0, 1, 0): "2/6", (0, 0, 1): "1/6"})
    assert noise.rdps(law).ratings == (2, 1, 0)
    assert not noise.rdps(law, levels=2)


def test_definition_6_is_weaker_than_comparing_every_pair() -> None:
    """Where of any two items one is always favoured, ratings r* exist; the converse does not hold."""
    rng = random.Random(9)
    for _ in range(150):
        law = sample("rank-differentiable", 4, 3, rng)
        found = noise.rdps(law)
        assert found
        assert not found.unordered
    cycle = on_permutations(1, 0, 0, 1, 1, 0)
    assert noise.rdps(cycle).ratings == (0, 0, 0)
    assert noise.rdps(cycle).unordered == ((0, 1), (0, 2), (1, 2))
    assert not noise.is_rank_differentiable(cycle)


@pytest.mark.parametrize("weight", [*WEIGHTS[:1], *exhaustive(*WEIGHTS[1:])])
def test_theorem_2_separability_on_pairs(weight: str) -> None:
    rng = random.Random(2)
    metric, seen = WPDL(weight=weight, ties="full"), 0
    for k in range(120):
        law = sample((None, "rank-differentiable")[k % 2], 3, 3, rng)
        best = optimal_rankings(metric, law)
        for i, j in permutations(range(3), 2):
            if noise.differentiates(law, i, j):
                seen += 1
                assert all(ranking.index(i) < ranking.index(j) for ranking in best)
                # Nor is a tie of the two optimal, wherever the third item is.
                ties = [[1.0 if k in (i, j) else other for k in range(3)] for other in (0.0, 1.0, 2.0)]
                least = min(law.expect(lambda y, s=s: of_scores(metric, s, y) or 0.0) for s in ties)
                lowest = law.expect(lambda y: metric.of_ranking(best[0], y) or 0)  # noqa: B023
                assert least > float(lowest) + 1e-9
    assert seen > 100


@pytest.mark.parametrize("weight", WEIGHTS)
def test_theorem_3_the_best_rankings_follow_the_ratings(weight: str) -> None:
    rng = random.Random(3)
    for _ in range(60):
        law = sample("rank-differentiable", rng.choice((3, 4)), 3, rng)
        ratings = noise.rdps(law).ratings
        assert set(optimal_rankings(WPDL(weight=weight), law)) == set(sorting_rankings(ratings))


# 3.2 Conditions of statistical consistency -----------------------------------------------------------


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("margin", [*SMOOTH, "hinge"])
def test_theorem_4_exchanging_two_scores(margin: str, weight: str) -> None:
    """Part 1, for all scores: with s_i < s_j the exchange saves at least the pair's own part."""
    phi = MARGINS[margin].value
    rng, draw = random.Random(4), np.random.default_rng(4)
    for _ in range(40):
        law = sample("rank-differentiable", 3, 3, rng)
        risk = Risk(law, margin, weight)
        for i, j in permutations(range(3), 2):
            scores = draw.normal(size=3) * 2
            if noise.differentiates(law, i, j) and scores[i] < scores[j]:
                other = scores.copy()
                other[[i, j]] = scores[[j, i]]
                own = phi(scores[j] - scores[i]) - phi(scores[i] - scores[j])
                assert own < 0 < favour(law, i, j, weight)
                change = risk(other)[0] - risk(scores)[0]
                assert change <= own * float(favour(law, i, j, weight)) + 1e-9


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("margin", SMOOTH)
def test_theorem_4_equal_scores_are_not_stationary(margin: str, weight: str) -> None:
    """Part 2, for all scores with s_i = s_j: the slope along i up, j down is at most 2 phi'(0) * favour."""
    slope = MARGINS[margin].derivative(0.0)
    rng, draw = random.Random(5), np.random.default_rng(5)
    for _ in range(40):
        law = sample("rank-differentiable", 3, 3, rng)
        risk = Risk(law, margin, weight)
        for i, j in permutations(range(3), 2):
            if noise.differentiates(law, i, j):
                scores = draw.normal(size=3) * 2
                scores[j] = scores[i]
                gradient = risk(scores)[1]
                assert gradient[i] - gradient[j] <= 2 * slope * float(favour(law, i, j, weight)) + 1e-9


def test_theorem_4_erratum_the_printed_sum_leaves_out_items_of_equal_rating() -> None:
    """r = (1, 0, 1) for sure, i = 0, j = 1: item 2 has r_2 = r_0 and changes the risk, too.

    s = (0, 1, 1/2) with phi = max(0, 1 - t)^2: pair (0, 1) from 4 to 0, pair (2, 1) from 9/4 to 1/4. The sign
    of what is left out is that of the other terms, so the theorem stands.
    """
    risk = Risk(Law.point((1, 0, 1)), "squared-hinge")
    assert risk((0, 1, 0.5))[0] == 4 + 9 / 4
    assert risk((1, 0, 0.5))[0] == 0 + 1 / 4


def test_theorem_4_the_plain_hinge_keeps_the_weak_order_alone() -> None:
    """The hinge has phi(z) < phi(-z), so part 1 holds; it has a kink, and part 2 fails."""
    rng = random.Random(8)
    for _ in range(150):
        law = sample("rank-differentiable", 3, 3, rng)
        pairs = noise.preferred_pairs(noise.rdps(law).ratings)
        assert all(s[i] >= s[j] for s in hinge_minimisers(law) for i, j in pairs)
    # 5/10 on 100, 3/10 on 010, 2/10 on 001. At s = (1, 0, 0) the risk is 3/10 (2 + 1) + 2/10 (2 + 1) = 3/2;
    # at s = (2, 1, 0) it is 3/10 (2 + 0) + 2/10 (3 + 2) = 8/5.
    law = Law({(1, 0, 0): "1/2", (0, 1, 0): "3/10", (0, 0, 1): "1/5"})
    assert noise.is_rank_differentiable(law)
    assert hinge_minimisers(law) == [(1, 0, 0)]
    assert optimal_rankings("WPDL", law) == ((0, 1, 2),)
    assert list(sorting_rankings((1, 0, 0))) == [(0, 1, 2), (0, 2, 1)]


@pytest.mark.parametrize("margin", [*SMOOTH, "hinge"])
def test_theorem_5_which_margins_meet_its_conditions(margin: str) -> None:
    claims = MARGINS[margin].claims
    asked = ("convex", "nonnegative", "non_increasing", "differentiable", "falls_at_zero")
    assert all(claims.value(fact) for fact in asked) == (margin != "hinge")


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("margin", SMOOTH)
def test_theorem_5_pairwise_losses_are_consistent_with_wpdl(margin: str, weight: str) -> None:
    """Where of any two items one is always favoured. Holding a better item level with a worse one costs."""
    rng = random.Random(50)
    metric = WPDL(weight=weight)
    kinds = [(3, 3, "graded")] * 9 + [(4, 2, "graded")] * 3 + [(3, 3, "permutation")] * 4
    for items, grades, kind in kinds:
        law = on_ratings(sample("rank-differentiable", items, grades, rng, kind))
        risk = Risk(law, margin, weight)
        least, scores = risk.least()
        best = set(optimal_rankings(metric, law))
        assert set(sorting_rankings(np.round(scores, 4))) <= best
        for pair in noise.preferred_pairs(noise.rdps(law).ratings):
            assert risk.least(pair)[0] > least + 1e-8, law


@pytest.mark.parametrize("margin", ["logistic", "exponential"])
def test_theorem_5_where_the_minimum_is_at_infinity(margin: str) -> None:
    """(2, 1, 0) for sure: the risk of k (2, 1, 0) falls to 0, but with s_0 = s_1 it stays above phi(0)."""
    risk = Risk(Law.point((2, 1, 0)), margin)
    values = [risk((2 * k, k, 0))[0] for k in range(40)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 1e-15
    for pair in combinations(range(3), 2):
        assert risk.least(pair)[0] >= MARGINS[margin].value(0.0)


def test_theorem_5_erratum_equal_ratings_may_hide_a_preference() -> None:
    """A cycle: 012, 120, 201 with 1/3 each is an RDPS with equal ratings, since no pair is always favoured.

    It looks the same when every item takes the next one's place. So the mean over these turns of any scores
    is constant and, the risk being convex, at least as good: constant scores are minimal, and every ranking
    sorts them. But 210 loses 3 + 1 + 1 pairs of 9, and 012 only 0 + 2 + 2.
    """
    law = on_permutations(1, 0, 0, 1, 1, 0)
    assert noise.rdps(law).ratings == (0, 0, 0)
    assert optimal_rankings("WPDL", on_ratings(law)) == ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    for margin in (*SMOOTH, "hinge"):
        risk = Risk(law, margin)
        assert risk((0, 0, 0))[0] == pytest.approx(risk.least()[0], abs=1e-9)


@pytest.mark.parametrize("margin", SMOOTH)
def test_theorem_5_erratum_even_with_low_noise(margin: str) -> None:
    """Binary ratings, low noise and an RDPS, and yet the loss strictly prefers the wrong order.

    13 p: 5 on 100, 4 on 110, 4 on 011, so r* = (1, 1, 0), and 012 is the only best ranking. With s_0 = s_1
    and x = s_0 - s_2 best, 13 phi'(x) = 4 phi'(-x); there the slope along item 1 up, 0 down is
    (-2 phi'(0) + 8 phi'(x)) / 13 < 0, as |phi'(x)| > |phi'(0)| / 4. So s_1 > s_0 at the minimum.
    """
    law = Law({(1, 0, 0): "5/13", (1, 1, 0): "4/13", (0, 1, 1): "4/13"})
    assert noise.rdps(law).ratings == (1, 1, 0)
    assert noise.is_low_noise(law)
    assert optimal_rankings("WPDL", law) == ((0, 1, 2),)
    risk = Risk(law, margin)
    level, scores = risk.least(tied=(0, 1))
    phi = MARGINS[margin].derivative
    x = scores[0] - scores[2]
    assert 13 * phi(x) == pytest.approx(4 * phi(-x), abs=1e-6)
    gradient = risk(scores)[1]
    assert gradient[1] - gradient[0] == pytest.approx((-2 * phi(0.0) + 8 * phi(x)) / 13, abs=1e-6)
    least, found = risk.least()
    assert least < level - 1e-4
    assert found[1] > found[0] + 0.01
