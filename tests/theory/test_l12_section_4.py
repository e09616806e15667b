"""L12 (Lan, Guo, Cheng & Liu, NIPS 2012), section 4: what its condition has to do with earlier ones.

Items are counted from 0 here, from 1 in the paper. ``012`` is the ranking that has item 0 first; P1, ..., P6
are the probabilities of 012, 102, 021, 120, 201, 210, as in section 4.1. Where a printed statement is false,
the test shows a law that refutes it, and what holds instead.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from rankproof.feedback import Graded, Law, PreferenceGraph
from rankproof.losses.margins import MARGINS
from rankproof.theory import noise
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.noise.laws import sample
from theory.pairwise_risk import least, on_permutations, on_ratings

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

# 4.1 Relationships with previous work ----------------------------------------------------------------


def test_theorem_6_holds_when_every_pair_is_preserved() -> None:
    rng = random.Random(60)
    seen = 0
    for _ in range(120):
        law = sample("order-preserving", rng.choice((3, 3, 4)), 2, rng, "permutation")
        if noise.is_order_preserving(law, every_pair=True):
            seen += 1
            likely = max(law, key=lambda y: law[y])
            # r_i = m - y(i), on the m levels 0, ..., m - 1: the printed K = m - 1 should be K = m.
            assert noise.rdps(law).ratings == tuple(law.items - rank for rank in likely)
    assert 40 < seen < 120


def test_theorem_6_erratum_neighbours_are_not_enough() -> None:
    """18 P1, ..., P6 = 6, 2, 5, 4, 1, 0 is order-preserving with the m - 1 pairs (0, 1) and (1, 2): 6 > 2,
    5 > 4, 1 > 0 and 6 > 5, 2 > 1, 4 > 0. But P(102) = 2/18 < P(120) = 4/18, and P(012) > P(210).
    """
    law = on_permutations(6, 2, 5, 4, 1, 0)
    assert noise.is_order_preserving(law, strict=True)
    with_pairs = {pair for pair in permutations(range(3), 2) if noise.differentiates(law, *pair)}
    assert with_pairs == {(0, 1), (1, 2)}
    found = noise.rdps(law)
    assert not found
    assert found.violation is not None
    assert found.violation.items == (0, 1, 2)


def test_theorem_6_the_converse_does_not_hold() -> None:
    law = on_permutations(3, 3, 3, 1, 1, 1)
    assert noise.rdps(law).ratings == (2, 1, 0)
    assert not noise.is_order_preserving(law)


# P1, ..., P6 up to a factor -> order-preserving (every pair), rank-differentiable, low noise (weight 1). With
# 0 before 1 before 2 in the mean, low noise is P2 + P3 + P6 >= P1 + P4 + P5.
FIGURE_1 = {
    (10, 9, 9, 1, 1, 0): (True, True, True),
    (8, 4, 4, 2, 2, 1): (True, True, False),
    (3, 3, 3, 1, 1, 1): (False, True, True),
    (3, 1, 1, 1, 1, 0): (False, True, False),
    (1, 2, 2, 0, 0, 0): (False, False, True),
    (2, 0, 0, 1, 0, 0): (False, False, False),
}


@pytest.mark.parametrize(("weights", "regions"), FIGURE_1.items(), ids=str)
def test_figure_1_every_region_has_a_law(weights: tuple[int, ...], regions: tuple[bool, ...]) -> None:
    law = on_permutations(*weights)
    preserving = noise.is_order_preserving(law, every_pair=True, strict=True)
    assert (preserving.holds, noise.rdps(law).holds, noise.is_low_noise(law).holds) == regions
    assert noise.is_rank_differentiable(law).holds == regions[1]


def test_figure_1_depends_on_the_weights() -> None:
    """With D(a, b) = f(a) - f(b) the mean preferences always add up: every law has low noise."""
    for weights in FIGURE_1:
        assert noise.is_low_noise(on_permutations(*weights), weight="difference")
        assert noise.is_low_noise(on_permutations(*weights), weight="gain")


def drawn_probabilities(rng: random.Random) -> tuple[Law, tuple[Fraction, ...]]:
    """A law on the six rankings, near one that is rank-differentiable with 012 half of the time."""
    weights = [rng.choice((0, 1, 1, 2, 3)) for _ in range(6)]
    if rng.random() < 0.5:
        weights = [a + b for a, b in zip((4, 2, 2, 1, 1, 0), weights, strict=True)]
    law = on_permutations(*weights) if any(weights) else on_permutations(1, 0, 0, 0, 0, 0)
    return law, tuple(law[y] for y in on_permutations(1, 1, 1, 1, 1, 1))


def test_equations_9_and_10_are_rank_differentiability_with_neighbours() -> None:
    rng = random.Random(910)
    seen = {True: 0, False: 0}
    for _ in range(400):
        law, (p1, p2, p3, p4, p5, p6) = drawn_probabilities(rng)
        rows = {
            (0, 1): (p1 - p2, p3 - p4, p5 - p6),  # (9)
            (1, 2): (p4 - p6, p2 - p5, p1 - p3),  # (10)
            (0, 2): (p3 - p5, p1 - p6, p2 - p4),  # not printed
        }
        holds = {pair: min(row) >= 0 and max(row) > 0 for pair, row in rows.items()}
        assert {pair: noise.differentiates(law, *pair).holds for pair in rows} == holds
        assert (noise.rdps(law).ratings == (2, 1, 0)) == all(holds.values())
        seen[all(holds.values())] += 1
    assert min(seen.values()) > 10


def test_equations_9_and_10_erratum_the_third_pair_is_needed() -> None:
    """6, 2, 5, 4, 1, 0 again: (9) is 4, 1, 1 and (10) is 4, 1, 1, but P2 - P4 = -2."""
    law = on_permutations(6, 2, 5, 4, 1, 0)
    assert noise.differentiates(law, 0, 1)
    assert noise.differentiates(law, 1, 2)
    assert noise.rdps(law).ratings is None


def test_the_example_of_three_objects_its_mean_preferences() -> None:
    """a12 - a21, a23 - a32 and a13 - a31 as printed, for D(2, 1) = 3, D(2, 0) = 5, D(1, 0) = 2."""
    rng = random.Random(41)
    d = {(3, 2): 3, (3, 1): 5, (2, 1): 2}  # a permutation has the grades 3, 2, 1
    for _ in range(50):
        law, (p1, p2, p3, p4, p5, p6) = drawn_probabilities(rng)
        found = noise.mean_differences(law, weight=lambda better, worse: d[better, worse])
        assert found[0][1] == 3 * (p1 - p2) + 5 * (p3 - p4) + 2 * (p5 - p6)
        assert found[1][2] == 3 * (p4 - p6) + 5 * (p2 - p5) + 2 * (p1 - p3)
        assert found[0][2] == 3 * (p3 - p5) + 5 * (p1 - p6) + 2 * (p2 - p4)


def test_the_example_of_three_objects_rank_differentiable_without_low_noise() -> None:
    """012 for sure is rank-differentiable with [r1]; all three mean preferences are 1, and 1 < 1 + 1."""
    law = on_permutations(1, 0, 0, 0, 0, 0)
    assert noise.rdps(law).ratings == (2, 1, 0)
    assert noise.mean_differences(law) == ((0, 1, 1), (-1, 0, 1), (-1, -1, 0))
    assert not noise.is_low_noise(law)


def test_section_4_1_erratum_low_noise_does_achieve_transitivity() -> None:
    """L12: a preference in the mean need not be one of the best ranking. Under low noise it always is.

    The difference graph is then transitive, so some rankings agree with all of it, and these are the best.
    """
    rng = random.Random(42)
    strict = 0
    for k in range(150):
        kind = ("graded", "preferences", "permutation")[k % 3]
        law = on_ratings(sample("low noise", 3 + k % 2, 3, rng, kind))
        d = noise.mean_differences(law)
        best = optimal_rankings("WPDL", law)
        for i, j in permutations(range(law.items), 2):
            strict += d[i][j] > 0
            assert d[i][j] <= 0 or all(ranking.index(i) < ranking.index(j) for ranking in best)
    assert strict > 200
    # Without it, a cycle: 0 before 1 before 2 before 0 in the mean.
    cycle = noise.mean_differences(on_permutations(1, 0, 0, 1, 1, 0))
    assert cycle[0][1] == cycle[1][2] == cycle[2][0] == Fraction(1, 3)


# 4.2 Explanation on theoretical contradiction --------------------------------------------------------


def test_section_4_2_no_ratings_give_the_graph_of_duchi() -> None:
    """2→3, 3→1 without 2→1: three items have 13 weak orders, and all occur on three levels."""
    made = {Graded(ratings).preferences() for ratings in product(range(3), repeat=3)}
    assert len(made) == 13
    assert PreferenceGraph([(1, 2), (2, 0)]) not in made
    assert PreferenceGraph([(1, 2), (2, 0), (1, 0)]) in made


@pytest.mark.parametrize("margin", ["squared-hinge", "huber", "logistic", "exponential", "hinge"])
def test_section_4_2_on_graphs_pairwise_losses_fail_under_low_noise(margin: str) -> None:
    """0→1 (1), 0→2 (15) or 1→2 (4), 2→0 (10), each with 1/2: 15 - 10 >= 1 + 4, and 012 alone is best.

    With s_0 = s_1 and x = s_0 - s_2 best, 19 phi'(x) = 10 phi'(-x), and the slope along item 1 up, 0 down is
    -phi'(0) + 4 phi'(x) < 0: the preference for 1 over 2 pulls item 1 above 0. (That ratings cannot do the
    same under low noise is refuted in `test_theorem_5_erratum_even_with_low_noise`.)
    """
    law = Law([({(0, 1): 1, (0, 2): 15}, "1/2"), ({(1, 2): 4, (2, 0): 10}, "1/2")], items=3)
    assert noise.is_low_noise(law)
    assert optimal_rankings("PD", law) == ((0, 1, 2),)
    phi = MARGINS[margin]
    edges = [(i, j, float(p * weight)) for y, p in law.pairs() for i, j, weight in y.edges]

    def risk(scores: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = 0.0, np.zeros(3)
        for i, j, weight in edges:
            value += weight * phi.value(scores[i] - scores[j])
            slope = weight * phi.derivative(scores[i] - scores[j])
            gradient[i] += slope
            gradient[j] -= slope
        return value, gradient

    if margin == "hinge":
        # The corners of the linear program are whole numbers, and sums of halves are exact. Items 0 and 1 are
        # level there, so that 102 sorts the scores as well.
        grid = [np.array(scores, float) for scores in product(range(4), repeat=3)]
        lowest = min(risk(scores)[0] for scores in grid)
        assert all(scores[1] == scores[0] for scores in grid if risk(scores)[0] == lowest)
        return
    level, held = least(risk, 3, tied=(0, 1))
    x = held[0] - held[2]
    assert 19 * phi.derivative(x) == pytest.approx(10 * phi.derivative(-x), abs=1e-6)
    slope = risk(held)[1][1] - risk(held)[1][0]
    assert slope == pytest.approx(-phi.derivative(0.0) + 4 * phi.derivative(x), abs=1e-6)
    lowest, found = least(risk, 3)
    assert lowest < level - 1e-3
    assert found[1] > found[0] + 0.01
