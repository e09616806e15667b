"""Section 6 of C12 (Calauzènes, Usunier & Gallinari, NIPS 2012): the lemmas that prove its Theorem 2.

As in `test_c12`, A_l(p) is that of the squared loss, where it is exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from rankproof.feedback import Law
from rankproof.feedback.spaces import graded_space
from rankproof.targets import target_for
from theory.test_c12 import FIRST_TWO, WITH_A, Rankings, feedback_of_a, squared_best
from theory.whole_laws import best, distance_when_sorted, draw, law, rankings, sorting, targets, values

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

F = Fraction
# E[y] = (1/3, 1/3, 1/6).
TIED = Law({(1, 0, 0): "1/3", (0, 1, 0): "1/3", (0, 0, 1): "1/6", (0, 0, 0): "1/6"})


def test_lemma_5_near_minimisers_sort_to_the_rankings_of_least_infimum() -> None:
    """(i), (ii): arg sort {L < inf L + δ} contains A_l(p) for every δ and equals it for some δ0 > 0.

    E[u] = (1/3, 1/3, 1/6): the infima are 0, 0, then 1/72, so δ0 = 1/72. Points of balls around it say so.
    """
    mean = TIED.expect(tuple)
    infima = {r: distance_when_sorted(mean, r) for r in permutations(range(3))}
    assert sorted(infima.values())[:3] == [0, 0, F(1, 72)]
    rng = np.random.default_rng(5)
    for scale, wanted in ((F(1, 1000), FIRST_TWO), (F(1, 72), FIRST_TWO), (F(1, 50), None)):
        steps = rng.normal(size=(4000, 3))
        steps *= (float(scale) ** 0.5 * rng.random(4000) ** (1 / 3) / np.linalg.norm(steps, axis=1))[:, None]
        seen = {tuple(np.argsort(-s)) for s in np.array(mean, dtype=float) + steps}
        assert seen == wanted if wanted else seen > FIRST_TWO


def test_lemma_5_calibrated_iff_the_rankings_of_least_infimum_are_best() -> None:
    """(iii): A_l(p) ⊆ A_r(p) for every p. |s - u|^2: holds with nDCG's target for nDCG, fails with DCG's."""
    space = graded_space(3, 3)
    weights = draw(np.random.default_rng(55), 400, len(space))
    good = best(weights @ values("nDCG", space))
    assert (sorting(weights @ targets(target_for("nDCG"), space)) <= good).all()
    assert not (sorting(weights @ targets(target_for("DCG"), space)) <= good).all()


def test_lemma_6_near_laws_have_no_new_best_rankings() -> None:
    """For some η > 0, A_l(p') ⊆ A_l(p) whenever |p - p'|_1 < η: here η = 1/6, the least gap of E[u] at p.

    E[u_i - u_j] moves by at most |p - p'|_1, since |u_i - u_j| <= 1. All of A_l(p) is needed near p.
    """
    space, rng = graded_space(3, 2), np.random.default_rng(6)
    assert squared_best(TIED.expect(tuple)) == FIRST_TWO
    seen: Rankings = set()
    for weights in draw(rng, 300, len(space)):
        other = TIED.mix(law(weights, space), F(int(rng.integers(0, 100)), 1201))
        assert sum(abs(TIED[y] - other[y]) for y in space.feedback) < F(1, 6)
        alone = squared_best(other.expect(tuple))
        assert alone <= FIRST_TWO
        seen |= alone if len(alone) == 1 else set()
    assert seen == FIRST_TWO


@pytest.mark.parametrize("name", WITH_A)
@pytest.mark.parametrize("items", [3, 4])
def test_lemma_7_every_ranking_is_the_only_best_one_of_some_law(name: str, items: int) -> None:
    """(A)'s feedback of the k-th item of σ with probability α_k, α_1 > ... > α_n > 0: A_r = {σ}."""
    space, chosen = feedback_of_a(name, items)
    worth = values(name, space)[chosen]
    weights = np.array(
        [[items - r.index(i) for i in range(items)] for r in rankings(items).tolist()], dtype=object
    )
    assert (best(weights @ worth) == np.eye(math.factorial(items), dtype=bool)).all()
