"""The smallest and the worst laws of the engines' objectives: by the mean field first, then by training.

    python research/engine_laws.py [--objective lightgbm:lambdarank] [--quick]

Tried are, up to the names of items: all laws of two label vectors with grades 0 to 3 on two and on three
items, and of three binary ones on three items, with probabilities in fractions of denominators up to 10; all
laws of three label vectors on two items, of denominators up to 6; and 20,000 random laws of three label
vectors on three items with probabilities in tenths. From the eighty that cost most the search goes on to laws
next to them (a label one grade higher or lower, a share moved), as long as it finds worse ones.

For each law the training of each objective is followed by its mean field (`engine_fields`) at the learning
rates of the table. Laws under which it ends, at all of them, at an order that loses at least 0.01 of the
metric are candidates. In the order of their size (items, label vectors, largest denominator, highest grade,
sum of grades), and in the order of what they lose, the candidates are trained on with the installed engine,
nine times as for the table; the first on which every run ends wrong and loses as much is the smallest law, or
the worst. Prints these, what is proven of them, and how many laws were tried.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from engine_fields import field_of
from rankproof.arrays import Float64s, Int64s
from rankproof.experiments.engines.demonstrate import RATES, demonstrate
from rankproof.experiments.engines.demonstration import Demonstration
from rankproof.experiments.engines.known_laws import KnownLaw
from rankproof.experiments.engines.stand import is_proven
from rankproof.feedback import Law
from rankproof.feedback.spaces import Space, graded_space
from rankproof.theory.base.values import value_table
from rankproof.theory.shipped.objective import EngineObjective, engine_objective

__all__ = ["QUESTIONS", "Candidates", "Found", "candidates", "confirmed", "laws_on"]

GRADES, DENOMINATOR, DRAWN = 4, 10, 20_000
# What a law must lose to be listed.
VISIBLE = 0.01
# Followed first, at the largest rate; a law that is sorted right then is sorted right.
FIRST, TREES = 120, 400
# Scores nearer than this may be tied in training, or change places.
TIED = 0.003
# Rows that are followed at once.
ROWS = 20_000
# How often, and from how many laws, the search goes on to those next to them.
ROUNDS, FROM = 12, 80
# Of candidates, in the order of size or loss, so many are trained on before the search gives up.
TRAINED = 40
QUESTIONS: dict[str, tuple[str, ...]] = {
    "lightgbm:lambdarank": ("nDCG", "ERR"),
    "lightgbm:rank_xendcg": ("nDCG", "ERR"),
    "xgboost:rank:ndcg": ("nDCG", "ERR"),
    "xgboost:rank:pairwise": ("nDCG", "AP", "ERR"),
    "xgboost:rank:map": ("nDCG", "AP"),
    "catboost:YetiRank": ("nDCG", "ERR"),
    "catboost:YetiRank(mode=NDCG)": ("nDCG", "ERR"),
    "catboost:QuerySoftMax": ("nDCG", "ERR"),
    "catboost:PairLogit": ("nDCG", "AP", "ERR"),
}
_Terms = tuple[tuple[tuple[int, ...], Fraction], ...]


@dataclass(frozen=True)
class Found:
    """A law, what the mean field says is lost, and the training that confirms it."""

    law: Law
    expected: float
    shown: Demonstration
    proven: bool


@dataclass(frozen=True)
class Candidates:
    """Laws under which an objective loses by its mean field, and how many were tried."""

    tried: int
    losing: list[tuple[Law, float]]

    def smallest_first(self) -> list[tuple[Law, float]]:
        """In the order of size; of equal ones, what loses most."""
        return sorted(self.losing, key=lambda pair: (*size_of(pair[0]), -pair[1]))

    def worst_first(self) -> list[tuple[Law, float]]:
        """In the order of what they lose; of equal ones, the smallest."""
        return sorted(self.losing, key=lambda pair: (-round(pair[1], 6), *size_of(pair[0])))


def size_of(law: Law) -> tuple[int, int, int, int, int]:
    """Items, label vectors, the largest denominator, the highest grade, the sum of grades."""
    grades = [int(y) for labels in law.support for y in labels]  # type: ignore[union-attr]
    denominator = max(p.denominator for p in law.probabilities)
    return law.items, len(law.support), denominator, max(grades), sum(grades)


def laws_on(items: int, vectors: int, grades: int, denominator: int = DENOMINATOR) -> Iterator[_Terms]:
    """All laws of so many label vectors, each once up to the names of items, no vector of equal labels."""
    every = list(product(range(grades), repeat=items))
    shares = [
        tuple(Fraction(part, whole) for part in parts)
        for whole in range(2, denominator + 1)
        for parts in product(range(1, whole), repeat=vectors)
        if sum(parts) == whole and math.gcd(whole, *parts) == 1
    ]
    for support in combinations(every, vectors):
        if all(len(set(labels)) == 1 for labels in support):
            continue
        orders = list(permutations(range(items)))
        named = [tuple(sorted(_renamed(labels, order) for labels in support)) for order in orders]
        # Of those that differ in names alone, the last one.
        if support != max(named):
            continue
        alike = [order for order, other in zip(orders, named, strict=True) if other == support]
        for parts in shares:
            law = tuple(zip(support, parts, strict=True))
            others = (tuple(sorted((_renamed(y, order), p) for y, p in law)) for order in alike)
            if law == max(others):
                yield law


def _renamed(labels: tuple[int, ...], order: Sequence[int]) -> tuple[int, ...]:
    return tuple(labels[i] for i in order)


def drawn_laws(count: int, seed: int = 0) -> Iterator[_Terms]:
    """Random laws of three label vectors on three items, probabilities in tenths."""
    rng = np.random.default_rng(seed)
    every = list(product(range(GRADES), repeat=3))
    for _ in range(count):
        support = [every[k] for k in rng.choice(len(every), 3, replace=False)]
        cuts = np.sort(rng.choice(np.arange(1, 10), 2, replace=False))
        parts = np.diff([0, *cuts.tolist(), 10]).tolist()
        yield tuple(zip(support, (Fraction(part, 10) for part in parts), strict=True))


class _Follower:
    """What an objective loses by its mean field under laws of one size."""

    def __init__(self, objective: EngineObjective, metrics: Sequence[str], items: int, grades: int) -> None:
        self.space, self.grades = graded_space(items, grades), grades
        self.field = field_of(objective, self.space)
        self.worths = {metric: _worths(metric, self.space) for metric in metrics}

    def lost(self, laws: Sequence[_Terms]) -> dict[str, Float64s]:
        """The least loss of the learning rates, by metric; not followed to the end where none shows early."""
        parts = [self._lost(laws[start : start + ROWS]) for start in range(0, len(laws), ROWS)]
        return {metric: np.concatenate([part[metric] for part in parts]) for metric in self.worths}

    def _lost(self, laws: Sequence[_Terms]) -> dict[str, Float64s]:
        support, shares = _rows(self.space, laws)
        lost = self._after(RATES[0], FIRST, support, shares)
        at = np.nonzero(np.max(list(lost.values()), axis=0) >= VISIBLE)[0]
        for rate in RATES if at.size else ():
            for metric, values in self._after(rate, TREES, support[at], shares[at]).items():
                lost[metric][at] = np.minimum(lost[metric][at], values)
        return {metric: np.where(values >= VISIBLE, values, 0.0) for metric, values in lost.items()}

    def _after(self, rate: float, trees: int, support: Int64s, shares: Float64s) -> dict[str, Float64s]:
        scores = self.field.train(support, shares, rate, trees)
        order = np.argsort(-scores, axis=1, kind="stable")
        ranked = np.take_along_axis(scores, order, axis=1)
        worth = {
            m: np.einsum("ld,rld->lr", shares, values[:, support]) for m, (values, _) in self.worths.items()
        }
        lost = {metric: self._regret(metric, worth[metric], order) for metric in worth}
        for k in range(self.space.items - 1):
            # Where two scores are nearly tied, the better order of the two counts.
            tied = ranked[:, k] - ranked[:, k + 1] < TIED
            other = order.copy()
            other[:, [k, k + 1]] = other[:, [k + 1, k]]
            for metric, values in worth.items():
                least = np.minimum(lost[metric], self._regret(metric, values, other))
                lost[metric] = np.where(tied, least, lost[metric])
        return lost

    def _regret(self, metric: str, worth: Float64s, order: Int64s) -> Float64s:
        at = self.worths[metric][1][tuple(order.T)]
        return np.asarray(worth.max(axis=1) - worth[np.arange(len(order)), at])


def candidates(
    objective: EngineObjective, metrics: Sequence[str], *, quick: bool = False
) -> dict[str, Candidates]:
    """For each metric the laws under which the objective loses by its mean field."""
    binary = objective.name == "rank:map"
    groups: list[tuple[int, int, list[_Terms]]] = [(3, 2, [*laws_on(3, 2, 2), *laws_on(3, 3, 2)])]
    if not binary:
        groups.append((2, GRADES, [*laws_on(2, 2, GRADES)]))
    if quick:
        groups = [(items, grades, laws[::7]) for items, grades, laws in groups]
    elif not binary:
        groups[1][2].extend(laws_on(2, 3, GRADES, 6))
        groups.append((3, GRADES, [*laws_on(3, 2, GRADES), *drawn_laws(DRAWN)]))
    tried = dict.fromkeys(metrics, 0)
    losing: dict[str, dict[frozenset[Any], tuple[Law, float]]] = {metric: {} for metric in metrics}

    def look(follower: _Follower, laws: Sequence[_Terms]) -> None:
        for metric, values in follower.lost(laws).items():
            tried[metric] += len(laws)
            for k in np.nonzero(values)[0].tolist():
                losing[metric][frozenset(laws[k])] = Law(dict(laws[k])), float(values[k])

    for items, grades, laws in groups:
        # Labels of more than two grades tell AP nothing more.
        taken = [metric for metric in metrics if metric != "AP" or grades == 2]
        look(_Follower(objective, taken, items, grades), laws)
    for metric in metrics if not quick else ():
        follower = _Follower(objective, [metric], 3, 2 if binary or metric == "AP" else GRADES)
        seen: set[frozenset[Any]] = set()
        for _ in range(ROUNDS):
            three = [key for key, (law, _) in losing[metric].items() if law.items == 3]
            worst = sorted(three, key=lambda key: -losing[metric][key][1])[:FROM]
            near = {frozenset(law): law for key in worst for law in _next_to(tuple(key), follower.grades)}
            new = [law for key, law in near.items() if key not in seen and key not in losing[metric]]
            seen |= near.keys()
            if not new:
                break
            look(follower, new)
    return {metric: Candidates(tried[metric], list(losing[metric].values())) for metric in metrics}


def _next_to(law: _Terms, grades: int) -> Iterator[_Terms]:
    """Laws with one label one grade higher or lower, or with a part of the probability moved."""
    terms = dict(law)
    unit = Fraction(1, math.lcm(*(p.denominator for p in terms.values())))
    for labels, p in law:
        for i, step in product(range(len(labels)), (-1, 1)):
            other = (*labels[:i], labels[i] + step, *labels[i + 1 :])
            if 0 <= other[i] < grades and other not in terms:
                yield tuple({**{y: q for y, q in law if y != labels}, other: p}.items())
        for there, q in law:
            if there != labels and p > unit:
                yield tuple({**terms, labels: p - unit, there: q + unit}.items())


def confirmed(objective: str, metric: str, ordered: Sequence[tuple[Law, float]]) -> Found | None:
    """The first of the laws on which every training ends wrong, and loses as much as the mean field says."""
    for law, expected in ordered[:TRAINED]:
        shown = demonstrate(objective, metric, law)
        if shown.wrong_runs == len(shown.runs) and shown.lost > max(VISIBLE, expected) - 1e-6:
            return Found(law, expected, shown, is_proven(KnownLaw(objective, metric, "found", law)))
    return None


def _rows(space: Space, laws: Sequence[_Terms]) -> tuple[Int64s, Float64s]:
    """Numbers of label vectors and their shares; of the longest law's length."""
    at = {tuple(int(y) for y in labels): k for k, labels in enumerate(space.feedback)}  # type: ignore[union-attr]
    width = max(map(len, laws))
    support, shares = np.zeros((len(laws), width), dtype=np.int64), np.zeros((len(laws), width))
    for row, law in enumerate(laws):
        for k, (labels, share) in enumerate(law):
            support[row, k], shares[row, k] = at[labels], float(share)
    return support, shares


