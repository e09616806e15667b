"""Proofs on the existence of a target, as values: what was found, ready to be checked again.

- `TargetTable`: numbers u per feedback and item such that sorting by E[u] is optimal under every law;
- `Clash`: two exchanges of neighbours whose gains no target fits together;
- `Contradiction`: laws that no target can serve together;
- `Split`: a law whose best rankings no convex loss can give (C12 Theorem 3);
- `AssumptionA`: whether the metric satisfies assumption (A) of C12.

`rankproof.theory.existence.checks` says what each must satisfy and checks it. All are plain data: `to_json`
writes strings, numbers and lists (fractions as ``"8/13"``), `from_json` reads them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from rankproof.errors import DataError
from rankproof.feedback import Feedback, Graded, Law
from rankproof.feedback.law_text import law_from_plain, law_to_plain
from rankproof.theory.existence.wording import feedback_word, law_words, ranking_word, shown
from rankproof.theory.spaces import Space

__all__ = ["AssumptionA", "Clash", "Contradiction", "Part", "Rows", "Split", "TargetTable"]

Rows: TypeAlias = tuple[tuple[Fraction, ...], ...]
Ranking: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class TargetTable:
    """A target as a table.

    Attributes
    ----------
    space : the feedback
    rows : for every feedback one number per item
    shadow : the same from the values at another precision, for a metric with irrational values, else None
    """

    space: Space
    rows: Rows
    shadow: Rows | None = None

    def of(self, feedback: Feedback) -> tuple[Fraction, ...]:
        """The numbers of one feedback."""
        return self.rows[self.space.index(feedback)]

    def to_json(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            **_feedback_to_plain(self.space.feedback),
            "target": _rows_to_plain(self.rows),
            "shadow": None if self.shadow is None else _rows_to_plain(self.shadow),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> TargetTable:
        """The table that `to_json` wrote."""
        with _reading("target"):
            return cls(
                Space(plain["feedback"], plain["items"], _feedback_from_plain(plain)),
                _rows_from_plain(plain["target"]),
                None if plain["shadow"] is None else _rows_from_plain(plain["shadow"]),
            )

    def __str__(self) -> str:
        lines = [
            f"{feedback_word(y)}: {', '.join(map(shown, row))}"
            for y, row in zip(self.space.feedback, self.rows, strict=True)
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Clash:
    """Exchanges of neighbours whose gains no target fits together.

    Attributes
    ----------
    kind : "ratio" (two gains are no positive multiples of one vector) or "sum" (three do not add up)
    rankings : for a ratio two, in which item 0 is directly above item 1; for a sum three, in which at the
        same ranks 0 is directly above 1, 1 above 2, and 0 above 2
    feedback : the feedbacks at which this shows: two for a ratio (one, if the signs differ), one for a sum
    gains : for each ranking, what that order gains over the exchanged one under each feedback
    """

    kind: str
    rankings: tuple[Ranking, ...]
    feedback: tuple[Feedback, ...]
    gains: tuple[tuple[Fraction, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "clash": self.kind,
            "rankings": [list(ranking) for ranking in self.rankings],
            **_feedback_to_plain(self.feedback),
            "gains": _rows_to_plain(self.gains),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Clash:
        """The clash that `to_json` wrote."""
        with _reading("clash"):
            return cls(
                plain["clash"],
                tuple(tuple(ranking) for ranking in plain["rankings"]),
                _feedback_from_plain(plain),
                _rows_from_plain(plain["gains"]),
            )

    def __str__(self) -> str:
        if self.kind == "sum":
            ((first,), (second,), (both,)), word = self.gains, feedback_word(self.feedback[0])
            return (
                f"for {word} item 0 above item 1 gains {shown(first)}, 1 above 2 gains {shown(second)}, and "
                f"0 above 2 gains {shown(both)}: no u has differences u_0 - u_1, u_1 - u_2 and u_0 - u_2 in "
                "these proportions"
            )
        parts = [
            f"in the ranking {ranking_word(ranking)} it gains "
            + " and ".join(
                f"{shown(gain)} for {feedback_word(y)}" for gain, y in zip(gains, self.feedback, strict=True)
            )
            for ranking, gains in zip(self.rankings, self.gains, strict=True)
        ]
        return (
            f"item 0 directly above item 1, against the two exchanged: {', '.join(parts)}. With a target "
            "both would be positive multiples of one u_0 - u_1"
        )


@dataclass(frozen=True)
class Part:
    """A law under which every best ranking has item ``above`` above item ``below``, and its weight."""

    law: Law
    weight: Fraction
    above: int = 0
    below: int = 1


@dataclass(frozen=True)
class Contradiction:
    """Laws that no target can serve together; see `rankproof.theory.existence.checks.check_contradiction`."""

    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "parts": [
                {
                    "law": part.law.to_json(),
                    "weight": str(part.weight),
                    "above": part.above,
                    "below": part.below,
                }
                for part in self.parts
            ]
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Contradiction:
        """The contradiction that `to_json` wrote."""
        with _reading("contradiction"):
            return cls(
                tuple(
                    Part(Law.from_json(part["law"]), Fraction(part["weight"]), part["above"], part["below"])
                    for part in plain["parts"]
                )
            )

    def __str__(self) -> str:
        listed = "; ".join(
            f"under {law_words(part.law)} every best ranking has item {part.above} above item {part.below}"
            for part in self.parts
        )
        weights = ", ".join(str(part.weight) for part in self.parts)
        return (
            f"{listed}. A target u would make E[u] larger for the item above, under each law. Yet with "
            f"weights {weights} these differences add up to 0, once all ways to rename the items are summed"
        )


@dataclass(frozen=True)
class Split:
    """A law whose best rankings order items i and j both ways, though i and j can never be tied.

    Attributes
    ----------
    law : the law
    pair : the items i, j
    first, second : two best rankings, the first with i above j, the second with j above i
    best : all best rankings: none stays best when i and j, standing next to each other, are exchanged
    """

    law: Law
    pair: tuple[int, int]
    first: Ranking
    second: Ranking
    best: tuple[Ranking, ...]

    def to_json(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "law": self.law.to_json(),
            "pair": list(self.pair),
            "first": list(self.first),
            "second": list(self.second),
            "best": [list(ranking) for ranking in self.best],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Split:
        """The split that `to_json` wrote."""
        with _reading("split"):
            i, j = plain["pair"]
            return cls(
                Law.from_json(plain["law"]),
                (i, j),
                tuple(plain["first"]),
                tuple(plain["second"]),
                tuple(tuple(ranking) for ranking in plain["best"]),
            )

    def __str__(self) -> str:
        i, j = self.pair
        listed = " and ".join(ranking_word(ranking) for ranking in self.best)
        return (
            f"under {law_words(self.law)} the best rankings are {listed}: items {i} and {j} stand in both "
            f"orders, but nowhere next to each other with the exchange of the two as good. A convex loss "
            f"whose minimisers reach both orders has one that ties {i} and {j}, and that is not optimal"
        )


@dataclass(frozen=True)
class AssumptionA:
    """Assumption (A) of C12: for every item a feedback for which its rank alone counts, strictly.

    Attributes
    ----------
    holds : whether there are such feedbacks
    betas : the value with the item at ranks 1, 2, ..., which falls strictly; empty when (A) fails
    feedback : for every item its feedback; empty when (A) fails
    """

    holds: bool
    betas: tuple[Fraction, ...] = ()
    feedback: tuple[Feedback, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "holds": self.holds,
            "betas": [str(beta) for beta in self.betas],
            **(_feedback_to_plain(self.feedback) if self.feedback else {}),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> AssumptionA:
        """The answer that `to_json` wrote."""
        with _reading("answer on assumption (A)"):
            found = _feedback_from_plain(plain) if plain["betas"] else ()
            return cls(plain["holds"], tuple(Fraction(beta) for beta in plain["betas"]), found)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if not self.holds:
            return "assumption (A) of C12 fails: for no feedback does the rank of one item alone count"
        return (
            f"assumption (A) of C12 holds: for {feedback_word(self.feedback[0])} the value is "
            f"{', '.join(map(shown, self.betas))} with item 0 at rank 1, 2, ..."
        )


def _feedback_to_plain(feedback: Sequence[Feedback]) -> dict[str, Any]:
    # Stored as the support of a law is.
    return {key: law_to_plain(feedback, ())[key] for key in ("feedback", "items", "support")}


def _feedback_from_plain(plain: Mapping[str, Any]) -> tuple[Feedback, ...]:
    head = law_to_plain((Graded((0,)),), ())
    none = ["0"] * len(plain["support"])
    return tuple(y for y, _ in law_from_plain({**head, **plain, "probabilities": none}))


def _rows_to_plain(rows: Rows) -> list[list[str]]:
    return [[str(number) for number in row] for row in rows]


def _rows_from_plain(plain: Sequence[Sequence[str]]) -> Rows:
    return tuple(tuple(Fraction(number) for number in row) for row in plain)


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turns what goes wrong with damaged data into a `DataError`."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
        raise DataError(f"The stored {what} is damaged: {type(error).__name__}: {error}.") from error
