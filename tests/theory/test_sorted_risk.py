"""Regret and best rankings by sorting: those of all rankings where both can be asked, and long lists."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.feedback import Law
from rankproof.metrics.parse import metric as metric_of
from rankproof.theory.base.sorted_risk import best_by_sorting, regret_by_sorting

METRICS = [
    "nDCG",
    "nDCG@2",
    "nDCG(gain=linear)@3",
    "DCG@1",
    "P@2",
    "R@3",
    "F@2",
    "RBP(p=0.5)",
    "DCG(discount=letor)",
]


@pytest.mark.parametrize("name", METRICS)
def test_they_are_those_of_all_rankings(name: str) -> None:
    rng, metric = random.Random(3), metric_of(name)
    for _ in range(6):
        masses = [rng.randint(1, 9) for _ in range(3)]
        labels = [tuple(rng.choice((0, 0, 1, 2)) for _ in range(4)) for _ in masses]
        labels[0] = (1, 1, 0, 0)  # ties of E[u] are likely
        law = Law([(y, Fraction(m, sum(masses))) for y, m in zip(labels, masses, strict=True)])
        assert best_by_sorting(metric, law) == rp.optimal_rankings(metric, law)
        order = tuple(rng.sample(range(4), 4))
        scores = [rng.choice((0, 1)) for _ in range(4)]
        by_all = rp.regret(metric, law, order), rp.regret(metric, law, scores=scores)
        by_sorting = (
            regret_by_sorting(metric, law, order, None),
            regret_by_sorting(metric, law, None, scores),
        )
        assert [float(one) for one in by_sorting] == pytest.approx([float(one) for one in by_all], abs=1e-15)


def test_long_lists_are_taken() -> None:
    law = Law({(2, 0, 1, 0, 0, 0, 0, 0): "1/2", (0, 0, 1, 1, 0, 0, 0, 3): "1/2"})
    # Relevant with probability 1: item 2; with 1/2: items 0, 3, 7. Items 7 and 6 have (1/2 + 0) / 2, 2 and 0
    # have 3/4.
    assert rp.regret("P@2", law, scores=range(8)) == Fraction(3, 4) - Fraction(1, 4)
    assert rp.optimal_rankings("RBP(p=0.5)", _distinct()) == ((2, 1, 6, 5, 0, 4, 3),)
    with pytest.raises(ArgumentError, match="More than 5040"):
        rp.optimal_rankings("nDCG@2", Law.point((2, 1, *[0] * 8)))  # 8! orders below the cutoff
    with pytest.raises(ArgumentError, match="AP is not one of these"):
        rp.regret("AP", law, scores=range(8))
    with pytest.raises(ArgumentError, match="each of the 8 items once"):
        rp.regret("P@2", law, (0, 1))


def _distinct() -> Law:
    return Law.product([{1: Fraction(k, 10), 0: Fraction(10 - k, 10)} for k in (3, 7, 9, 1, 2, 4, 5)])


def test_a_law_of_twelve_items_is_made_in_seconds() -> None:
    law = Law.product([{0: "1/5", 1: "3/10", 2: "1/2"}] * 7)
    assert len(law) == 3**7
    assert sum(law.probabilities) == 1
    assert law[(2,) * 7] == Fraction(1, 2) ** 7
    with pytest.raises(ArgumentError, match=r"Judgments\.from_probabilities"):
        Law.product([{0: "1/2", 1: "1/2"}] * 20)
