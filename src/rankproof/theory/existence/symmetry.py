"""Symmetry: metrics treat all items alike, so what holds for one naming of the items holds for all.

Facts that follow, on a feedback space that contains all renamings of its feedback. Write v_r for the values
of ranking r as a vector over the feedback; renaming the items permutes its entries.

- All v_r have the same sum, and the same length. So (Cauchy-Schwarz) under the law in proportion to v_r plus
  a constant the best rankings are exactly those with the values of r. When no two rankings have the same
  values, every ranking is the only best one under some law: all that C12 uses of its assumption (A).
- Rankings with the same values arise from each other by moving places: r and r' have the same values if and
  only if r' is r with its places moved by one of a fixed set of moves, the same for all r.
- **Turned rankings.** Say three or more items, and the only ranking with the values of r is r turned round,
  for all r. Then no target u exists, with or without symmetry. Where r and its turn are the only best
  rankings, E[u] has no ties (an exchange of tied neighbours would be best too), so it sorts as one of the
  two, the same one throughout, for these laws form an open convex set: call it chosen. Across a wall between
  the laws of r and those of another ranking, E[u] passes through ties whose rankings are all best, so just
  two neighbours are tied: if r is chosen, the chosen ranking beyond the wall is r with two neighbours
  exchanged. Which exchanges of places k, k + 1 occur as walls is the same for all r, since items are treated
  alike. The walls connect all laws, so those exchanges, with the turn, make all n! moves; exchanges that
  leave out one k make at most (n-1)! of them, and twice that with the turn, so every k occurs. Then every
  ranking is chosen with r, and so is r turned round.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from rankproof.errors import ArgumentError
from rankproof.feedback.spaces import Space
from rankproof.theory.arithmetic.metric_fractions import PRECISIONS
from rankproof.theory.base.rounding import sign_of
from rankproof.theory.base.values import Ranking, ValueTable

__all__ = [
    "check_symmetry",
    "exchanged",
    "keeps_an_order",
    "orbits",
    "rounded",
    "same_values",
    "turned_alone",
]

# Operations that add up the last digit of an irrational value, generously.
LAST_DIGITS = 100


def rounded(table: ValueTable) -> ValueTable:
    """The table with irrational values known to be cut off: differences in the last digits count as none.

    Where a root or a logarithm is a multiple of another, their fractions are so only up to the last digit.
    """
    if table.shadow is None:
        return table
    pair = zip((table, table.shadow), PRECISIONS, strict=True)
    first, second = (replace(each, slack=max(each.slack, _last(each, digits))) for each, digits in pair)
    return replace(first, shadow=second)


def _last(table: ValueTable, digits: int) -> Fraction:
    largest: Fraction = max(abs(value) for row in table.values for value in row)
    return max(largest, Fraction(1)) * Fraction(LAST_DIGITS, 10**digits)


def check_symmetry(table: ValueTable) -> str | None:
    """Whether the values stay the same when items are renamed."""
    # Exchanges of neighbours generate all renamings.
    for k in range(table.space.items - 1):
        order = exchanged(tuple(range(table.space.items)), k)
        moved = _moved(table.space, order)
        rows = dict(zip(table.rankings, table.values, strict=True))
        for ranking, row in rows.items():
            there = rows[tuple(order[item] for item in ranking)]
            pairs = ((value, there[moved[y]]) for y, value in enumerate(row))
            if any(a != b and sign_of(table, a - b) for a, b in pairs):
                return f"the values change when items {k} and {k + 1} are renamed, in the ranking {ranking}"
    return None if table.shadow is None else check_symmetry(table.shadow)


@lru_cache(maxsize=16)
def orbits(space: Space) -> tuple[tuple[int, ...], ...]:
    """For every feedback y and item k a number: equal for pairs (k, y) that are renamings of each other."""
    n = space.items
    number = [[y * n + k for k in range(n)] for y in range(len(space))]
    moves = [(order := exchanged(tuple(range(n)), k), _moved(space, order)) for k in range(n - 1)]
    changed = True
    while changed:
        changed = False
        for order, moved in moves:
            for y, there in enumerate(moved):
                for k in range(n):
                    low = min(number[y][k], number[there][order[k]])
                    changed = changed or number[y][k] != low or number[there][order[k]] != low
                    number[y][k] = number[there][order[k]] = low
    return tuple(map(tuple, number))


def exchanged(ranking: Ranking, k: int) -> Ranking:
    """The ranking with its places k and k + 1, counted from 0, exchanged."""
    return (*ranking[:k], ranking[k + 1], ranking[k], *ranking[k + 2 :])


def same_values(table: ValueTable) -> list[Ranking]:
    """The rankings that have the same values on all feedback as 0, 1, 2, ..."""
    first = table.values[0]
    return [
        ranking
        for ranking, row in zip(table.rankings, table.values, strict=True)
        if not any(a != b and sign_of(table, a - b) for a, b in zip(first, row, strict=True))
    ]


def keeps_an_order(rankings: list[Ranking], every: tuple[Ranking, ...]) -> bool:
    """Whether ``rankings`` are all of ``every`` ranking on which some partial order of the items agrees.

    >>> every = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    >>> keeps_an_order([(0, 1, 2), (1, 0, 2)], every), keeps_an_order([(0, 1, 2), (2, 1, 0)], every)
    (True, False)
    """
    items = range(len(every[0]))
    agreed = [(i, j) for i in items for j in items if all(r.index(i) < r.index(j) for r in rankings)]
    keep = {r for r in every if all(r.index(i) < r.index(j) for i, j in agreed)}
    return keep == set(rankings)


def turned_alone(rankings: list[Ranking]) -> bool:
    """Whether ``rankings`` are 0, 1, 2, ... and that turned round, of three items or more; see above.

    >>> turned_alone([(0, 1, 2), (2, 1, 0)]), turned_alone([(0, 1, 2), (1, 0, 2)])
    (True, False)
    """
    first = tuple(sorted(rankings[0]))
    return len(first) >= 3 and set(rankings) == {first, first[::-1]}


def _moved(space: Space, order: Ranking) -> tuple[int, ...]:
    try:
        return space.relabelled(order)
    except KeyError:
        raise ArgumentError(
            f"Targets are decided on feedback spaces that stay the same when items are renamed, but {space} "
            "lacks some renamed feedback. Take all labels, or add what is missing."
        ) from None
