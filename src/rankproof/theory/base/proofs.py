"""Proofs on the existence of a target, as values: what was found, ready to be checked again.

- `TargetTable`: numbers u per feedback and item such that sorting by E[u] is optimal under every law;
- `Clash`: two exchanges of neighbours whose gains no target fits together;
- `Contradiction`: laws that no target can serve together;
- `SplitLaw`: a law whose best rankings no convex loss can give (C12 Theorem 3);
- `AssumptionA`: whether the metric satisfies assumption (A) of C12.

`rankproof.theory.existence.checks` says what each must satisfy and checks it. All are plain data: `to_dict`
writes strings, numbers and lists (fractions as ``"8/13"``), `from_dict` reads them back.
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
from rankproof.feedback.numbers import fraction_text
from rankproof.feedback.spaces import Space
from rankproof.plain import html_text, json_text
from rankproof.theory.base.wording import feedback_word, law_words, ranking_word

__all__ = ["AssumptionA", "Clash", "Contradiction", "ForcedOrder", "Rows", "SplitLaw", "TargetTable"]

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

    def row(self, feedback: Feedback) -> tuple[Fraction, ...]:
        """The numbers of one feedback."""
        return self.rows[self.space.index(feedback)]

    def to_dict(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            **_feedback_to_plain(self.space.feedback),
            "target": _rows_to_plain(self.rows),
            "shadow": None if self.shadow is None else _rows_to_plain(self.shadow),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per feedback, one column per item."""
        from rankproof.data.frames import frame_of_rows

        rows = [
            {"feedback": feedback_word(y), **{f"u({i})": float(number) for i, number in enumerate(row)}}
            for y, row in zip(self.space.feedback, self.rows, strict=True)
        ]
        return frame_of_rows(rows, backend)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> TargetTable:
        """The table that `to_dict` wrote."""
        with _undamaged("target"):
            return cls(
                Space(plain["feedback"], plain["items"], _feedback_from_plain(plain)),
                _rows_from_plain(plain["target"]),
                None if plain["shadow"] is None else _rows_from_plain(plain["shadow"]),
            )

    def __str__(self) -> str:
        lines = [
            f"{feedback_word(y)}: {', '.join(map(fraction_text, row))}"
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

    def to_dict(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "clash": self.kind,
            "rankings": [list(ranking) for ranking in self.rankings],
            **_feedback_to_plain(self.feedback),
            "gains": _rows_to_plain(self.gains),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Clash:
        """The clash that `to_dict` wrote."""
        with _undamaged("clash"):
            return cls(
                plain["clash"],
                tuple(tuple(ranking) for ranking in plain["rankings"]),
                _feedback_from_plain(plain),
                _rows_from_plain(plain["gains"]),
            )

    def __str__(self) -> str:
        if self.kind == "sum":
            ((first,), (second,), (both,)), word = self.gains, feedback_word(self.feedback[0])
            alone, after, together = map(fraction_text, (first, second, both))
            return (
                f"for {word} item 0 above item 1 gains {alone}, 1 above 2 gains {after}, and 0 above 2 gains "
                f"{together}: no u has differences u_0 - u_1, u_1 - u_2 and u_0 - u_2 in these proportions"
            )
        parts = [
            f"in the ranking {ranking_word(ranking)} it gains "
            + " and ".join(
                f"{fraction_text(gain)} for {feedback_word(y)}"
                for gain, y in zip(gains, self.feedback, strict=True)
            )
            for ranking, gains in zip(self.rankings, self.gains, strict=True)
        ]
        return (
            f"item 0 directly above item 1, against the two exchanged: {', '.join(parts)}. With a target "
            "both would be positive multiples of one u_0 - u_1"
        )


@dataclass(frozen=True)
class ForcedOrder:
    """A law under which every best ranking has item ``above`` above item ``below``, and its weight."""

    law: Law
    weight: Fraction
    above: int = 0
    below: int = 1


@dataclass(frozen=True)
class Contradiction:
    """Laws that no target can serve together; see `rankproof.theory.existence.checks.check_contradiction`."""

    parts: tuple[ForcedOrder, ...]

    def to_dict(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "parts": [
                {
                    "law": part.law.to_dict(),
                    "weight": str(part.weight),
                    "above": part.above,
                    "below": part.below,
                }
                for part in self.parts
            ]
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Contradiction:
        """The contradiction that `to_dict` wrote."""
        with _undamaged("contradiction"):
            return cls(
                tuple(
                    ForcedOrder(
                        Law.from_dict(part["law"]), Fraction(part["weight"]), part["above"], part["below"]
                    )
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
class SplitLaw:
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

    def to_dict(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "law": self.law.to_dict(),
            "pair": list(self.pair),
            "first": list(self.first),
            "second": list(self.second),
            "best": [list(ranking) for ranking in self.best],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> SplitLaw:
        """The split that `to_dict` wrote."""
        with _undamaged("split"):
            i, j = plain["pair"]
            return cls(
                Law.from_dict(plain["law"]),
                (i, j),
                tuple(plain["first"]),
                tuple(plain["second"]),
                tuple(tuple(ranking) for ranking in plain["best"]),
            )

    def __str__(self) -> str:
        i, j = self.pair
        listed = " and ".join(ranking_word(ranking) for ranking in self.best)
        return (
            f"under {law_words(self.law)} the best rankings are {listed}: items {i} and {j} are in both "
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

    def to_dict(self) -> dict[str, Any]:
        """A dict for ``json.dump``."""
        return {
            "holds": self.holds,
            "betas": [str(beta) for beta in self.betas],
            **(_feedback_to_plain(self.feedback) if self.feedback else {}),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> AssumptionA:
        """The answer that `to_dict` wrote."""
        with _undamaged("answer on assumption (A)"):
            feedback = _feedback_from_plain(plain) if plain["betas"] else ()
            return cls(plain["holds"], tuple(Fraction(beta) for beta in plain["betas"]), feedback)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if not self.holds:
            return "assumption (A) of C12 fails: for no feedback does the rank of one item alone count"
        return (
            f"assumption (A) of C12 holds: for {feedback_word(self.feedback[0])} the value is "
            f"{', '.join(map(fraction_text, self.betas))} with item 0 at rank 1, 2, ..."
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
def _undamaged(what: str) -> Iterator[None]:
    """Turns what goes wrong with damaged data into a `DataError`."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
        raise DataError(f"The stored {what} is damaged: {type(error).__name__}: {error}.") from error
