"""Counterexamples: a law under which a loss is proven to converge to a ranking that is not best.

The proof has two halves. Where the minimiser of the expected loss lies is proven by
`rankproof.theory.minima.enclosure`; which rankings are best is computed in fractions by
`rankproof.theory.risk`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from rankproof.errors import DataError, PrecisionError
from rankproof.feedback import Feedback, Law, PreferenceGraph
from rankproof.metrics.base import Metric
from rankproof.metrics.tau import Tau
from rankproof.theory.minima.enclosure import Minimum, sure_pairs
from rankproof.theory.noise import check, is_low_noise, is_one_relevant
from rankproof.theory.risk import optimal_rankings, risks, sorts_of
from rankproof.theory.values import AnyMetric, Ranking

__all__ = ["Counterexample", "counterexample", "in_class"]

FORMAT, VERSION = "rankproof.counterexample", 1


@dataclass(frozen=True)
class Counterexample:
    """See the module docstring.

    Attributes
    ----------
    law : the law of the feedback
    minimum : where the minimiser of the expected loss was proven to lie
    scores : the minimiser, in floats
    minimiser_rankings : the rankings that may sort a minimiser, first one that is not best
    best_rankings : the rankings that are best for the metric, none of which sorts a minimiser (for a minimum
        that is known exactly: not all rankings that sort it are best)
    cost : what the metric loses on average, in gain form: the best value less the value of the minimiser,
        with equal scores ranked at random; where not all is known of the order, at least this
    noise : the condition that the law meets, when one was asked for
    """

    law: Law
    minimum: Minimum
    scores: tuple[float, ...]
    minimiser_rankings: tuple[Ranking, ...]
    best_rankings: tuple[Ranking, ...]
    cost: Fraction
    noise: str | None = None

    @property
    def cost_value(self) -> float:
        """The cost as a float, for metrics with irrational values."""
        return float(self.cost)

    def to_json(self) -> dict[str, Any]:
        """A dict of strings, numbers and lists, for ``json.dump``; `from_json` reads it back."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "law": self.law.to_json(),
            "minimum": self.minimum.to_json(),
            "scores": list(self.scores),
            "minimiser_rankings": [list(ranking) for ranking in self.minimiser_rankings],
            "best_rankings": [list(ranking) for ranking in self.best_rankings],
            "cost": str(self.cost),
            "cost_value": self.cost_value,
            "noise": self.noise,
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Counterexample:
        """The counterexample that `to_json` wrote."""
        if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
            raise DataError(f"A stored counterexample is a dict with format {FORMAT!r}, got {plain!r:.80}.")
        if plain.get("version") != VERSION:
            raise DataError(
                f"This counterexample was written in version {plain.get('version')!r} of the format, which "
                f"is not known here: version {VERSION}. Use the rankproof that wrote it."
            )
        try:
            return cls(
                law=Law.from_json(plain["law"]),
                minimum=Minimum.from_json(plain["minimum"]),
                scores=tuple(float(score) for score in plain["scores"]),
                minimiser_rankings=_rankings(plain["minimiser_rankings"]),
                best_rankings=_rankings(plain["best_rankings"]),
                cost=Fraction(plain["cost"]),
                noise=plain["noise"],
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(
                f"The stored counterexample is damaged: {type(error).__name__}: {error}."
            ) from error


def _rankings(plain: Any) -> tuple[Ranking, ...]:
    return tuple(tuple(int(item) for item in ranking) for ranking in plain)


def in_class(law: Law, noise: str | None, metric: AnyMetric) -> bool:
    """Whether the law meets the condition, in the plain sense and in that of the metric's own parameters."""
    if noise is None:
        return True
    if not check(law, noise):
        return False
    if not isinstance(metric, Metric):
        return True
    if noise == "one relevant" and hasattr(metric, "rel"):
        return bool(is_one_relevant(law, rel=metric.rel))
    if noise == "low noise" and isinstance(metric, Tau):
        # Its preferences are divided by a root, which changes nothing when it is the same for all feedback.
        return len({_preferences(y) for y in law}) == 1
    if noise == "low noise" and (hasattr(metric, "weight") or hasattr(metric, "normalize")):
        weight = getattr(metric, "weight", "one") if law.kind != "preferences" else "one"
        return bool(is_low_noise(law, weight=weight, normalize=bool(getattr(metric, "normalize", False))))
    return True


def _preferences(y: Feedback) -> Any:
    graph = y if isinstance(y, PreferenceGraph) else y.preferences()
    return sum(weight for _, _, weight in graph.edges)


def counterexample(
    metric: AnyMetric, law: Law, minimum: Minimum, scores: tuple[float, ...], noise: str | None = None
) -> Counterexample | None:
    """The counterexample of a law and a proven minimum; None when they prove nothing."""
    if not in_class(law, noise, metric):
        return None
    try:
        best = optimal_rankings(metric, law)
    except PrecisionError:
        return None
    worth = risks(metric, law)
    most = worth[best[0]]
    if minimum.method == "exact":
        # Those that are not best first.
        reached = tuple(sorted(sorts_of(minimum.center, law.items), key=lambda ranking: ranking in best))
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
