"""What was found between two systems, as a value, as plain data, and as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.evaluation.bootstrap import Interval
from rankproof.evaluation.effect import Effect
from rankproof.evaluation.paired import Paired
from rankproof.evaluation.tables import Table, as_html, number
from rankproof.plain import json_text, plain_number

__all__ = ["PairResult", "pair_table", "probability"]

# Beside an interval that does not say the same of 0 as the test that decides.
DISAGREES = "*"


@dataclass(frozen=True)
class PairResult:
    """What was found between two systems.

    Attributes
    ----------
    a, b : the names of the systems
    difference : float
        The (weighted) mean of *a - b* over the queries that both have.
    interval : Interval
        Student's interval of the difference. Its level is the one at which Holm's correction tested the pair:
        ``1 - level / k`` where p was compared with ``level / k``. When the t test decides, it excludes 0
        exactly when a difference is shown; the other tests can disagree with it near the level, see
        ``disagrees``.
    effect : Effect
    tests : the three tests by name
    test : which of them decides
    adjusted : float
        The deciding p-value, Holm-adjusted over its family.
    level : float
    wins, ties, losses : queries on which *a* is above, equal to, below *b*
    n, dropped : queries compared, and left out because either system has no value on them
    greater_is_better : bool
    undecided : bool
        Whether the sampled test does not tell on which side of the level it lies; no winner is named then.
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
    undecided: bool = False

    @property
    def p(self) -> float:
        """The p-value of the deciding test, before the adjustment."""
        return self.tests[self.test].p

    @property
    def significant(self) -> bool:
        """Whether the deciding test, adjusted, shows a difference."""
        return self.adjusted <= self.level and not self.undecided

    @property
    def p_error(self) -> float:
        """How far ``p`` may be off because it was sampled; 0 when it was not."""
        return self.tests[self.test].p_error

    @property
    def disagrees(self) -> bool:
        """Whether the interval excludes 0 where no difference is shown, or includes it where one is."""
        return not math.isnan(self.interval.low) and self.significant == (0.0 in self.interval)

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
            "interval_level": self.interval.level,
            "interval_method": self.interval.method,
            "p": {
                name: {
                    "p": plain_number(t.p),
                    "p_error": plain_number(t.p_error),
                    "exact": t.exact,
                    "detail": t.detail,
                }
                for name, t in self.tests.items()
            },
            "p_adjusted": plain_number(self.adjusted),
            "within_sampling_error": self.undecided,
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
                f"[{number(p.interval.low)}, {number(p.interval.high)}]{DISAGREES * p.disagrees}",
            ),
            *(probability(p.p), probability(p.adjusted), *(probability(p.tests[t].p) for t in others)),
            *(f"{p.effect.g:.2f}", f"{p.wins}/{p.ties}/{p.losses}", _winner(p)),
        ]
        for p in pairs
    ]
    return Table(columns, rows, _pair_notes(pairs), text_columns=["winner"])


def _winner(p: PairResult) -> str:
    return "within sampling error" if p.undecided else p.winner or "none shown"


def _pair_notes(pairs: Sequence[PairResult]) -> list[str]:
    """What a reader must know beside the rows."""
    notes = []
    if any(p.disagrees for p in pairs):
        notes.append(
            f"{DISAGREES} the t interval and the {pairs[0].test} test disagree about 0; the test decides"
        )
    if any(p.undecided for p in pairs):
        notes.append("within sampling error: more random sign patterns would be needed to decide")
    return notes


def probability(p: float) -> str:
    """A p-value for a table.

    >>> probability(0.03125), probability(0.00001), probability(1.0)
    ('0.031', '<0.001', '1.000')
    """
    if math.isnan(p):
        return "nan"
    return "<0.001" if p < 0.001 else f"{p:.3f}"
