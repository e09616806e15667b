"""Tries to refute a verdict `Consistent` by numbers: laws of the class, minimisers, risks.

Nothing of what gives verdicts is used: laws are drawn, the expected loss is minimised in floats, and its
order is compared with the rankings that are best in fractions.
"""

from __future__ import annotations

import random

import numpy as np

from rankproof.errors import PrecisionError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.values import AnyMetric
from rankproof.theory.minima.minimise import minimise
from rankproof.theory.noise.laws import sample

__all__ = ["drawn", "refutes"]

# Scores closer than this may be equal: the minimiser is known to more digits.
APART = 1e-5


def refutes(loss: Loss, metric: AnyMetric, law: Law) -> bool:
    """Whether no best ranking keeps the order of the minimiser, as far as that is sure."""
    try:
        best = optimal_rankings(metric, law)
    except PrecisionError:
        return False
    found = minimise(loss, law)
    if not found.reached and not found.infinite:
        return False
    s, spread = found.scores, set(found.infinite)
    unit = APART * max(1.0, float(np.ptp(s)))
    items = range(law.items)
    sure = [
        (i, j)
        for i in items
        for j in items
        if (i, j) in spread or ((j, i) not in spread and s[i] - s[j] > unit)
    ]
    return not any(all(r.index(i) < r.index(j) for i, j in sure) for r in best)


def drawn(noise: str | None, items: int, grades: int, kind: str, seed: int, many: int) -> list[Law]:
    """Laws that meet the condition, awkward ones among them."""
    rng = random.Random(seed)
    return [sample(noise, items, grades, rng, kind) for _ in range(many)]
