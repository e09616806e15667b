"""A law under which no rest point of an engine's objective sorts best, with the proof, as plain data.

The proof of a face (`rankproof.theory.base.rest_points`) divides its gaps, how far each group of equal items
is above the next, into boxes by cuts: a cut at 1 of gap 0 leaves a part where that gap is at most 1, then one
where it is at least 1. The parts and their cuts are listed one after the other, each part in full before the
next, so that the boxes leave nothing out. A box that is not cut has a direction in which the mean field
points nowhere in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from rankproof.errors import DataError
from rankproof.feedback import Law
from rankproof.feedback.numbers import fraction_text
from rankproof.plain import html_table, json_text
from rankproof.theory.base.rest_points import Face
from rankproof.theory.base.stored_text import check_format, plain_from_json
from rankproof.theory.base.values import Ranking
from rankproof.theory.base.wording import law_words, ranking_word

__all__ = ["Cut", "Direction", "PushedApart", "ShippedRestPoints"]

FORMAT, VERSION = "rankproof.shipped-rest-points", 1


@dataclass(frozen=True)
class Cut:
    """The part of a box below ``at`` in one gap comes next, then the part above."""

    gap: int
    at: Fraction


Direction: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class PushedApart:
    """Why a face holds no rest point: cuts and directions; see `rankproof.theory.rest_points.shipped`."""

    face: Face
    parts: tuple[Cut | Direction, ...]


@dataclass(frozen=True)
class ShippedRestPoints:
    """A law under which no rest point of an engine's objective sorts best.

    Attributes
    ----------
    objective : the objective, as its string
    source : engine, version and file that the formula was read in
    law : the law of the labels
    excluded : the faces that are proven to hold no rest point; every face whose rankings are all best is
        among them
    best_rankings : the rankings that are best for the metric
    cost : what every rest point loses of the metric, at least
    noise : the condition that the law meets, when one was asked for
    """

    objective: str
    source: str
    law: Law
    excluded: tuple[PushedApart, ...]
    best_rankings: tuple[Ranking, ...]
    cost: Fraction
    noise: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """A dict of strings, numbers and lists, for ``json.dump``; `from_dict` reads it back."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "objective": self.objective,
            "source": self.source,
            "law": self.law.to_dict(),
            "excluded": [
                {"face": [list(group) for group in one.face], "parts": [_plain(part) for part in one.parts]}
                for one in self.excluded
            ],
            "best_rankings": [list(ranking) for ranking in self.best_rankings],
            "cost": str(self.cost),
            "cost_value": float(self.cost),
            "noise": self.noise,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        rows = [
            ["objective", self.objective],
            ["read in", self.source],
            ["law", law_words(self.law)],
            ["best", " or ".join(map(ranking_word, self.best_rankings))],
            ["cost", f"at least {fraction_text(self.cost, decimal=True)}"],
        ]
        return html_table(["", "rest points"], rows, left=range(2))

    @classmethod
    def from_json(cls, text: str) -> ShippedRestPoints:
        """The statement of the text that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "rest points of an objective"))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ShippedRestPoints:
        """The statement that `to_dict` wrote."""
        check_format(plain, "statement on rest points of an objective", FORMAT, VERSION)
        try:
            return cls(
                objective=str(plain["objective"]),
                source=str(plain["source"]),
                law=Law.from_dict(plain["law"]),
                excluded=tuple(
                    PushedApart(
                        tuple(_whole(group) for group in one["face"]),
                        tuple(_part(part) for part in one["parts"]),
                    )
                    for one in plain["excluded"]
                ),
                best_rankings=tuple(_whole(ranking) for ranking in plain["best_rankings"]),
                cost=Fraction(plain["cost"]),
                noise=plain["noise"],
            )
        except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
            raise DataError(
                f"The stored rest points are damaged: {type(error).__name__}: {error}."
            ) from error


def _plain(part: Cut | Direction) -> dict[str, Any] | list[int]:
    return {"gap": part.gap, "at": str(part.at)} if isinstance(part, Cut) else list(part)


def _part(plain: Any) -> Cut | Direction:
    if isinstance(plain, Mapping):
        return Cut(_whole([plain["gap"]])[0], Fraction(plain["at"]))
    return _whole(plain)


def _whole(plain: Sequence[Any]) -> tuple[int, ...]:
    if any(type(number) is not int for number in plain):
        raise ValueError(f"whole numbers are needed, got {plain!r:.60}")
    return tuple(plain)
