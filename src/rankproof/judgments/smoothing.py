r"""Smoothing of few grades: a Dirichlet prior around the pool whose strength is estimated from the data.

An item with the counts :math:`n_g` of N grades gets :math:`P(g) = (n_g + s\,m_g) / (N + s)`, with m the
shares of the grades in all judgments (the pool) and s the strength: what the pool counts, in grades. s is the
value of highest likelihood of the Dirichlet-multinomial law of the counts of all items (empirical Bayes).

>>> counts = np.array([[3, 0], [0, 3], [3, 0], [1, 2]])
>>> print(estimate_prior(counts))
the pool counts as much as 0.51 grades per item (12 grades of 4 items)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, frozen

__all__ = ["DirichletPrior", "estimate_prior"]

# The strength is looked for between these; at the upper end items cannot be told apart.
_LEAST, _MOST = 1e-4, 1e6
_STEPS = 200


@dataclass(frozen=True, eq=False)
class DirichletPrior:
    """A Dirichlet law of the grade probabilities of an item.

    Attributes
    ----------
    pool : array of float64, one share per grade
        The mean of the prior, with sum 1.
    strength : float
        How many grades the pool counts as. 0 leaves items with grades as they are.
    estimated : bool
        Whether the data said so. They do not when no item has two grades: the strength is then 0.
    items, judgments : int
        How many items with grades, and how many grades, the estimate rests on.
    """

    pool: Float64s
    strength: float
    estimated: bool
    items: int
    judgments: int

    def smoothed(self, counts: NDArray[np.int64]) -> Float64s:
        """P(grade) of every item, the posterior mean; an item without a grade has the pool's."""
        total = counts.sum(axis=1, keepdims=True)
        shares: Float64s = (counts + self.strength * self.pool) / np.maximum(total + self.strength, 1e-300)
        return np.where(total > 0, shares, self.pool)

    def __str__(self) -> str:
        if not self.estimated:
            return "no item has two grades, so nothing tells how much they vary: grades are taken as they are"
        return (
            f"the pool counts as much as {self.strength:.3g} grades per item ({self.judgments} grades of "
            f"{self.items} items)"
        )


def estimate_prior(counts: NDArray[np.int64]) -> DirichletPrior:
    """The prior of highest likelihood for counts of grades (items × grades), its mean held at the pool."""
    total = counts.sum(axis=1)
    judgments = int(total.sum())
    pool = counts.sum(axis=0) / max(judgments, 1)
    items = int((total > 0).sum())
    informative = bool((total > 1).any()) and int((pool > 0).sum()) > 1
    strength = _strength(counts, total, pool) if informative else 0.0
    return DirichletPrior(frozen(pool), strength, informative, items, judgments)


def _strength(counts: NDArray[np.int64], total: NDArray[np.int64], pool: Float64s) -> float:
    """The maximum of the likelihood in the logarithm of the strength, by golden sections.

    The likelihood of a Dirichlet-multinomial with a fixed mean has one maximum in the strength (it may lie at
    either end: all items alike, or no item with two different grades).
    """
    # Rising factorials: log Γ(a + n) - log Γ(a) is the sum of log(a + k) for k < n, so that what counts is
    # how many items have more than k grades.
    over = _more_than(total)
    per_grade = [_more_than(counts[:, g]) for g in range(counts.shape[1])]

    def likelihood(log_strength: float) -> float:
        s = float(np.exp(log_strength))
        value = -float(over @ np.log(s + np.arange(over.size)))
        for share, many in zip(pool.tolist(), per_grade, strict=True):
            if share > 0:
                value += float(many @ np.log(s * share + np.arange(many.size)))
        return value

    low, high = float(np.log(_LEAST)), float(np.log(_MOST))
    ratio = (5**0.5 - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = likelihood(a), likelihood(b)
    for _ in range(_STEPS):
        if at_a >= at_b:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = likelihood(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = likelihood(b)
        if high - low < 1e-10:
            break
    return float(np.exp((low + high) / 2))


def _more_than(counts: NDArray[np.int64]) -> Float64s:
    """How many of the counts are more than 0, 1, 2, ..."""
    many = np.bincount(counts)
    return (counts.size - np.cumsum(many))[:-1].astype(np.float64)
