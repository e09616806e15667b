"""A sum of targets is not the target of the sum of their metrics, once cutoffs differ.

nDCG@1 + nDCG weighs rank 1 by both targets and the other ranks by one. Sorting by the mean of the sum of
both is best for something else: DCG over the whole list, divided by a mixture of the normalisers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import pytest

from rankproof.metrics import DCG, metric
from rankproof.targets import target_for

Labels = tuple[int, ...]
Law = dict[Labels, Fraction]
Value = Callable[[Labels], float]

LAW: Law = {(1, 2, 0): Fraction(1, 3), (2, 1, 2): Fraction(2, 3)}
SECOND = 1 / math.log2(3)  # the discount of rank 2; rank 3 has 1/2


def both(ranked: Labels) -> float:
    """nDCG@1 + nDCG of labels in the order of a ranking."""
    return float(metric("nDCG@1").of_labels(ranked) + metric("nDCG").of_labels(ranked))


def summed(labels: Labels) -> list[float]:
    """u of nDCG@1 + u of nDCG, item by item."""
    one, all_ = (target_for(name).of_labels(labels) for name in ("nDCG@1", "nDCG"))
    return [float(a) + float(b) for a, b in zip(one, all_, strict=True)]


def means(law: Law) -> list[float]:
    items = range(len(next(iter(law))))
    return [sum(float(share) * summed(labels)[i] for labels, share in law.items()) for i in items]


def sorted_by_mean(law: Law) -> Labels:
    mean = means(law)
    return tuple(sorted(range(len(mean)), key=lambda i: -mean[i]))


def values(law: Law, value: Value) -> dict[Labels, float]:
    """The expected value of every ranking."""
    return {
        ranking: sum(float(share) * value(tuple(y[i] for i in ranking)) for y, share in law.items())
        for ranking in permutations(range(len(next(iter(law)))))
    }


def test_the_mean_of_the_sum_puts_the_last_item_second() -> None:
    # Gains 1, 3, 0 over Z1 = 3 and Z = 3 + SECOND; gains 3, 1, 3 over Z1 = 3 and Z = 3 + 3 SECOND + 1/2.
    first, second = 1 / 3 + 1 / (3 + SECOND), 1 / 3 + 1 / (3.5 + 3 * SECOND)
    expected = [first / 3 + 2 * second, first + 2 * second / 3, 2 * second]
    assert means(LAW) == pytest.approx(expected, rel=1e-14)
    assert sorted_by_mean(LAW) == (0, 2, 1)


def test_another_ranking_is_better_for_the_sum_of_the_metrics() -> None:
    found = values(LAW, both)
    best = max(found, key=found.__getitem__)
    assert best == (0, 1, 2)
    # They differ at ranks 2 and 3, where nDCG alone counts, and E[G/Z] of item 1 leads that of item 2.
    mean = [1 / (3 + SECOND), 1 / (3.5 + 3 * SECOND)]
    lead = (mean[0] + 2 * mean[1] / 3) - 2 * mean[1]
    regret = (SECOND - 0.5) * lead
    assert found[best] - found[0, 2, 1] == pytest.approx(regret, rel=1e-12)
    assert regret == pytest.approx(0.0037, abs=5e-5)


def test_each_target_alone_is_best_for_its_own_metric() -> None:
    """So the law breaks the sum, not its parts."""
    for name in ("nDCG@1", "nDCG"):
        target = target_for(name)
        mean = [
            sum(float(share) * float(target.of_labels(y)[i]) for y, share in LAW.items()) for i in range(3)
        ]
        found = values(LAW, lambda ranked, name=name: float(metric(name).of_labels(ranked)))
        ranking = tuple(sorted(range(3), key=lambda i: -mean[i]))
        assert found[ranking] == pytest.approx(max(found.values()), rel=1e-14)


def over_a_mixture(ranked: Labels) -> float:
    """DCG (1/Z1 + 1/Z): what the sum of the targets is the target of."""
    ideal = tuple(sorted(ranked, reverse=True))
    if not any(ranked):
        return 0.0
    share = 1 / float(DCG(cutoff=1).of_labels(ideal)) + 1 / float(DCG().of_labels(ideal))
    return share * float(DCG().of_labels(ranked))


def test_the_sum_is_the_target_of_one_dcg_over_a_mixture_of_normalisers() -> None:
    draws, wrong = random.Random(7), 0
    for _ in range(300):
        grades = {tuple(draws.choice([0, 1, 2]) for _ in range(3)): draws.randint(1, 5) for _ in range(2)}
        law = {y: Fraction(weight, sum(grades.values())) for y, weight in grades.items() if any(y)}
        if not law:
            continue
        ranking = sorted_by_mean(law)
        mixed, sums = values(law, over_a_mixture), values(law, both)
        assert mixed[ranking] == pytest.approx(max(mixed.values()), abs=1e-12)
        wrong += sums[ranking] < max(sums.values()) - 1e-9
    # LAW is no freak.
    assert wrong >= 3
