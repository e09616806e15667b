"""The counterexample that a law and a proven minimum make, if they make one."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

from rankproof.errors import PrecisionError
from rankproof.feedback import Law
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.minimum import Minimum, sure_pairs
from rankproof.theory.base.risk import best_rankings, risks, table_of
from rankproof.theory.base.values import AnyMetric, Ranking
from rankproof.theory.noise.membership import in_class

__all__ = ["counterexample"]


def counterexample(
    metric: AnyMetric, law: Law, minimum: Minimum, scores: tuple[float, ...], noise: str | None = None
) -> Counterexample | None:
    """The counterexample of a law and a proven minimum; None when they prove nothing."""
    if not in_class(law, noise, metric):
        return None
    try:
        best = best_rankings(table_of(metric, law), law.probabilities, surely=True)
    except PrecisionError:
        return None
    worth = risks(metric, law)
    most = worth[best[0]]
    if minimum.method == "exact":
        # Those that are not best first.
        reached = tuple(sorted(sorting_rankings(minimum.center), key=lambda ranking: ranking in best))
        if set(reached) <= set(best):
            return None
        cost = most - sum((worth[ranking] for ranking in reached), Fraction(0)) / len(reached)
    else:
        sure = set(sure_pairs(minimum))
        reached = tuple(ranking for ranking in permutations(range(law.items)) if _follows(ranking, sure))
        if not sure or set(reached) & set(best):
            return None
        cost = most - max(worth[ranking] for ranking in reached)
    return Counterexample(law, minimum, scores, reached, best, cost, noise)


def _follows(ranking: Ranking, pairs: set[tuple[int, int]]) -> bool:
    place = {item: rank for rank, item in enumerate(ranking)}
    return all(place[i] < place[j] for i, j in pairs)
