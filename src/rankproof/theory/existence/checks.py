"""Checks of proofs on the existence of a target: fractions alone, and nothing of the code that found them.

Each check gives None when the proof holds on the value table, else what is wrong with it.

**Targets** (`check_target`). For every ranking and every two neighbours in it, i above j, the gain of that
order over the exchanged one is, as a vector over the feedback, lambda (u_i - u_j) with lambda >= 0. Then
bubble sort proves that u is a target: from any ranking, exchanges of neighbours that stand against E[u] lead
to any ranking that sorts E[u], and no exchange loses.

**Clashes** (`check_clash`). A target that treats all items alike makes the gain of i directly above j, at
ranks k and k + 1, lambda_k (u_i - u_j) with lambda_k >= 0 (`rankproof.theory.existence.exchanges`). Gains
that are no multiples >= 0 of one vector, or that do not add up from 0 above 1 and 1 above 2 to 0 above 2,
exclude it. Where rankings with the same values are all that keep some order, no other target exists either;
nor where the only ranking with the same values is the one turned round
(`rankproof.theory.existence.symmetry`).

**Contradictions** (`check_contradiction`). Say u is a target, and under a law p every best ranking has item i
above item j. Then E_p[u_i] > E_p[u_j], or else some ranking that sorts E_p[u] were not best. The metric
treats all items alike, so the same holds for p with the items renamed, in every way. Sum these inequalities
over all renamings and over the laws, with their weights: the left side is a sum of terms u_k(y), in which
pairs (k, y) that are renamings of each other have the same coefficient. When these coefficients are all 0, it
says 0 > 0, so there is no target.

**Splits** (`check_split`, C12 Theorem 3). The best rankings under a law order items i and j both ways, and no
scores with s_i = s_j are sorted by best rankings alone. Ties of other items only add rankings, so that is: no
best ranking with i and j next to each other stays best when these two are exchanged. No convex loss is then
consistent with the metric. C12 assumes (A), for its Lemma 7: every ranking is the only best one under some
law. That holds whenever no two rankings have the same values (`rankproof.theory.existence.symmetry`), which
is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, pairwise

from rankproof.errors import PrecisionError
from rankproof.feedback import Law
from rankproof.feedback.spaces import Space
from rankproof.theory.base.proofs import AssumptionA, Clash, Contradiction, Rows, SplitLaw, TargetTable
from rankproof.theory.base.risk import best_rankings, expected_values
from rankproof.theory.base.rounding import ROUNDED, fine_beside, sign_of, sure_of, too_coarse
from rankproof.theory.base.values import Ranking, ValueTable
from rankproof.theory.existence.symmetry import (
    check_symmetry,
    exchanged,
    keeps_an_order,
    orbits,
    rounded,
    same_values,
    turned_alone,
)

__all__ = [
    "assumption_of",
    "can_tie",
    "check_clash",
    "check_contradiction",
    "check_split",
    "check_target",
    "masses_of",
]


def check_target(table: ValueTable, target: TargetTable) -> str | None:
    """Whether every exchange of neighbours gains a multiple >= 0 of u_i - u_j."""
    if target.space != table.space:
        return "the target is on another feedback space than the values"
    values = rounded(table)
    if values.shadow is not None and target.shadow is None:
        return "the values are irrational, and the target is given at one precision only"
    coarse = too_coarse(values)
    if coarse is not None:
        return coarse
    try:
        wrong = _wrong_exchange(values, target.rows)
        if wrong is None and values.shadow is not None and target.shadow is not None:
            wrong = _wrong_exchange(values.shadow, target.shadow)
    except PrecisionError as error:
        return str(error)
    return wrong


def _wrong_exchange(table: ValueTable, u: Rows) -> str | None:
    n, places = table.space.items, range(len(table.space))
    if len(u) != len(places) or any(len(row) != n for row in u):
        return f"the target must have {n} numbers for each of the {len(places)} feedbacks"
    rows = dict(zip(table.rankings, table.values, strict=True))
    for ranking, row in rows.items():
        for k in range(n - 1):
            i, j = ranking[k], ranking[k + 1]
            if i > j:
                continue
            other = rows[exchanged(ranking, k)]
            gain = [row[y] - other[y] for y in places]
            ahead = [u[y][i] - u[y][j] for y in places]
            most = max(map(abs, gain))
            if most > ROUNDED * table.slack and not fine_beside(table, most):
                return (
                    f"in the ranking {ranking} item {i} above item {j} gains {float(most):.3g} at most, and "
                    "the floats have too few digits to tell what that is a multiple of"
                )
            largest = max(places, key=lambda y: abs(ahead[y]))
            scale = gain[largest] / ahead[largest] if ahead[largest] else Fraction(0)
            apart = any(sign_of(table, gain[y] - scale * ahead[y]) for y in places)
            if apart or sign_of(table, scale * abs(ahead[largest])) < 0:
                return (
                    f"in the ranking {ranking} the gain of item {i} above item {j} is not a multiple >= 0 of "
                    f"u_{i} - u_{j}"
                )
    return None


def check_clash(table: ValueTable, clash: Clash) -> str | None:
    """Whether the gains are as said and fit no target that treats items alike, and no other can exist."""
    values = rounded(table)
    try:
        wrong = check_symmetry(values) or _wrong_clash(values, clash)
        if wrong is None and values.shadow is not None:
            wrong = _wrong_clash(values.shadow, clash, stated=False)
        alike = same_values(values)
        if wrong is None and not (keeps_an_order(alike, values.rankings) or turned_alone(alike)):
            wrong = "a target that treats items differently is not excluded"
    except PrecisionError as error:
        return str(error)
    return wrong


def _wrong_clash(table: ValueTable, clash: Clash, *, stated: bool = True) -> str | None:
    pairs = {"ratio": ((0, 1), (0, 1)), "sum": ((0, 1), (1, 2), (0, 2))}.get(clash.kind, ())
    if not pairs or len(clash.rankings) != len(pairs) or not set(clash.rankings) <= set(table.rankings):
        return "the rankings of the clash are not as its kind asks for"
    if not set(clash.feedback) <= set(table.space.feedback):
        return "the feedback of the clash is not in the feedback space of the values"
    starts = [ranking.index(i) for ranking, (i, _) in zip(clash.rankings, pairs, strict=True)]
    gains = []
    for ranking, k, (_, j) in zip(clash.rankings, starts, pairs, strict=True):
        if ranking[k + 1 : k + 2] != (j,):
            return f"the ranking {ranking} does not have the two items next to each other"
        row, other = table.row(ranking), table.row(exchanged(ranking, k))
        places = [table.space.index(y) for y in clash.feedback]
        gains.append([row[y] - other[y] for y in places])
    if stated and any(sign_of(table, a - b) for a, b in zip(chain(*gains), chain(*clash.gains), strict=True)):
        return "the gains of the clash are not those of the values"
    if clash.kind == "sum":
        if len(set(starts)) != 1 or len(clash.feedback) != 1:
            return "the exchanges must be at the same ranks and for one feedback"
        adds_up = not sign_of(table, gains[0][0] + gains[1][0] - gains[2][0])
    elif len(clash.feedback) == 1:
        adds_up = sign_of(table, gains[0][0]) * sign_of(table, gains[1][0]) >= 0
    else:
        first, second = gains
        peak = max(range(len(first)), key=lambda y: abs(first[y]))
        scale = second[peak] / first[peak] if first[peak] else Fraction(0)
        adds_up = not first[peak] or not any(
            sign_of(table, b - scale * a) for a, b in zip(first, second, strict=True)
        )
    return "the gains of the clash fit together" if adds_up else None


def check_contradiction(table: ValueTable, contradiction: Contradiction) -> str | None:
    """Whether every law forces its order, and the differences of u that it forces cancel."""
    if not contradiction.parts:
        return "a contradiction needs a law"
    values = rounded(table)
    wrong = check_symmetry(values)
    if wrong is not None:
        return wrong
    total: dict[int, Fraction] = {}
    orbit = orbits(values.space)
    for number, part in enumerate(contradiction.parts, start=1):
        name = f"law {number}"
        masses = masses_of(values.space, part.law)
        if masses is None:
            return f"{name} is not a law on the feedback space of the values"
        items = range(values.space.items)
        if part.weight <= 0 or part.above == part.below or not {part.above, part.below} <= set(items):
            return f"{name} needs a weight > 0 and two items"
        try:
            best = best_rankings(values, masses)
            means = expected_values(values, masses)
            for ranking, mean in zip(values.rankings, means, strict=True):
                if ranking.index(part.above) > ranking.index(part.below):
                    sure_of(values, mean - max(means))
        except PrecisionError as error:
            return str(error)
        if any(ranking.index(part.above) > ranking.index(part.below) for ranking in best):
            return f"under {name} not every best ranking has item {part.above} above item {part.below}"
        for y, mass in enumerate(masses):
            for item, sign in ((part.above, 1), (part.below, -1)):
                key = orbit[y][item]
                total[key] = total.get(key, Fraction(0)) + sign * part.weight * mass
    return "the differences of u do not cancel" if any(total.values()) else None


def check_split(table: ValueTable, split: SplitLaw) -> str | None:
    """Whether the best rankings under the law are as said, order the pair both ways, and never tie it."""
    values = rounded(table)
    masses = masses_of(values.space, split.law)
    if masses is None:
        return "the law is not on the feedback space of the values"
    i, j = split.pair
    if i == j or not {i, j} <= set(range(values.space.items)):
        return f"the pair must be two items, got {split.pair}"
    try:
        best = best_rankings(values, masses, surely=True)
        wrong = check_symmetry(values)
        alike = same_values(values)
    except PrecisionError as error:
        return str(error)
    if set(best) != set(split.best):
        return f"the best rankings under the law are {best}, not {split.best}"
    if not {split.first, split.second} <= set(best):
        return "the two rankings are not among the best ones"
    if split.first.index(i) > split.first.index(j) or split.second.index(i) < split.second.index(j):
        return f"the first ranking must have item {i} above item {j}, the second item {j} above item {i}"
    if can_tie(best, i, j):
        return f"scores that tie items {i} and {j} can be sorted by best rankings alone"
    if len(alike) > 1:
        return f"the rankings {alike[0]} and {alike[1]} have the same values on all feedback"
    return wrong


def can_tie(best: Sequence[Ranking], i: int, j: int) -> bool:
    """Whether some scores with s_i = s_j are sorted by rankings of ``best`` alone.

    >>> can_tie([(0, 1, 2), (1, 0, 2)], 0, 1), can_tie([(0, 2, 1), (1, 2, 0)], 0, 1)
    (True, False)
    """
    every = set(best)
    return any(
        {ranking[k], ranking[k + 1]} == {i, j} and exchanged(ranking, k) in every
        for ranking in every
        for k in range(len(ranking) - 1)
    )


def assumption_of(table: ValueTable) -> AssumptionA:
    """Assumption (A) of C12: for each item a feedback where the value falls strictly with its rank alone."""
    values = rounded(table)
    n = values.space.items
    for place in range(len(values.space)):
        betas = _betas(values, place, 0)
        if betas is None or (values.shadow is not None and _betas(values.shadow, place, 0) is None):
            continue
        feedback = [values.space.feedback[place]]
        for item in range(1, n):
            feedback += [
                y
                for other, y in enumerate(values.space.feedback)
                if (same := _betas(values, other, item)) is not None
                and not any(sign_of(values, a - b) for a, b in zip(same, betas, strict=True))
            ][:1]
        if len(feedback) == n:
            return AssumptionA(holds=True, betas=tuple(betas), feedback=tuple(feedback))
    return AssumptionA(holds=False)


def _betas(table: ValueTable, place: int, item: int) -> list[Fraction] | None:
    """The value by the rank of the item, when that is all it depends on and it falls strictly."""
    by_rank: dict[int, Fraction] = {}
    for ranking, row in zip(table.rankings, table.values, strict=True):
        first = by_rank.setdefault(ranking.index(item), row[place])
        if sign_of(table, row[place] - first):
            return None
    betas = [by_rank[rank] for rank in range(table.space.items)]
    falls = all(sign_of(table, a - b) > 0 for a, b in pairwise(betas))
    return betas if falls else None


def masses_of(space: Space, law: Law) -> list[Fraction] | None:
    """The probabilities in the order of the space; None when the law has feedback outside it."""
    if (law.kind, law.items) != (space.kind, space.items):
        return None
    masses = [law[y] for y in space.feedback]
    return masses if sum(masses) == 1 else None
