"""The label rule that loses least in a metric that has no target.

Sort items by the mean of a worth g of their labels. That is best for every metric that sums the worths from
the top down with falling weights. In the metric of the user it loses, under the law p, what the best ranking
has more. The most that it can lose is found by linear programs: for every other ranking r, maximise over the
laws p the mean of value(r) - value(0, 1, 2, ...), where E_p[g(y_0)] >= E_p[g(y_1)] >= ...; the items can be
named so. A solution in floats proposes prices mu >= 0 of these inequalities, and for any such prices

    max over y of  value(r, y) - value(0 1 2 ..., y) + sum_k mu_k (g(y_k) - g(y_(k + 1)))

is at least what any law loses (weak duality). That number is computed in fractions, so it is a bound whatever
HiGHS did. The worths themselves are searched for; that none is better is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.feedback import Graded
from rankproof.theory.base.values import ValueTable

__all__ = ["NearRule", "nearest_rule", "worst_regret"]

# Programs that are solved in a search: some seconds.
MOST_PROGRAMS = 1_500
STEPS = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 10), Fraction(1, 20))


@dataclass(frozen=True)
class NearRule:
    """Worths of the labels 0, 1, ..., and the most that sorting by them loses, with a law that does."""

    worths: tuple[Fraction, ...]
    regret: Fraction
    law: tuple[tuple[Any, float], ...]


def nearest_rule(table: ValueTable) -> NearRule:
    """The worths with the least bound on what is lost that a search finds."""
    grades = table.space.labels
    programs = _Programs(table)
    best: tuple[float, tuple[Fraction, ...]] | None = None
    for worths in _starts(table, grades):
        best = _better(best, programs, worths)
    if best is None:
        raise ValueError("no worths to start from")
    for step in STEPS:
        improved = True
        while improved and programs.solved < MOST_PROGRAMS:
            improved = False
            for k in range(1, len(grades)):
                for sign in (1, -1):
                    moved = list(best[1])
                    moved[k] += sign * step
                    if len(set(moved)) == 1:
                        continue
                    after = _better(best, programs, tuple(moved))
                    improved, best = improved or after[0] < best[0] - 1e-9, after
    regret, law = programs.bound(best[1])
    return NearRule(best[1], regret, law)


def worst_regret(table: ValueTable, worths: tuple[Fraction, ...]) -> Fraction:
    """A bound on what sorting by the mean worth loses, under any law on the space of the table."""
    return _Programs(table).bound(worths)[0]


def _better(
    best: tuple[float, tuple[Fraction, ...]] | None, programs: _Programs, worths: tuple[Fraction, ...]
) -> tuple[float, tuple[Fraction, ...]]:
    loss = programs.loss(worths, None if best is None else best[0])
    return (loss, worths) if best is None or loss < best[0] - 1e-9 else best


def _starts(table: ValueTable, grades: tuple[Any, ...]) -> Iterator[tuple[Fraction, ...]]:
    """Worths to start from: what a label gains at the top on average, the label, one label against others."""
    first, last = table.values[0], table.row(tuple(range(table.space.items))[::-1])
    sums = {grade: Fraction(0) for grade in grades}
    for y, high, low in zip(table.space.feedback, first, last, strict=True):
        if isinstance(y, Graded):
            sums[y[0]] += high - low
            sums[y[y.items - 1]] -= high - low
    average = [sums[grade] - sums[grades[0]] for grade in grades]
    largest = max(map(abs, average))
    if largest:
        yield tuple((value / largest).limit_denominator(20) for value in average)
    yield tuple(Fraction(grade) for grade in grades)
    for k in range(1, len(grades)):
        yield tuple(Fraction(int(j >= k)) for j in range(len(grades)))
        for sign in (1, -1):
            yield tuple(Fraction(sign * int(j == k)) for j in range(len(grades)))


class _Programs:
    """The linear programs of one table."""

    def __init__(self, table: ValueTable) -> None:
        self.table, self.solved = table, 0
        identity = table.values[0]
        seen = {tuple(a - b for a, b in zip(row, identity, strict=True)) for row in table.values[1:]}
        self.exact = sorted(seen, reverse=True)
        self.gains = np.array([[float(value) for value in row] for row in self.exact])
        self.labels = [list(y) for y in table.space.feedback if isinstance(y, Graded)]

    def loss(self, worths: tuple[Fraction, ...], enough: float | None = None) -> float:
        """The most that is lost, in floats; it may stop at a number above ``enough``."""
        ahead = self._ahead(worths)
        most = 0.0
        for gain in self.gains:
            if gain.max() <= most:
                continue
            most = max(most, self._solve(gain, ahead)[0])
            if enough is not None and most > enough:
                break
        return most

    def bound(self, worths: tuple[Fraction, ...]) -> tuple[Fraction, tuple[tuple[Any, float], ...]]:
        """The most that is lost, from above and in fractions; and the law that loses most, in floats."""
        ahead, exact = self._ahead(worths), self._exact_ahead(worths)
        bound, reached = Fraction(0), 0.0
        law: tuple[tuple[Any, float], ...] = ()
        for gain, values in zip(self.gains, self.exact, strict=True):
            value, masses, prices = self._solve(gain, ahead)
            mu = [Fraction(max(0.0, price)).limit_denominator(10**9) for price in prices]
            top = max(
                v + sum(m * a for m, a in zip(mu, row, strict=True))
                for v, row in zip(values, exact, strict=True)
            )
            bound = max(bound, top)
            if value > reached:
                support = [k for k in np.argsort(-masses).tolist() if masses[k] > 1e-7]
                reached = value
                law = tuple((self.table.space.feedback[k], float(masses[k])) for k in support)
        return bound, law

    def _ahead(self, worths: tuple[Fraction, ...]) -> Float64s:
        return np.array([[float(a) for a in row] for row in self._exact_ahead(worths)])

    def _exact_ahead(self, worths: tuple[Fraction, ...]) -> list[list[Fraction]]:
        """g(y_k) - g(y_(k + 1)) of every feedback."""
        worth = dict(zip(self.table.space.labels, worths, strict=True))
        return [[worth[a] - worth[b] for a, b in pairwise(y)] for y in self.labels]

    def _solve(self, gain: Float64s, ahead: Float64s) -> tuple[float, Float64s, Float64s]:
        from scipy.optimize import linprog

        self.solved += 1
        solved = linprog(
            -gain,
            A_ub=-ahead.T,
            b_ub=np.zeros(ahead.shape[1]),
            A_eq=np.ones((1, gain.size)),
            b_eq=[1.0],
            method="highs",
        )
        if solved.status != 0 or solved.x is None or solved.fun is None:
            return 0.0, np.zeros(gain.size), np.zeros(ahead.shape[1])
        return float(-solved.fun), solved.x, -np.asarray(solved.ineqlin.marginals)
