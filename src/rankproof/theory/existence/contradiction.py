"""Laws that no target can serve together, found by linear programs.

Let P be the laws under which every best ranking has item 0 above item 1. A target u makes E[u_0 - u_1] > 0 on
P, and so does its mean over all renamings of the items. A law matters to that mean only through A p, the
masses of the pairs (item, feedback) up to renaming, those of item 0 less those of item 1. P is a union of
open convex cones C_r, one for each ranking r with item 0 above item 1: r is better than every ranking that
has item 1 above item 0. So either masses p_r in some of the C_r have sum_r A p_r = 0, which is a
contradiction (`rankproof.theory.existence.checks.check_contradiction`), or the open convex cone of all sums
of A p_r lies on one side of a plane: some u treats all items alike and has E[u_0 - u_1] > 0 on all of P.

**Complete.** Off a set of laws without volume the best rankings under a law are all r of one value vector.
Where each such set is all the rankings that agree with some partial order, that u is a target: a ranking that
sorts E[u] agrees with the order, since u has it right for every pair on which the best rankings agree. Then
there is a contradiction if and only if the exchanges of `rankproof.theory.existence.exchanges` clash.

Renamings of items 2, 3, ... keep P, so one r for each two places of items 0 and 1 will do.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np

from rankproof.arrays import Float64s
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import Space
from rankproof.theory.base.proofs import Contradiction, ForcedOrder
from rankproof.theory.base.values import ValueTable
from rankproof.theory.existence.checks import check_contradiction
from rankproof.theory.existence.programs import Widest, widest
from rankproof.theory.existence.symmetry import orbits, rounded

__all__ = ["find_contradiction"]

# Margins, relative to the largest difference of values, that HiGHS can tell from 0.
LEAST_MARGIN = 1e-7
# A margin that no rounding makes.
PLAIN_MARGIN = 1e-5
# A law is made simpler as long as that leaves this share of the margin.
KEPT_MARGIN = 0.05
SCALES = (*range(2, 60), *range(60, 200, 5), 300, 500, 1_000, 3_000, 10_000, 100_000, 1_000_000)


def find_contradiction(table: ValueTable) -> Contradiction | None:
    """Few laws with few feedbacks and small fractions that contradict each other; None when none were found.

    >>> from rankproof.feedback.spaces import graded_space
    >>> from rankproof.theory.base.values import value_table
    >>> from rankproof.theory.base.wording import law_words
    >>> for part in find_contradiction(value_table("RR", graded_space(3, 2))).parts:
    ...     print(f"weight {part.weight}: item 0 above item 1 under {law_words(part.law)}")
    weight 1/2: item 0 above item 1 under 1/2 101 + 1/3 010 + 1/6 110
    weight 1/2: item 0 above item 1 under 1/2 011 + 1/3 100 + 1/6 001
    """
    search = _Search(rounded(table))
    smallest = next(filter(None, map(search.smallest, _simple_first(table.space))), None)
    if smallest is None:
        return None
    used, best = search.simplified(*smallest)
    for masses in _whole(best.masses, search.cancel(used)):
        if min(float((search.gains[r] @ own).min()) for r, own in zip(used, masses, strict=True)) <= 0:
            continue
        proof = _as_proof(search.table, masses)
        if check_contradiction(search.table, proof) is None:
            return proof
    return None


class _Search:
    """The cones C_r as arrays, and the programs over some of them."""

    def __init__(self, table: ValueTable) -> None:
        self.table = table
        n = table.space.items
        values = np.array([[float(value) for value in row] for row in table.values])
        span = float(np.abs(values - values[0]).max()) or 1.0
        place = {ranking: number for number, ranking in enumerate(table.rankings)}
        against = values[[k for r, k in place.items() if r.index(1) < r.index(0)]]
        self.gains: list[Float64s] = []
        self.own: list[Float64s] = []
        for first, second in combinations(range(n), 2):
            rest = iter(range(2, n))
            ranking = tuple(0 if k == first else 1 if k == second else next(rest) for k in range(n))
            self.gains.append(np.unique((values[place[ranking]] - against) / span, axis=0))
            self.own.append(values[place[ranking]])
        self.signs, inverse = _cancelling(table.space)
        self.positive, self.negative = self.signs > 0, self.signs < 0
        self.even = [
            bool((np.abs(block - block @ inverse @ self.signs).max(axis=1) < LEAST_MARGIN / 10).any())
            for block in self.gains
        ]

    def cancel(self, used: tuple[int, ...]) -> Float64s:
        """sum_r A p_r as a matrix."""
        return np.tile(self.signs, len(used))

    def solve(self, used: tuple[int, ...], allowed: np.ndarray) -> Widest | None:
        """The masses of the widest margin, when it is one; ``allowed`` says where, per cone or for all."""
        mask = np.broadcast_to(allowed, (len(used), len(self.table.space)))
        if self.hopeless(used, mask):
            return None
        solution = widest([self.gains[r] for r in used], self.cancel(used), mask)
        return solution if solution is not None and solution.margin > LEAST_MARGIN else None

    def hopeless(self, used: tuple[int, ...], allowed: np.ndarray) -> bool:
        """Whether it is plain without a program that no masses cancel with a margin above 0.

        Where all masses of an equation that may differ from 0 have the same sign, they are 0. A cone whose
        masses are all 0, or give nothing against some ranking, has no margin. Nor has one alone where what
        it gains over some ranking is a combination of the equations.
        """
        if len(used) == 1 and self.even[used[0]]:
            return True
        left, more_to_do = allowed, True
        while more_to_do:
            counted = left.any(axis=0)
            more = (self.positive & counted).any(axis=1)
            less = (self.negative & counted).any(axis=1)
            zero = counted & (self.signs[more != less] != 0).any(axis=0)
            left, more_to_do = left & ~zero, bool(zero.any())
        return any(
            not own.any() or bool((self.gains[r][:, own].max(axis=1) <= 0).any())
            for r, own in zip(used, left, strict=True)
        )

    def own_margin(self, r: int, allowed: np.ndarray) -> float:
        """The margin under the law in proportion to the values of the ranking (less the least of them).

        Where all renamings of the feedback are allowed, that ranking is best under it: see
        `rankproof.theory.existence.symmetry`. No program is needed then to know that there is such a law.
        """
        masses = np.where(allowed, self.own[r] - self.own[r][allowed].min(), 0.0)
        total = float(masses.sum())
        return float((self.gains[r] @ masses).min()) / total if total > 0 else 0.0

    def smallest(self, allowed: np.ndarray) -> tuple[tuple[int, ...], Widest] | None:
        """Few cones whose masses can cancel: two if two will do, else a set that cannot spare one."""
        alone = np.zeros((0, allowed.size))
        every = []
        for r, block in enumerate(self.gains):
            if self.own_margin(r, allowed) > PLAIN_MARGIN:
                every.append(r)
                continue
            law = widest([block], alone, allowed[None, :])
            if law is not None and law.margin > LEAST_MARGIN:
                every.append(r)
        used = tuple(every)
        solution = self.solve(used, allowed) if used else None
        if solution is None:
            return None
        for size in (1, 2):
            fits = [(some, self.solve(some, allowed)) for some in combinations(used, size)]
            good = [(some, fit) for some, fit in fits if fit is not None]
            if good:
                return max(good, key=lambda pair: pair[1].margin)
        for r in every:
            fewer = tuple(k for k in used if k != r)
            fit = self.solve(fewer, allowed)
            if fit is not None:
                used, solution = fewer, fit
        return used, solution

    def simplified(self, used: tuple[int, ...], solution: Widest) -> tuple[tuple[int, ...], Widest]:
        """Feedback is left out, the rarest first, as long as a good part of the margin stays."""
        least = max(KEPT_MARGIN * solution.margin, LEAST_MARGIN)
        allowed = solution.masses > LEAST_MARGIN
        solution = self.solve(used, allowed) or solution
        for flat in np.argsort(np.where(allowed, solution.masses, np.inf), axis=None)[: int(allowed.sum())]:
            fewer = allowed.copy()
            fewer.ravel()[flat] = False
            fit = self.solve(used, fewer)
            if fit is not None and fit.margin > least:
                allowed, solution = fewer & (fit.masses > LEAST_MARGIN), fit
        return used, solution


@lru_cache(maxsize=16)
def _cancelling(space: Space) -> tuple[Float64s, Float64s]:
    """The matrix A, and its pseudo-inverse, which says what is a combination of its rows."""
    number = orbits(space)
    rows = {key: row for row, key in enumerate(sorted({key for line in number for key in line}))}
    signs = np.zeros((len(rows), len(space)))
    for y, line in enumerate(number):
        signs[rows[line[0]], y] += 1
        signs[rows[line[1]], y] -= 1
    signs = signs[np.abs(signs).any(axis=1)]
    return signs, np.asarray(np.linalg.pinv(signs), dtype=np.float64)


def _simple_first(space: Space) -> Iterator[np.ndarray]:
    """Which feedback to look at: labels of two grades, of three, ...; then all."""
    labels = [y for y in space.feedback if isinstance(y, Graded)]
    grades = sorted({grade for y in labels for grade in y})
    for count in range(2, len(grades)):
        # Labels without the lowest grade are rarely simpler.
        for some in combinations(grades[1:], count - 1):
            yield np.array([set(y) <= {grades[0], *some} for y in labels])
    yield np.ones(len(space), dtype=bool)


def _whole(masses: Float64s, cancel: Float64s) -> Iterator[np.ndarray]:
    """Whole-number masses near multiples of ``masses`` that cancel exactly, small numbers first."""
    support = np.flatnonzero(masses.ravel() > LEAST_MARGIN)
    bound, free, rule = _solved(cancel[:, support])
    point = masses.ravel()[support]
    for scale in SCALES:
        whole = np.zeros(support.size)
        whole[free] = np.rint(scale * point[free])
        whole[bound] = rule @ whole[free]
        if (whole > 0).all() and np.array_equal(whole, np.rint(whole)):
            full = np.zeros(masses.size)
            full[support] = whole
            yield full.reshape(masses.shape)


def _solved(equations: Float64s) -> tuple[list[int], list[int], Float64s]:
    """Bound and free unknowns of ``equations @ x == 0``, and what gives the bound from the free."""
    rows = [[Fraction(int(value)) for value in row] for row in equations]
    unknowns = equations.shape[1]
    bound: list[int] = []
    for column in range(unknowns):
        start = len(bound)
        pivot = next((k for k in range(start, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[start], rows[pivot] = rows[pivot], rows[start]
        rows[start] = [value / rows[start][column] for value in rows[start]]
        for k, row in enumerate(rows):
            if k != start and row[column]:
                rows[k] = [a - row[column] * b for a, b in zip(row, rows[start], strict=True)]
        bound.append(column)
    free = [column for column in range(unknowns) if column not in bound]
    rule = np.array([[-float(rows[k][column]) for column in free] for k in range(len(bound))])
    return bound, free, rule.reshape(len(bound), len(free))


def _as_proof(table: ValueTable, masses: np.ndarray) -> Contradiction:
    total = int(masses.sum())
    parts = []
    for own in masses:
        mass = int(own.sum())
        law = Law(
            (table.space.feedback[y], Fraction(int(own[y]), mass))
            for y in np.argsort(-own, kind="stable")
            if own[y]
        )
        parts.append(ForcedOrder(law, Fraction(mass, total)))
    return Contradiction(tuple(parts))
