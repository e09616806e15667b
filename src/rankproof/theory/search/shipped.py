"""The search for laws under which no rest point of an engine's objective sorts best.

Laws that a person can check come first, as in `rankproof.theory.search.rest_points`. For every law the mean
field is followed in floats from several places inside of every best ranking; where all paths end in other
rankings the law is a candidate. Those that lose most are proven first
(`rankproof.theory.rest_points.shipped_prove`), with few boxes, then with many.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.feedback import Law
from rankproof.feedback.spaces import Space
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.shipped_rest_points import ShippedRestPoints
from rankproof.theory.base.values import AnyMetric, value_table
from rankproof.theory.noise.membership import in_class
from rankproof.theory.rest_points.shipped import MOST_ITEMS
from rankproof.theory.rest_points.shipped_prove import heights, prove_shipped
from rankproof.theory.search.find import CONVINCING, Searched, sizes_of
from rankproof.theory.search.law_programs import restricted
from rankproof.theory.search.rest_points import candidate_laws
from rankproof.theory.shipped.floats import FloatFields
from rankproof.theory.shipped.lambdas import LambdaFormula, formula_of, whole_labels
from rankproof.theory.shipped.objective import EngineObjective

__all__ = ["find_shipped"]

# Laws that are known to mislead several objectives and are easily checked: looked at before all others.
KNOWN: tuple[dict[tuple[int, ...], str], ...] = (
    {(1, 2): "3/5", (1, 0): "2/5"},
    {(0, 1, 1): "3/5", (1, 0, 0): "2/5"},
    {(1, 2, 1): "3/5", (1, 0, 0): "2/5"},
    {(1, 2, 2): "2/3", (1, 0, 0): "1/3"},
    {(1, 2, 2): "3/5", (1, 0, 0): "2/5"},
    {(0, 1, 1): "4/7", (1, 0, 0): "3/7"},
    {(0, 1, 1): "3/5", (2, 0, 0): "2/5"},
    {(1, 2, 0): "1/2", (1, 0, 2): "1/2"},
    {(2, 1, 0): "9/10", (0, 0, 1): "1/10"},
    {(2, 1, 0): "1/2", (0, 0, 1): "1/2"},
)
# A loss of the metric this small is rounding.
VISIBLE = 1e-6
# Gaps, upper and lower, from which the field is followed; most laws are dropped after the first.
STARTS = (
    *((0.3, 0.3), (3.0, 0.3), (0.3, 3.0), (0.02, 1.0), (1.0, 0.02), (0.05, 0.05), (3.0, 3.0), (1.0, 8.0)),
    *((8.0, 1.0), (0.05, 3.0), (3.0, 0.05)),
)
# How many boxes a proof may look at, and how many laws are tried with so many, at effort 1.
ROUNDS = ((400, 6), (1000, 2))


def find_shipped(
    objective: EngineObjective,
    metric: AnyMetric,
    space: Space,
    *,
    noise: str | None = None,
    seed: int = 0,
    effort: float = 1.0,
    log: list[Searched] | None = None,
) -> ShippedRestPoints | None:
    """A law on the space, of two or three items, under which no rest point sorts best; None if none is found.

    Parameters are those of `rankproof.theory.search.find.find_counterexample`.
    """
    done = [] if log is None else log
    formula = formula_of(objective)
    if formula is None:
        return None
    for here in sizes_of(space):
        if here.items > MOST_ITEMS or here.kind != "graded":
            done.append(
                Searched(here, f"rest points of objectives are looked for on {MOST_ITEMS} items at most")
            )
            continue
        smaller = restricted(here, noise)
        if not smaller.feedback:
            done.append(Searched(here, "no labels there meet the condition"))
            continue
        proof = _Search(objective, formula, metric, smaller, noise).find(seed, effort, done)
        if proof is not None:
            return proof
    return None


class _Search:
    def __init__(
        self,
        objective: EngineObjective,
        formula: LambdaFormula,
        metric: AnyMetric,
        space: Space,
        noise: str | None,
    ) -> None:
        self.objective, self.metric, self.space, self.noise = objective, metric, space, noise
        self.floats = FloatFields(formula, space)
        table = value_table(metric, space)
        self.values = np.array([[float(value) for value in row] for row in table.values])
        self.order = [list(table.rankings).index(ranking) for ranking in self.floats.rankings]

    def find(self, seed: int, effort: float, log: list[Searched]) -> ShippedRestPoints | None:
        began = perf_counter()
        spread = float(np.ptp(self.values, axis=0).max())
        looked = unproven = 0
        tries = {most: max(1, int(count * effort)) for most, count in ROUNDS}
        for rows in self._laws(seed, effort) if spread else ():
            costs = self.costs(rows)
            looked += len(rows)
            laws = self._promising(rows, costs, CONVINCING * spread)
            for most in tries:
                for law in laws[: tries[most]]:
                    tries[most] -= 1
                    proof = prove_shipped(self.objective, self.metric, law, self.noise, most)
                    if proof is not None:
                        return proof
            unproven += len(laws)
        skipped = None if spread else "every ranking has the same value there"
        log.append(Searched(self.space, skipped, 0, looked, unproven, perf_counter() - began))
        return None

    def _laws(self, seed: int, effort: float) -> Iterator[list[dict[int, Fraction]]]:
        at = {tuple(whole_labels(y)): k for k, y in enumerate(self.space.feedback)}
        yield [
            {at[labels]: Fraction(share) for labels, share in law.items()}
            for law in KNOWN
            if all(labels in at for labels in law)
        ]
        yield from candidate_laws(self.space, self.noise, seed, effort)

    def _promising(self, rows: list[dict[int, Fraction]], costs: Float64s, least: float) -> list[Law]:
        """Laws by what they lose, items named so that the first best ranking is 0, 1, 2; each once."""
        laws: dict[Any, Law] = {}
        for at in np.argsort(-costs, kind="stable")[: 20 * ROUNDS[0][1]]:
            if costs[at] <= least or len(laws) >= ROUNDS[0][1]:
                break
            law = Law({self.space.feedback[k]: p for k, p in rows[at].items()})
            if in_class(law, self.noise, self.metric):
                law = law.relabel(optimal_rankings(self.metric, law)[0])
                laws.setdefault(frozenset(law.pairs()), law)
        return list(laws.values())

    def costs(self, rows: list[dict[int, Fraction]]) -> Float64s:
        """What every law loses where all paths from its best rankings end; 0 where one ends in a best one."""
        if not rows:
            return np.zeros(0)
        support, shares = _padded(rows)
        worth = np.einsum("ld,rld->lr", shares, self.values[:, support])[:, self.order]
        best = worth.max(axis=1)
        is_best = worth >= best[:, None] - VISIBLE
        reached = np.full(len(rows), -np.inf)
        alive = ~is_best.all(axis=1)
        for gaps in STARTS:
            for k, ranking in enumerate(self.floats.rankings):
                at = np.nonzero(alive & is_best[:, k])[0]
                if not at.size:
                    continue
                start = np.zeros(self.space.items)
                start[list(ranking)] = heights(gaps, self.space.items)
                ends = self.floats.ends(support[at], shares[at], np.tile(start, (at.size, 1)))
                ended = self.floats.ranking_index(ends)
                alive[at] = ~is_best[at, ended]
                reached[at] = np.maximum(reached[at], worth[at, ended])
        costs: Float64s = np.where(alive, best - reached, 0.0)
        return costs


def _padded(rows: list[dict[int, Fraction]]) -> tuple[Int64s, Float64s]:
    """Label vectors and shares of every law, with shares of 0 at the end of the shorter ones."""
    width = max(map(len, rows))
    support = np.zeros((len(rows), width), dtype=np.int64)
    shares = np.zeros((len(rows), width))
    for at, row in enumerate(rows):
        support[at, : len(row)] = list(row)
        shares[at, : len(row)] = [float(p) for p in row.values()]
    return support, shares
