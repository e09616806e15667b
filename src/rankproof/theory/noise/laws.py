"""Random laws that meet a condition on the noise, in exact fractions: for tests and for counterexamples.

Laws are drawn to be awkward: few labels or all of them, equal and nearly equal probabilities, items that are
alike, small denominators. Every law lies in its class by construction (low noise partly by trial, decided by
`rankproof.theory.noise`). A seed gives the same laws.

>>> print(sample("rank-differentiable", 2, 3, random.Random(7)))
probability  y(0)  y(1)
      20/43     0     2
      20/43     2     0
       1/43     1     2
       2/43     2     1
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, product
from itertools import permutations as arrangements
from typing import Any, TypeAlias

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Graded, Law, Permutation, PreferenceGraph
from rankproof.targets.base import as_condition
from rankproof.theory.noise import KINDS_OF, is_low_noise

__all__ = ["sample"]

Labels: TypeAlias = tuple[int, ...]

KINDS = (Graded.kind, PreferenceGraph.kind, Permutation.kind)
# Classes that are built label by label list all of them.
MOST_LABELS = 5_000
TRIES = 30


def sample(
    condition: str | None, items: int, grades: int, rng: random.Random, kind: str = Graded.kind
) -> Law:
    """A random law that meets the condition.

    Parameters
    ----------
    condition : str, optional
        A key of `rankproof.targets.base.CONDITIONS`; None for any law.
    items : int
    grades : int
        Labels are 0, ..., ``grades - 1``; only graded feedback has them.
    rng : random.Random
    kind : "graded", "preferences" or "permutation"
        Preference graphs have edges of weight 1.
    """
    n = as_whole_number("items", items, 1)
    scale = as_whole_number("grades", grades, 2)
    if not isinstance(rng, random.Random):
        raise ArgumentError(f"Argument rng must be a random.Random, got {rng!r}.")
    if kind not in KINDS:
        raise ArgumentError(f"Argument kind must be one of {', '.join(KINDS)}, got {kind!r}.")
    name = None if condition is None else as_condition(condition)
    if name is not None and kind not in KINDS_OF[name]:
        raise ArgumentError(
            f"The condition {name!r} is about feedback of kind {' or '.join(KINDS_OF[name])}, "
            f"got kind={kind!r}."
        )
    makers: dict[str | None, Callable[[], Law]] = {
        None: lambda: _any(n, scale, rng, kind),
        "independent": lambda: _independent(n, scale, rng),
        "one relevant": lambda: _one_relevant(n, scale, rng),
        "binary": lambda: _any(n, 2, rng, kind),
        "low noise": lambda: _low_noise(n, scale, rng, kind),
        "order-preserving": lambda: _order_preserving(n, rng),
        "rank-differentiable": lambda: _rank_differentiable(n, scale, rng, kind),
    }
    return makers[name]()


# Any law, independent, one relevant ------------------------------------------------------------------


def _any(n: int, grades: int, rng: random.Random, kind: str) -> Law:
    """A few labels, some, or many; one in four laws has two items that are exactly alike."""
    labels = [_random_feedback(n, grades, rng, kind) for _ in range(rng.choice((1, 2, 2, 3, 3, 4, 6, 12)))]
    support = list(dict.fromkeys(labels))
    table = dict(zip(support, _weights(len(support), rng), strict=True))
    if n > 1 and rng.random() < 0.25:
        i, j = rng.sample(range(n), 2)
        order = list(range(n))
        order[i], order[j] = j, i
        return _law([*table.items(), *((y.relabel(order), weight) for y, weight in table.items())])
    return _law(table.items())


def _random_feedback(n: int, grades: int, rng: random.Random, kind: str) -> Feedback:
    if kind == Graded.kind:
        return Graded(rng.randrange(grades) for _ in range(n))
    order = rng.sample(range(n), n)
    if kind == Permutation.kind:
        return Permutation.from_order(order)
    share = rng.choice((0.3, 0.7, 1.0))
    return PreferenceGraph([pair for pair in combinations(order, 2) if rng.random() < share], n)


def _weights(count: int, rng: random.Random) -> list[int]:
    """Whole-number weights: equal, nearly equal, small, or of very different size."""
    choices: tuple[int, ...] = rng.choice(((1,), (20, 20, 21), (1, 2, 3, 4, 5), (1, 2, 10, 50)))
    return [rng.choice(choices) for _ in range(count)]


def _law(weighted: Iterable[tuple[Feedback, int]]) -> Law:
    listed = list(weighted)
    mass = sum(weight for _, weight in listed)
    return Law([(y, Fraction(weight, mass)) for y, weight in listed])


def _independent(n: int, grades: int, rng: random.Random) -> Law:
    marginals: list[dict[int, Fraction]] = []
    for _ in range(n):
        if marginals and rng.random() < 0.3:
            marginals.append(rng.choice(marginals))
            continue
        chosen = rng.sample(range(grades), rng.choice((1, 2, 2, grades)))
        weights = _weights(len(chosen), rng)
        marginals.append({y: Fraction(w, sum(weights)) for y, w in zip(chosen, weights, strict=True)})
    return Law.product(marginals)  # type: ignore[arg-type]


def _one_relevant(n: int, grades: int, rng: random.Random) -> Law:
    every = [tuple(grade if k == i else 0 for k in range(n)) for i in range(n) for grade in range(1, grades)]
    chosen = rng.sample(every, rng.randint(1, len(every)))
    return _law(zip(map(Graded, chosen), _weights(len(chosen), rng), strict=True))


# Low noise -------------------------------------------------------------------------------------------


def _low_noise(n: int, grades: int, rng: random.Random, kind: str) -> Law:
    """Half of the laws by trial; the others from preferences that add up, and noise that cancels out."""
    for _ in range(TRIES if rng.random() < 0.5 else 0):
        law = _any(n, grades, rng, kind)
        if len(law) > 1 and is_low_noise(law):
            return law
    if kind == Graded.kind and grades == 2:
        # Two grades: E[a_ij - a_ji] = E[y_i] - E[y_j], which always adds up.
        return _any(n, grades, rng, kind)
    order = rng.sample(range(n), n)
    wanted = _adding_up(order, rng)
    parts: list[Feedback] = []
    if kind == PreferenceGraph.kind:
        parts += _packed(wanted, n, rng)
    else:
        parts += [y for pair, count in wanted.items() for _ in range(count) for y in _one(pair, n, rng, kind)]
    for _ in range(rng.choice((0, 1, 2)) if parts else 1):
        noise = _random_feedback(n, grades, rng, kind)
        parts += [noise, _reversed(noise, grades)] * rng.choice((1, 2))
    return _law((y, 1) for y in parts)


def _adding_up(order: Sequence[int], rng: random.Random) -> dict[tuple[int, int], int]:
    """Whole numbers d_ij for i before j, with d_ij >= d_ik + d_kj for k between them, often with equality."""
    n = len(order)
    d: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for start in range(n - length):
            inner = [d[start, k] + d[k, start + length] for k in range(start + 1, start + length)]
            d[start, start + length] = max(inner, default=0) + rng.choice((0, 0, 1, 2))
    return {(order[a], order[b]): count for (a, b), count in d.items()}


def _packed(wanted: dict[tuple[int, int], int], n: int, rng: random.Random) -> list[Feedback]:
    """Graphs that have every edge as often as wanted; edges that all follow one order make no cycle."""
    left = {edge: count for edge, count in wanted.items() if count}
    graphs: list[Feedback] = []
    while left:
        together = rng.sample(list(left), rng.randint(1, len(left)))
        graphs.append(PreferenceGraph(together, n))
        left = {edge: count - (edge in together) for edge, count in left.items()}
        left = {edge: count for edge, count in left.items() if count}
    return graphs


def _one(pair: tuple[int, int], n: int, rng: random.Random, kind: str) -> list[Feedback]:
    """Two feedbacks in which all preferences cancel out but that for the first item of the pair."""
    i, j = pair
    if kind == Permutation.kind:
        rest = [k for k in rng.sample(range(n), n) if k not in pair]
        cut = rng.randint(0, len(rest))
        above, below = rest[:cut], rest[cut:]
        orders = [*above, i, j, *below], [*below[::-1], i, j, *above[::-1]]
        return [Permutation.from_order(listed) for listed in orders]
    return [
        Graded(2 if k == i else 1 if k == j else 0 for k in range(n)),
        Graded(1 if k == i else 0 if k == j else 2 for k in range(n)),
    ]


def _reversed(y: Feedback, grades: int) -> Feedback:
    if isinstance(y, PreferenceGraph):
        return PreferenceGraph({(j, i): weight for i, j, weight in y.edges}, y.items)
    if isinstance(y, Permutation):
        return Permutation(y.items + 1 - rank for rank in y)
    return Graded(grades - 1 - grade for grade in y)


# Classes of laws that fall when two items are exchanged ------------------------------------------------


def _rank_differentiable(n: int, grades: int, rng: random.Random, kind: str) -> Law:
    """Ratings r* first; then P(y) grows, or stays, when labels are exchanged in favour of the better item.

    With one chance in three it is h(grades of y) * product of a_i^y_i instead, a_i larger for better items.
    Half of the sets of grades do not occur.
    """
    ratings = [rng.randrange(n) for _ in range(n)]
    _count(f"{n} items", math.factorial(n) if kind == Permutation.kind else grades**n)
    one = list(range(1, n + 1))
    every = list(arrangements(one)) if kind == Permutation.kind else list(product(range(grades), repeat=n))
    if rng.random() < 1 / 3:
        bases = rng.choice(((1, 2, 3), (20, 21, 22)))
        weights = {
            y: math.prod(bases[min(2, r)] ** label for r, label in zip(ratings, y, strict=True))
            for y in every
        }
    else:
        weights = _climbing(every, ratings, lambda: rng.choice((0, 0, 0, 1, 1, 2)))
    table: list[tuple[Labels, int]] = []
    for content in sorted({tuple(sorted(y)) for y in every}):
        same = {y: weight for y, weight in weights.items() if tuple(sorted(y)) == content and weight}
        if same and rng.random() < 0.5:
            factor, whole = rng.choice((1, 1, 2, 20)), math.gcd(*same.values())
            table += [(y, factor * weight // whole) for y, weight in same.items()]
    if not table:
        return _rank_differentiable(n, grades, rng, kind)
    feedback_of = Graded if kind == Graded.kind else lambda y: Permutation(n + 1 - grade for grade in y)
    return _law((feedback_of(y), weight) for y, weight in table)


def _climbing(every: Sequence[Labels], ratings: Sequence[int], step: Callable[[], int]) -> dict[Labels, int]:
    """Weights that never fall when labels are exchanged in favour of the item with the higher rating."""
    pairs = [(i, j) for i in range(len(ratings)) for j in range(len(ratings)) if ratings[i] > ratings[j]]
    groups = {rating: [i for i, r in enumerate(ratings) if r == rating] for rating in set(ratings)}
    levels: dict[Any, int] = {}

    def key(y: Labels) -> Any:
        # Labels that differ by an exchange inside a group must have the same weight.
        return tuple(tuple(sorted(y[i] for i in group)) for group in groups.values())

    for y in sorted(every, key=lambda y: sum(r * label for r, label in zip(ratings, y, strict=True))):
        if key(y) not in levels:
            below = [levels[key(_swapped(y, i, j))] for i, j in pairs if y[i] > y[j]]
            levels[key(y)] = max(below, default=0) + step()
    return {y: levels[key(y)] for y in every}


def _order_preserving(n: int, rng: random.Random) -> Law:
    """Exchanging neighbours of one ranking (half of the laws: any two items of it) makes labels less likely.

    With one chance in four it is Mallows' law: P falls by a factor with every pair in another order.
    """
    _count(f"{n} items", math.factorial(n))
    order = rng.sample(range(n), n)
    every = list(arrangements(range(1, n + 1)))
    pairs = list(combinations(order, 2))
    if rng.random() < 0.25:
        base = rng.choice((2, 3, 10))
        table = {y: base ** sum(y[i] > y[j] for i, j in pairs) for y in every}
    else:
        near = (
            pairs
            if rng.random() < 0.5
            else [(i, j) for i, j in pairs if order.index(j) == order.index(i) + 1]
        )
        wide = rng.choice(((1,), (1, 1, 2), (1, 5, 20)))
        never = rng.choice((0.0, 0.5, 0.9))
        table = {}
        for y in sorted(every, key=lambda y: -sum(place * y[item] for place, item in enumerate(order))):
            most = max((table[_swapped(y, i, j)] for i, j in near if y[i] > y[j]), default=0)
            table[y] = 0 if not most and rng.random() < never else most + rng.choice(wide)
        table[tuple(n - order.index(item) for item in range(n))] += not any(table.values())
    return _law((Permutation(n + 1 - grade for grade in y), weight) for y, weight in table.items())


def _swapped(y: Labels, i: int, j: int) -> Labels:
    new = list(y)
    new[i], new[j] = y[j], y[i]
    return tuple(new)


def _count(what: str, many: int) -> None:
    if many > MOST_LABELS:
        raise ArgumentError(
            f"With {what} there are {many} labels to list, more than {MOST_LABELS}. "
            "Take fewer items or fewer grades."
        )
