"""The search for laws under which no rest point of a loss sorts best, for losses that follow the ranking.

Laws of two label vectors with round probabilities first, since a person can check them; then three; under a
condition on the noise, laws drawn from its class. For every law the minimiser of every ranking's function is
found in floats: where no best ranking holds its own, the law is a candidate. The one that loses most is
proven first (`rankproof.theory.rest_points.prove`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import Space
from rankproof.losses.base import Loss
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.base.rest_points import MOST_ITEMS, RestPoints
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.values import AnyMetric, value_table
from rankproof.theory.formulas.inputs import exact_inputs
from rankproof.theory.formulas.table import RankedPairs, theory_of
from rankproof.theory.noise.laws import sample
from rankproof.theory.noise.membership import in_class
from rankproof.theory.rest_points.minimise import minimise_pairs
from rankproof.theory.rest_points.prove import prove_rest_points
from rankproof.theory.search.find import CONVINCING, Searched, sizes_of
from rankproof.theory.search.law_programs import restricted

__all__ = ["candidate_laws", "find_rest_points"]

# At effort 1: the laws that are looked at, of two label vectors and of three each, and how many are proven.
LAWS, DRAWS, PROOFS = 4000, 1500, 12
# Probabilities are multiples of 1 over this.
PARTS = 10
# Scores this far on the wrong side are worth a proof; a loss this small is rounding.
APART, VISIBLE = 1e-4, 1e-7


def find_rest_points(
    loss: Loss,
    metric: AnyMetric,
    space: Space,
    *,
    noise: str | None = None,
    seed: int = 0,
    effort: float = 1.0,
    log: list[Searched] | None = None,
) -> RestPoints | None:
    """A law, on the space or on fewer items, under which no rest point sorts best; None if none is found.

    Parameters are those of `rankproof.theory.search.find.find_counterexample`.
    """
    pairs = theory_of(loss).follows_ranking
    done = [] if log is None else log
    faint: RestPoints | None = None
    if pairs is None:
        return None
    for here in sizes_of(space):
        if here.items == 2:
            # On two items the loss is a function, and has a minimum.
            continue
        if here.items > MOST_ITEMS or here.kind == "preferences":
            done.append(Searched(here, "rest points are looked for on labels of at most 4 items"))
            continue
        smaller = restricted(here, noise)
        if not smaller.feedback:
            done.append(Searched(here, "no labels there meet the condition"))
            continue
        proof, spread = _on_space(_Floats(loss, pairs, metric, smaller), noise, seed, effort, done)
        if proof is not None and float(proof.cost) >= CONVINCING * spread:
            return proof
        faint = faint or proof
    return faint


class _Floats:
    """What a space is to a loss and a metric, in floats."""

    def __init__(self, loss: Loss, pairs: RankedPairs, metric: AnyMetric, space: Space) -> None:
        self.loss, self.metric, self.space = loss, metric, space
        table, n = value_table(metric, space), space.items
        self.rankings = table.rankings
        self.values = np.array([[float(value) for value in row] for row in table.values])
        self.leads = np.zeros((len(space), n, n))
        for k, y in enumerate(space.feedback):
            for (i, j), lead in pairs.leads(loss, exact_inputs(loss, y)).items():
                self.leads[k, i, j] = _float(lead)
        by_rank = np.array([[_float(w) for w in row] for row in pairs.weights(loss, n)])
        by_rank += by_rank.T
        ranks = np.argsort(np.array(self.rankings), axis=1)
        self.weights = by_rank[ranks[:, :, None], ranks[:, None, :]]

    def costs(self, laws: Float64s) -> Float64s:
        """What every law's rest points lose, by the rankings that hold their own minimiser; 0 for nothing."""
        worth = laws @ self.values.T
        best = worth.max(axis=1)
        leads = np.einsum("lf,fij->lij", laws, self.leads)
        held, clear = np.full(len(laws), -np.inf), np.ones(len(laws), dtype=bool)
        sigma = float(self.loss.sigma)  # type: ignore[attr-defined]
        for k, ranking in enumerate(self.rankings):
            scores, reached = minimise_pairs(leads * self.weights[k], sigma)
            falls = -np.diff(scores[:, list(ranking)], axis=1).max(axis=1)
            is_best = worth[:, k] >= best - VISIBLE
            clear &= ~is_best | (reached & (falls < -APART))
            held = np.maximum(held, np.where(reached & (falls < 0), -np.inf, worth[:, k]))
        below = np.where(worth >= best[:, None] - VISIBLE, -np.inf, worth).max(axis=1)
        costs: Float64s = np.where(clear, best - np.where(np.isfinite(held), held, below), 0.0)
        return np.where(np.isfinite(costs) & (costs > VISIBLE), costs, 0.0)


