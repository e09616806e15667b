"""All pairs of systems under one metric: difference, interval, effect, three tests, and who wins, if anyone.

>>> per_query = {"old": [0.1, 0.2, 0.3, 0.2, 0.1, 0.4], "new": [0.5, 0.4, 0.6, 0.7, 0.2, 0.9]}
>>> (pair,) = compare_pairs(per_query)
>>> pair.winner, pair.adjusted, (pair.wins, pair.ties, pair.losses)
('new', 0.03125, (0, 0, 6))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.bootstrap import Interval, as_level, mean_interval
from rankproof.evaluation.defaults import RESAMPLES, SAMPLES, SEED, SIGNIFICANCE, TEST
from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.effect import Effect, effect_of
from rankproof.evaluation.holm import holm_family
from rankproof.evaluation.paired import Paired, randomisation_of, signed_rank_of, t_of
from rankproof.evaluation.tables import Table, as_html, number
from rankproof.plain import json_text, plain_number

__all__ = ["PairResult", "PairedTest", "adjust_together", "compare_pairs", "pair_table", "probability"]

PairedTest = Literal["randomisation", "t", "wilcoxon"]


@dataclass(frozen=True)
class PairResult:
    """What was found between two systems.

    Attributes
    ----------
    a, b : the names of the systems
    difference : float
        The (weighted) mean of *a - b* over the queries that both have.
    interval : Interval
        Of the difference, at level ``1 - level``, for this pair alone: it is not widened for the other pairs,
        so it may exclude 0 when ``adjusted`` is above ``level``.
    effect : Effect
    tests : the three tests by name
    test : which of them decides
    adjusted : float
        The deciding p-value, Holm-adjusted over its family.
    level : float
    wins, ties, losses : queries on which *a* is above, equal to, below *b*
    n, dropped : queries compared, and left out because either system has no value on them
    greater_is_better : bool
    """

    a: str
    b: str
    difference: float
    interval: Interval
    effect: Effect
    tests: Mapping[str, Paired]
    test: str
    adjusted: float
    level: float
    wins: int
    ties: int
    losses: int
    n: int
    dropped: int
    greater_is_better: bool = True

    @property
    def p(self) -> float:
        """The p-value of the deciding test, before the adjustment."""
        return self.tests[self.test].p

    @property
    def significant(self) -> bool:
        """Whether the deciding test, adjusted, shows a difference."""
        return self.adjusted <= self.level

    @property
    def winner(self) -> str | None:
        """The better system when the test shows a difference, else None.

        Wilcoxon's ranks may speak for one system and the mean for the other; then there is no winner.
        """
        direction = self.tests[self.test].direction
        if not self.significant or direction * self.difference <= 0:
            return None
        return self.a if (direction > 0) == self.greater_is_better else self.b

    def to_dict(self) -> dict[str, Any]:
        """Plain data; NaN and infinity become None."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": plain_number(self.difference),
            "interval": [plain_number(self.interval.low), plain_number(self.interval.high)],
            "p": {
                name: {"p": plain_number(t.p), "exact": t.exact, "detail": t.detail}
                for name, t in self.tests.items()
            },
            "p_adjusted": plain_number(self.adjusted),
            "effect": {"dz": plain_number(self.effect.dz), "g": plain_number(self.effect.g)},
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "queries": self.n,
            "dropped": self.dropped,
            "winner": self.winner,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return as_html(pair_table([self], self.test))


def pair_table(pairs: Sequence[PairResult], test: str) -> Table:
    """One row per pair: the deciding test's p-value before and after Holm, then the two others."""
    others = [t for t in ("randomisation", "t", "wilcoxon") if t != test]
    columns = ["pair", "difference", "interval", f"p {test}", "p Holm", *(f"p {t}" for t in others)]
    columns += ["effect g", "wins/ties/losses", "winner"]
    rows = [
        [
            *(
                f"{p.a} - {p.b}",
                number(p.difference),
                f"[{number(p.interval.low)}, {number(p.interval.high)}]",
            ),
            *(probability(p.p), probability(p.adjusted), *(probability(p.tests[t].p) for t in others)),
            *(f"{p.effect.g:.2f}", f"{p.wins}/{p.ties}/{p.losses}", p.winner or "none shown"),
        ]
        for p in pairs
    ]
    return Table(columns, rows, text_columns=["winner"])


def probability(p: float) -> str:
    """A p-value for a table.

    >>> probability(0.03125), probability(0.00001), probability(1.0)
    ('0.031', '<0.001', '1.000')
    """
    if math.isnan(p):
        return "nan"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def compare_pairs(
    values: Mapping[str, ArrayLike],
    *,
    test: PairedTest = TEST,
    level: float = SIGNIFICANCE,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    samples: int = SAMPLES,
    weights: ArrayLike | None = None,
    greater_is_better: bool = True,
) -> list[PairResult]:
    """Every pair of systems, in the order given, under one metric.

    Parameters
    ----------
    values : system name -> one number per query
        All on the same queries in the same order. A query with NaN in either system of a pair is left out
        of that pair.
    test : "randomisation", "t" or "wilcoxon"
        The test that decides; all three are reported.
    level : float
        The chance of any false winner among all pairs that is accepted; intervals have level ``1 - level``.
    seed, resamples, samples : int
        Of the bootstrap (``resamples``) and of the randomisation test (``samples``, when it is not exact).
    weights : one number per query, optional
    greater_is_better : bool
        False for a metric that is to be small.
    """
    if test not in get_args(PairedTest):
        raise ArgumentError(f"Argument test must be one of {', '.join(get_args(PairedTest))}, got {test!r}.")
    if len(values) < 2:
        raise ArgumentError(f"A comparison needs at least two systems, got {list(values)}.")
    level = as_level("level", level)
    seed = as_whole_number("seed", seed, 0)
    samples = as_whole_number("samples", samples, 1)
    results = []
    for a, b in combinations(values, 2):
        try:
            d = paired_differences(values[a], values[b], weights)
        except (ArgumentError, DataError) as error:
            kind = DataError if isinstance(error, DataError) else ArgumentError
            raise kind(f"Systems {a!r} (a) and {b!r} (b) cannot be compared: {error}") from None
        tests = {
            "randomisation": randomisation_of(d, seed=seed, samples=samples),
            "t": t_of(d),
            "wilcoxon": signed_rank_of(d),
        }
        interval = mean_interval(
            d.values, weights=d.weights, level=1.0 - level, resamples=resamples, seed=seed
        )
        pair = PairResult(
            a=a,
            b=b,
            difference=d.mean,
            interval=interval,
            effect=effect_of(d),
            tests=tests,
            test=test,
            adjusted=tests[test].p,
            level=level,
            wins=d.wins,
            ties=d.ties,
            losses=d.losses,
            n=d.n,
            dropped=d.dropped,
            greater_is_better=greater_is_better,
        )
        results.append(pair)
    return adjust_together([results])[0]


def adjust_together(families: Sequence[Sequence[PairResult]]) -> list[list[PairResult]]:
    """The same results with p-values Holm-adjusted over all of them: all pairs of several metrics, say."""
    adjusted = holm_family([[result.p for result in family] for family in families])
    return [
        [replace(result, adjusted=float(p)) for result, p in zip(family, ps, strict=True)]
        for family, ps in zip(families, adjusted, strict=True)
    ]
