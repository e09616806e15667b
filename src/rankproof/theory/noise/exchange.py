"""Conditions that compare a label vector with the one in which two items have exchanged their labels.

Write y' for y with the labels of items i and j exchanged (L12 Def. 4: the *dual ratings*). A law is

- **rank-differentiable with (i, j)** (L12 Def. 5) when P(y) >= P(y') for all y with y_i > y_j, once strictly;
- **rank-differentiable** when of any two items one has P(y) >= P(y') for all y that grade it higher. Then the
  items fall into groups, from the best down; inside a group labels may be exchanged freely, and of items of
  different groups the law is rank-differentiable with (better, worse): the relation cannot be cyclic, since
  E[y_i] > E[y_j] along it, and items that are alike stand alike to all others;
- **RDPS** (L12 Def. 6) when the pairs with which it is rank-differentiable are those of a rating vector r*.
  That is weaker: r* may rate two items equal because the law favours neither *consistently*. L12's Theorem 5
  needs the condition above: p(0>1>2) = p(1>2>0) = p(2>0>1) = 1/3 is an RDPS by Def. 6 in which r* rates all
  items equal, pairwise losses score them all equal, yet the ranking 2, 1, 0 is not optimal;
- **order-preserving with (i, j)** (Xia et al. 2008, Def. 3, as in B11 Def. 5), for permutations, when P(y) >
  P(y'), or both are 0, for all y that rank i above j; and **order-preserving** when it is so with the n-1
  neighbours of one ranking of all items, which is then the most probable ranking.

A permutation is read as the grades n, ..., 2, 1.

>>> from rankproof import Law
>>> print(rdps(Law({(2, 1, 1): "1/2", (1, 2, 1): "1/4", (1, 1, 2): "1/4"})))
RDPS: yes, r* = (1, 0, 0), from the best: 0; 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from typing import Any, NamedTuple, TypeAlias

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Graded, Law, Permutation
from rankproof.plain import html_text, json_text
from rankproof.theory.noise.answer import Answer, Violation, check_kind

__all__ = [
    "Rdps",
    "differentiates",
    "dual",
    "is_order_preserving",
    "is_rank_differentiable",
    "preferred_pairs",
    "rdps",
]

Labels: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Rdps:
    """Whether a law is a rank-differentiable probability space (L12 Def. 6), and with which ratings.

    Attributes
    ----------
    ratings : tuple of ints, optional
        The member of [r*] with the smallest ratings, 0 for the worst items; None when there is no r*.
    groups : tuple of tuples of items, optional
        The class [r*] itself: items of equal rating, from the best group down.
    unordered : tuple of pairs
        Pairs that r* rates equal although the law is not the same with their labels exchanged: it favours
        one for some labels and the other for other labels. Where there are none, the law also is
        rank-differentiable in the sense of `is_rank_differentiable`, and L12's Theorem 5 holds.
    violation : Violation, optional
        A triple (i, j, k): rank-differentiable with (i, j) and with neither (i, k) nor (k, j), as no ratings
        are; and the labels that show it.
    """

    holds: bool
    why: str
    ratings: tuple[int, ...] | None = None
    groups: tuple[tuple[int, ...], ...] | None = None
    unordered: tuple[tuple[int, int], ...] = ()
    violation: Violation | None = None

    def __bool__(self) -> bool:
        return self.holds

    def members(self, levels: int) -> Iterator[tuple[int, ...]]:
        """All ratings in [r*] on the levels 0, ..., ``levels - 1`` (L12 Def. 3).

        >>> list(Rdps(holds=True, why="", ratings=(1, 0, 0)).members(3))
        [(1, 0, 0), (2, 0, 0), (2, 1, 1)]
        """
        if self.ratings is None:
            return
        least = as_whole_number("levels", levels, 1)
        for chosen in combinations(range(least), 1 + max(self.ratings)):
            yield tuple(chosen[rating] for rating in self.ratings)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "holds": self.holds,
            "why": self.why,
            "ratings": None if self.ratings is None else list(self.ratings),
            "groups": None if self.groups is None else [list(group) for group in self.groups],
            "unordered": [list(pair) for pair in self.unordered],
            "violation": None if self.violation is None else self.violation.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        return str(Answer("RDPS", self.holds, self.why, self.violation))

    def _repr_html_(self) -> str:
        return html_text(str(self))


class _Case(NamedTuple):
    """Labels y with y_i > y_j for the pair (i, j), p = P(y) and q = P(y with the two exchanged)."""

    pair: tuple[int, int]
    y: Labels
    p: Fraction
    q: Fraction


class _Exchange(NamedTuple):
    """The labels that most favour each of two items: p > q for the first, p < q for the second."""

    first: _Case | None
    second: _Case | None


def dual(y: Feedback, i: int, j: int) -> Feedback:
    """The feedback with the items i and j exchanged (L12 Def. 4).

    >>> dual(Graded((2, 0, 1)), 0, 2)
    Graded((1, 0, 2))
    """
    order = list(range(y.items))
    order[i], order[j] = j, i
    return y.relabel(order)


def preferred_pairs(ratings: Labels) -> frozenset[tuple[int, int]]:
    """The pairs (i, j) with a higher rating for i; ratings of the same pairs are equivalent (L12 Def. 3)."""
    items = range(len(ratings))
    return frozenset((i, j) for i in items for j in items if ratings[i] > ratings[j])


def differentiates(law: Law, i: int, j: int) -> Answer:
    """Whether the law is rank-differentiable with the pair (i, j) (L12 Def. 5)."""
    table = _grades(law, "rank-differentiable")
    if not (0 <= i < law.items and 0 <= j < law.items and i != j):
        raise ArgumentError(f"A pair is two different items of 0..{law.items - 1}, got ({i!r}, {j!r}).")
    name = f"rank-differentiable with ({i}, {j})"
    exchange = _exchange(table, i, j)
    if exchange.second is not None:
        why = f"{_shown(law, exchange.second)}, though these labels grade {i} above {j}."
        return Answer(name, holds=False, why=why, violation=_violation(law, exchange.second))
    if exchange.first is None:
        why = f"exchanging {i} and {j} changes no probability."
        return Answer(name, holds=False, why=why, violation=Violation((i, j), ()))
    shown = _shown(law, exchange.first)
    why = f"labels that grade {i} above {j} are never less likely than exchanged, and {shown}."
    return Answer(name, holds=True, why=why)


def is_rank_differentiable(law: Law) -> Answer:
    """Whether of any two items one has P(y) >= P(y with the two exchanged) for all y that grade it higher."""
    name = "rank-differentiable"
    table = _grades(law, name)
    for i, j in combinations(range(law.items), 2):
        exchange = _exchange(table, i, j)
        if exchange.first is not None and exchange.second is not None:
            why = (
                f"neither of the items {i} and {j} is always favoured: {_shown(law, exchange.first)}, "
                f"but {_shown(law, exchange.second)}."
            )
            return Answer(
                name, holds=False, why=why, violation=_violation(law, exchange.first, exchange.second)
            )
    return Answer(name, holds=True, why=f"from the best: {_listed(rdps(law).groups)}.")


def rdps(law: Law, levels: int | None = None) -> Rdps:
    """L12 Def. 6: the rating vector whose pairs are exactly those the law is rank-differentiable with.

    Parameters
    ----------
    levels : int, optional
        How many ratings there are; then r* must not need more (L12 takes r* from the ratings of the labels,
        so that by the letter a binary law has at most two groups). Without it any ratings will do.
    """
    table = _grades(law, "RDPS")
    items = range(law.items)
    exchanges = {(i, j): _exchange(table, i, j) for i, j in combinations(items, 2)}
    strict = {pair for pair, exchange in exchanges.items() if exchange.first and not exchange.second}
    strict |= {(j, i) for (i, j), exchange in exchanges.items() if exchange.second and not exchange.first}
    for i, j in sorted(strict):
        for k in items:
            if k not in (i, j) and (i, k) not in strict and (k, j) not in strict:
                return _no_ratings(law, exchanges, i, j, k)
    # How many items stand below an item is the same for items of one group, and grows from group to group.
    below = [sum((i, j) in strict for j in items) for i in items]
    grades = sorted(set(below))
    ratings = tuple(grades.index(count) for count in below)
    groups = tuple(tuple(i for i in items if ratings[i] == rating) for rating in reversed(range(len(grades))))
    unordered = tuple(pair for pair, exchange in exchanges.items() if exchange.first and exchange.second)
    why = f"r* = {ratings}, from the best: {_listed(groups)}."
    if unordered:
        many = " and ".join(map(str, unordered))
        why += f" It rates {many} equal though exchanging them changes the law."
    if levels is not None and len(grades) > as_whole_number("levels", levels, 1):
        why = f"{why} That takes {len(grades)} ratings, more than {levels}."
        return Rdps(holds=False, why=why, violation=Violation(tuple(group[0] for group in groups), ()))
    return Rdps(holds=True, why=why, ratings=ratings, groups=groups, unordered=unordered)


def is_order_preserving(law: Law, *, every_pair: bool = False, strict: bool = False) -> Answer:
    """Whether a law of permutations is order-preserving with the neighbours of its most probable ranking.

    Parameters
    ----------
    every_pair : bool
        Ask it of every pair of that ranking. That is more: with three items, of which the first two and the
        last two are such pairs, nothing follows for the first and the last when the other is on top.
    strict : bool
        Ask for P(y) > P(y') also where both are 0.
    """
    name = "order-preserving"
    check_kind(name, law, (Permutation.kind,))
    table = _grades(law, name)
    best = max(table, key=lambda y: table[y])
    order = sorted(range(law.items), key=lambda item: -best[item])
    pairs = combinations(order, 2) if every_pair else pairwise(order)
    for i, j in pairs:
        case = _not_preserved(table, i, j, strict=strict)
        if case is not None:
            why = f"{_shown(law, case)}, though the most probable ranking has {i} above {j}."
            return Answer(name, holds=False, why=why, violation=_violation(law, case))
    kind = "any two items" if every_pair else "neighbours"
    why = f"exchanging {kind} of {' > '.join(map(str, order))} makes a ranking that has them so less likely."
    return Answer(name, holds=True, why=why)


def _not_preserved(table: dict[Labels, Fraction], i: int, j: int, *, strict: bool) -> _Case | None:
    """Labels with i above j that are not more likely than exchanged; none when both are 0, unless strict."""
    for y, p in table.items():
        if y[i] < y[j] and p >= table.get(_swapped(y, i, j), 0):
            return _Case((i, j), _swapped(y, i, j), table.get(_swapped(y, i, j), Fraction(0)), p)
    if strict:
        every = permutations(range(len(next(iter(table))), 0, -1))
        never = next((y for y in every if y[i] > y[j] and y not in table), None)
        return None if never is None else _Case((i, j), never, Fraction(0), Fraction(0))
    return None


def _grades(law: Law, name: str) -> dict[Labels, Fraction]:
    """The law as a table of grade vectors; a permutation is read as the grades n, ..., 2, 1."""
    check_kind(name, law, (Graded.kind, Permutation.kind))
    return {
        (y.grades() if isinstance(y, Permutation) else y).labels: p  # type: ignore[union-attr]
        for y, p in law.pairs()
    }


def _exchange(table: dict[Labels, Fraction], i: int, j: int) -> _Exchange:
    """What exchanging two items does to the probabilities, by the labels with the widest gap each way."""
    best: list[_Case | None] = [None, None]
    for y, p in table.items():
        if y[i] == y[j]:
            continue
        other = _swapped(y, i, j)
        q = table.get(other, Fraction(0))
        case = _Case((i, j), y, p, q) if y[i] > y[j] else _Case((i, j), other, q, p)
        side = 0 if case.p > case.q else 1
        before = best[side]
        if p != q and (before is None or abs(p - q) > abs(before.p - before.q)):
            best[side] = case
    return _Exchange(*best)


def _swapped(y: Labels, i: int, j: int) -> Labels:
    new = list(y)
    new[i], new[j] = y[j], y[i]
    return tuple(new)


def _no_ratings(law: Law, exchanges: dict[tuple[int, int], _Exchange], i: int, j: int, k: int) -> Rdps:
    why = (
        f"the law is rank-differentiable with ({i}, {j}) and with neither ({i}, {k}) nor ({k}, {j}), "
        f"but ratings with r*_{i} > r*_{j} have r*_{i} > r*_{k} or r*_{k} > r*_{j}."
    )
    pairs = [exchanges[min(pair), max(pair)] for pair in ((i, j), (i, k), (k, j))]
    cases = [case for exchange in pairs for case in exchange if case is not None]
    labels = dict(_violation(law, *cases).labels)
    return Rdps(holds=False, why=why, violation=Violation((i, j, k), tuple(labels.items())))


def _violation(law: Law, *cases: _Case) -> Violation:
    labels: list[tuple[Feedback, Fraction]] = []
    for case in cases:
        labels += [(_feedback(law, case.y), case.p), (_feedback(law, _swapped(case.y, *case.pair)), case.q)]
    return Violation(cases[0].pair, tuple(labels))


def _shown(law: Law, case: _Case) -> str:
    """``P(2, 0) = 1/3 > 1/6 = P(0, 2)``; a permutation is shown as the items, best first."""
    sign = ">" if case.p > case.q else "<" if case.p < case.q else "="
    left, right = (_feedback(law, y) for y in (case.y, _swapped(case.y, *case.pair)))
    return f"P{_written(left)} = {case.p} {sign} {case.q} = P{_written(right)}"


def _written(y: Feedback) -> str:
    if isinstance(y, Permutation):
        return f"({' > '.join(map(str, y.order))})"
    return f"({', '.join(map(str, y))})"  # type: ignore[arg-type]


def _feedback(law: Law, y: Labels) -> Feedback:
    return Permutation(law.items - grade + 1 for grade in y) if law.kind == Permutation.kind else Graded(y)


def _listed(groups: tuple[tuple[int, ...], ...] | None) -> str:
    return "; ".join(" and ".join(map(str, group)) for group in groups or ())
