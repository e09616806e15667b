"""Exchanges of neighbours: what they gain tells the target of a metric, or that it has none.

Let d be what item 0 directly above item 1 gains over the two exchanged, as a vector over the feedback; there
is one such d for every arrangement of the other items round the two. A target u that treats all items alike
exists **if and only if** (1) all d that are not 0 are positive multiples of one vector D_01, and (2) its
renamed copies add up, D_01 + D_12 = D_02. Then u_i = (1/n) sum_j D_ij, since u_i - u_j = D_ij.

*If* is bubble sort (`rankproof.theory.existence.checks`). *Only if*: let r be a ranking, r' the same with
places k and k + 1 exchanged, and u a target with the symmetry of the metric. Whenever E_p[u] is sorted by r,
r is best; by Farkas' lemma, value(r) - value(r') = sum_m lambda_m (u_(r_m) - u_(r_(m+1))) + w with lambda, w
>= 0. Summed over all renamings of a feedback both differences vanish, so w = 0. The same holds with r and r'
exchanged; add the two: a combination of the u_i that vanishes for every feedback. The combinations that
vanish are the same for all namings of the items, and of those with coefficient sum 0 that is none or all; all
means that no exchange gains anything. So the coefficients cancel, which leaves lambda_m = 0 for m other than
k.

A target without the symmetry gives one with it, its mean over all renamings, when the rankings with the same
values on all feedback as 0, 1, 2, ... are just those that keep some partial order of the items, as with
metrics that look at the first k places (`rankproof.theory.existence.symmetry.keeps_an_order`; the proof is in
`rankproof.theory.existence.contradiction`). Then a clash of exchanges proves that there is no target at all.
Metrics beyond that are strange. One that asks only whether a ranking of three items is an even permutation of
the best one has a target that treats items differently, u = (d, 0, -M) with d what even gains over odd and M
large, and none that does not.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from math import gcd, lcm

from rankproof.errors import PrecisionError
from rankproof.theory.base.proofs import Clash, Rows
from rankproof.theory.base.rounding import ROUNDED, sign_of
from rankproof.theory.base.values import Ranking, ValueTable
from rankproof.theory.existence.symmetry import exchanged

__all__ = ["exchange_target"]

# Targets with whole numbers above this are not nicer than fractions.
LARGEST_WHOLE = 10_000
Vector = list[Fraction]


def exchange_target(table: ValueTable) -> Rows | Clash | None:
    """The rows of the target, or what clashes; None when no exchange ever gains anything.

    Decided at both precisions of irrational values, and refused when they differ.
    """
    outcome = _decide(table)
    if table.shadow is not None and _outcome(_decide(table.shadow)) != _outcome(outcome):
        raise PrecisionError(
            f"Whether {table.metric} has a target depends on digits beyond those computed: two precisions of "
            "its irrational values give different answers."
        )
    return outcome


def _outcome(target: Rows | Clash | None) -> str:
    return "trivial" if target is None else target.kind if isinstance(target, Clash) else "target"


def _decide(table: ValueTable) -> Rows | Clash | None:
    contexts = _contexts(table)
    nonzero = [(r, d) for r, d in contexts if any(sign_of(table, value) for value in d)]
    if not nonzero:
        return None
    # Measured against the largest gains, multiples of others do not magnify what was rounded.
    ranking, most = max(nonzero, key=lambda context: max(map(abs, context[1])))
    # Exchanged feedback has the gains turned, so the largest gain is also the largest in size.
    peak = max(range(len(most)), key=lambda y: most[y])
    for other, d in nonzero:
        scale = d[peak] / most[peak]
        apart = [y for y, value in enumerate(d) if sign_of(table, value - scale * most[y])]
        if not apart and scale > 0:
            continue
        where = [peak, *sorted(apart, key=lambda y: -max(most[y], d[y]))[:1]]
        return Clash(
            "ratio",
            (ranking, other),
            tuple(table.space.feedback[y] for y in where),
            tuple(tuple(vector[y] for y in where) for vector in (most, d)),
        )
    n = table.space.items
    ahead = {(i, j): _renamed(table, most, i, j) for i in range(n) for j in range(n) if i != j}
    clash = _sum_clash(table, ranking, ahead)
    if clash is not None:
        return clash
    rows = [
        [sum((ahead[i, j][y] for j in range(n) if j != i), Fraction(0)) / n for i in range(n)]
        for y in range(len(table.space))
    ]
    return _tidy(rows, ROUNDED * table.slack / most[peak])


def _contexts(table: ValueTable) -> list[tuple[Ranking, Vector]]:
    """Every ranking with item 0 directly above item 1, and what that order gains."""
    rows = dict(zip(table.rankings, table.values, strict=True))
    contexts = []
    for ranking, row in rows.items():
        k = ranking.index(0)
        if k + 1 < len(ranking) and ranking[k + 1] == 1:
            other = rows[exchanged(ranking, k)]
            contexts.append((ranking, [a - b for a, b in zip(row, other, strict=True)]))
    return contexts


def _renamed(table: ValueTable, gains: Vector, i: int, j: int) -> Vector:
    """The gains of item i above item j, from those of item 0 above item 1."""
    renamed = [Fraction(0)] * len(gains)
    for gain, there in zip(gains, table.space.relabelled(_order(table.space.items, i, j)), strict=True):
        renamed[there] = gain
    return renamed


def _order(n: int, i: int, j: int) -> tuple[int, ...]:
    """The renaming that makes item 0 item i and item 1 item j."""
    rest = iter(range(2, n))
    return tuple(0 if k == i else 1 if k == j else next(rest) for k in range(n))


def _sum_clash(table: ValueTable, ranking: Ranking, ahead: dict[tuple[int, int], Vector]) -> Clash | None:
    if table.space.items < 3:
        return None
    pairs = ((0, 1), (1, 2), (0, 2))
    gains = [tuple(ahead[pair][y] for pair in pairs) for y in range(len(table.space))]
    apart = [y for y, (first, second, both) in enumerate(gains) if sign_of(table, first + second - both)]
    if not apart:
        return None
    most = max(apart, key=lambda y: sum(gains[y]))
    renamed = []
    for i, j in pairs:
        order = _order(len(ranking), i, j)
        renamed.append(tuple(order.index(item) for item in ranking))
    return Clash("sum", tuple(renamed), (table.space.feedback[most],), tuple((gain,) for gain in gains[most]))


def _tidy(rows: list[Vector], tolerance: Fraction) -> Rows:
    """From 0 up for every feedback, in whole numbers where small ones do; else with largest number 1."""
    raised = [[value - min(row) for value in row] for row in rows]
    largest = max(max(row) for row in raised)
    scaled = [[value / largest for value in row] for row in raised]
    simple = [[value.limit_denominator(LARGEST_WHOLE) for value in row] for row in scaled]
    pairs = zip(chain(*scaled), chain(*simple), strict=True)
    if all(abs(value - near) <= tolerance for value, near in pairs):
        step = Fraction(
            gcd(*(value.numerator for value in chain(*simple))),
            lcm(*(value.denominator for value in chain(*simple))),
        )
        if 1 / step <= LARGEST_WHOLE:
            scaled = [[value / step for value in row] for row in simple]
    return tuple(map(tuple, scaled))