def _worths(metric: str, space: Space) -> tuple[Float64s, Int64s]:
    """The values of all rankings on all label vectors, and where a ranking is in the table."""
    table = value_table(metric, space)
    values = np.array([[float(value) for value in row] for row in table.values])
    index = np.zeros((space.items,) * space.items, dtype=np.int64)
    for k, ranking in enumerate(table.rankings):
        index[ranking] = k
    return values, index


def _text(law: Law) -> str:
    return " + ".join(f"{p} {tuple(int(label) for label in y)}" for y, p in law.pairs())  # type: ignore[union-attr]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--objective", choices=tuple(QUESTIONS), action="append")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    for name in args.objective or QUESTIONS:
        of_metric = candidates(engine_objective(name), QUESTIONS[name], quick=args.quick)
        for metric, some in of_metric.items():
            print(
                f"{name}, {metric}: {some.tried} laws, {len(some.losing)} lose at least {VISIBLE}", flush=True
            )
            for kind, ordered in (("smallest", some.smallest_first()), ("worst", some.worst_first())):
                found = confirmed(name, metric, ordered)
                if found is None:
                    print(f"  {kind:8} none is confirmed by training", flush=True)
                    continue
                how = "proven, shown" if found.proven else "shown"
                lost = f"{found.shown.lost:.4f} (mean field {found.expected:.4f})"
                print(f"  {kind:8} {_text(found.law):45} {lost} {how}", flush=True)


if __name__ == "__main__":
    main()
