"""Proofs about shipped formulas beside paths that are followed by another implementation, on random laws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from rankproof.feedback import Law
from rankproof.theory.base.rest_points import rankings_of
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.rest_points.shipped_prove import prove_shipped
from rankproof.theory.shipped.objective import engine_objective
from theory.shipped_cases import KINDS
from theory.shipped_paths import PathsByHand

__all__ = ["METRIC", "Agreement", "agreement", "random_laws"]

METRIC = "nDCG"
# Every so many laws, one is drawn among those under which no path rests in a best ranking.
EVERY = 4
# How long paths are followed for that: what leaves slowly is only seen with the patience of the last word.
FIRST_LOOK = 2
Progress = Callable[[int, int], None]


@dataclass
class Agreement:
    """What came of the laws of one formula.

    Attributes
    ----------
    tried : how many laws, no two of them the same
    failing : those under which no path rests in a best ranking
    proven : those with a proof that no rest point sorts best
    against : those with a proof where a path does rest in a ranking that the proof excludes
    """

    tried: int
    failing: int = 0
    proven: int = 0
    against: list[Law] = field(default_factory=list)


def random_laws(rng: np.random.Generator, binary: bool) -> Iterator[Law]:
    """Different laws of two or three label vectors of three items, each of which tells items apart."""
    seen = set()
    while True:
        shares: dict[tuple[int, ...], Fraction] = {}
        size = int(rng.integers(2, 4))
        while len(shares) < size:
            labels = tuple(int(y) for y in rng.integers(0, 2 if binary else 4, 3))
            if len(set(labels)) > 1:
                # Few binary laws have short shares.
                shares[labels] = Fraction(int(rng.integers(1, 100 if binary else 20)))
        law = Law({labels: share / sum(shares.values()) for labels, share in shares.items()})
        key = frozenset(law.pairs())
        if key not in seen:
            seen.add(key)
            yield law


def agreement(spec: str, laws: int, most: int, seed: int, progress: Progress | None = None) -> Agreement:
    """Try so many laws; ``most`` is how many boxes the prover may look at."""
    weigh, c, by_sum = KINDS[spec]
    drawn = _drawn(np.random.default_rng(seed), spec, laws)
    best = [optimal_rankings(METRIC, law) for law in drawn]
    paths = PathsByHand(drawn, weigh, c=c, by_sum=by_sum)
    result = Agreement(laws, int((~paths.rests_in(best, patience=FIRST_LOOK)).sum()))
    objective = engine_objective(spec)
    proven: list[Law] = []
    excluded: list[list[tuple[int, ...]]] = []
    for at, law in enumerate(drawn):
        if progress is not None and at % 25 == 0:
            progress(at, laws)
        proof = prove_shipped(objective, METRIC, law, most=most)
        if proof is None:
            continue
        # Faces with ties have no inside that a path could stay in.
        apart = [rankings_of(one.face)[0] for one in proof.excluded if len(one.face) == 3]
        assert set(best[at]) <= set(apart), (spec, law)
        proven.append(law)
        excluded.append(apart)
    result.proven = len(proven)
    if proven:
        rests = PathsByHand(proven, weigh, c=c, by_sum=by_sum).rests_in(excluded)
        result.against = [law for law, one in zip(proven, rests, strict=True) if one]
    return result


def _drawn(rng: np.random.Generator, spec: str, count: int) -> list[Law]:
    weigh, c, by_sum = KINDS[spec]
    laws = random_laws(rng, spec == "xgboost:rank:map")
    chosen = [next(laws) for _ in range(count - count // EVERY)]
    # A formula that fails under no law of many is tried on others.
    for _ in range(6):
        some = [next(laws) for _ in range(count)]
        best = [optimal_rankings(METRIC, law) for law in some]
        rests = PathsByHand(some, weigh, c=c, by_sum=by_sum).rests_in(best, patience=FIRST_LOOK)
        failing = [law for law, one in zip(some, rests, strict=True) if not one]
        chosen += failing[: count - len(chosen)]
    return chosen + [next(laws) for _ in range(count - len(chosen))]