def _float(x: Any) -> float:
    return float(x.middle) if isinstance(x, Enclosure) else float(x)


def _on_space(
    floats: _Floats, noise: str | None, seed: int, effort: float, log: list[Searched]
) -> tuple[RestPoints | None, float]:
    began = perf_counter()
    spread = float(np.ptp(floats.values, axis=0).max())
    looked = unproven = 0
    tries = max(1, int(PROOFS * effort))
    for laws in candidate_laws(floats.space, noise, seed, effort) if spread else ():
        rows = np.array([[float(law.get(k, 0)) for k in range(len(floats.space))] for law in laws])
        costs = floats.costs(rows)
        looked += len(laws)
        for at in np.argsort(-costs, kind="stable")[:tries]:
            if not costs[at]:
                break
            law = Law({floats.space.feedback[k]: p for k, p in laws[at].items()})
            proof = _proven(floats, law, noise) if in_class(law, noise, floats.metric) else None
            if proof is not None:
                return proof, spread
            unproven += 1
    skipped = None if spread else "every ranking has the same value there"
    log.append(Searched(floats.space, skipped, 0, looked, unproven, perf_counter() - began))
    return None, spread


def _proven(floats: _Floats, law: Law, noise: str | None) -> RestPoints | None:
    """The proof, with the items named so that the first best ranking is 0, 1, 2, ..."""
    order = optimal_rankings(floats.metric, law)[0]
    return prove_rest_points(floats.loss, floats.metric, law.relabel(order), noise)


_Row = dict[int, Fraction]


def candidate_laws(space: Space, noise: str | None, seed: int, effort: float) -> Iterator[list[_Row]]:
    """Laws to look at, as shares of the label vectors of a space: those a person can check come first."""
    # Those two are properties of the space, not of the law.
    if noise in (None, "binary", "one relevant"):
        for size in (2, 3):
            yield _simple(space, size, max(1, int(LAWS * effort)), seed)
        return
    rng = random.Random(seed)  # noqa: S311 - laws, not secrets
    scale = space.labels or tuple(range(space.items))
    yield [_drawn(space, noise, scale, rng) for _ in range(max(1, int(DRAWS * effort)))]


def _simple(space: Space, size: int, most: int, seed: int) -> list[_Row]:
    """Laws of so many label vectors; by symmetry the first one falls."""
    every_label = [_labels(y) for y in space.feedback]
    falling = [k for k, y in enumerate(every_label) if list(y) == sorted(y, reverse=True)]
    shares = [parts for parts in np.ndindex(*(PARTS,) * size) if sum(parts) == PARTS and min(parts) > 0]
    rng = np.random.default_rng(seed)
    every = len(falling) * len(space) ** (size - 1) * len(shares)
    chosen = np.arange(every) if every <= most else np.sort(rng.choice(every, most, replace=False))
    laws: list[_Row] = []
    for code in chosen.tolist():
        code, share = divmod(code, len(shares))
        code, first = divmod(code, len(falling))
        support = [falling[first]]
        for _ in range(size - 1):
            code, other = divmod(code, len(space))
            support.append(other)
        if len(set(support)) == size:
            laws.append({k: Fraction(part, PARTS) for k, part in zip(support, shares[share], strict=True)})
    return laws


def _labels(y: Any) -> tuple[Any, ...]:
    return tuple(y.grades()) if hasattr(y, "grades") else tuple(y)


def _drawn(space: Space, noise: str, scale: tuple[Any, ...], rng: random.Random) -> _Row:
    law: _Row = {}
    for y, p in sample(noise, space.items, max(2, len(scale)), rng, space.kind).pairs():
        # Drawn with grades 0, 1, 2, ...: the conditions are about their order alone.
        there = Graded(scale[int(grade)] for grade in y) if isinstance(y, Graded) else y
        at = space.index(there)
        law[at] = law.get(at, Fraction(0)) + p
    return law
