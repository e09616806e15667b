"""Rest points: scores at which the mean gradient of a loss vanishes, for losses that are no functions.

The gradient of LambdaRank is that of no function, since the weights of its pairs jump where two items change
places; there is no minimum to converge to. What training can come to rest at are *rest points*. Scores are
sorted into *faces*: all scores with the same groups of equal items in the same order. A face without ties is
one ranking. A statement here lists faces that are proven to hold no rest point, each with its proof, and
rest points that are proven to exist. On ties the mean gradient is any mixture of those of the rankings that
sort them (Filippov's rule), so that no rule for ties can help.

>>> face_text(((1,), (0, 2)))
'1 > 0 = 2'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, permutations, product
from typing import Any, TypeAlias

from rankproof.errors import DataError
from rankproof.feedback import Law
from rankproof.feedback.numbers import fraction_text
from rankproof.plain import html_table, json_text
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.base.stored_text import check_format, plain_from_json
from rankproof.theory.base.values import Ranking
from rankproof.theory.base.wording import law_words, ranking_word

__all__ = ["MOST_ITEMS", "Face", "NoRest", "Push", "RestPoints", "all_faces", "face_text", "rankings_of"]

FORMAT, VERSION = "rankproof.rest-points", 1
# Four items have 75 faces.
MOST_ITEMS = 4

Face: TypeAlias = tuple[tuple[int, ...], ...]


def all_faces(items: int) -> list[Face]:
    """Every way to group so many items and to order the groups.

    >>> all_faces(2)
    [((0,), (1,)), ((1,), (0,)), ((0, 1),)]
    """
    faces: dict[Face, None] = {}
    for ties in range(items):
        for ranking in permutations(range(items)):
            for cuts in product((True, False), repeat=items - 1):
                if cuts.count(False) == ties:
                    faces[_grouped(ranking, cuts)] = None
    return list(faces)


def _grouped(ranking: Ranking, cuts: tuple[bool, ...]) -> Face:
    groups = [[ranking[0]]]
    for item, cut in zip(ranking[1:], cuts, strict=True):
        if cut:
            groups.append([])
        groups[-1].append(item)
    return tuple(tuple(sorted(group)) for group in groups)


def rankings_of(face: Face) -> list[Ranking]:
    """The rankings that sort the scores of a face."""
    return [tuple(chain(*parts)) for parts in product(*(permutations(group) for group in face))]


def face_text(face: Face) -> str:
    """Items best first, equal ones joined."""
    return " > ".join(" = ".join(map(str, group)) for group in face)


@dataclass(frozen=True)
class Push:
    """A direction in which every gradient of a face points, for pairs of different groups within bounds.

    Attributes
    ----------
    low, high : bounds of the logistic function of minus the difference of two scores, from 0 to 1/2
    direction : one number per item
    """

    low: Fraction
    high: Fraction
    direction: tuple[Fraction, ...]


@dataclass(frozen=True)
class NoRest:
    """Why a face holds no rest point; see `rankproof.theory.rest_points.check` for the two theorems.

    Attributes
    ----------
    face : the groups of equal items, best first
    pushes : directions in which all gradients point, part by part; or
    elsewhere : where the gradient of the ranking vanishes, outside of the face
    """

    face: Face
    pushes: tuple[Push, ...] = ()
    elsewhere: Minimum | None = None


@dataclass(frozen=True)
class RestPoints:
    """A law under which no rest point sorts best.

    Attributes
    ----------
    law : the law of the feedback
    excluded : the faces that are proven to hold no rest point; every face whose rankings are all best is
        among them
    resting : rankings that are proven to have a rest point, and where it is
    best_rankings : the rankings that are best for the metric
    cost : what every rest point loses of the metric, at least
    noise : the condition that the law meets, when one was asked for
    """

    law: Law
    excluded: tuple[NoRest, ...]
    resting: tuple[tuple[Ranking, Minimum], ...]
    best_rankings: tuple[Ranking, ...]
    cost: Fraction
    noise: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """A dict of strings, numbers and lists, for ``json.dump``; `from_dict` reads it back."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "law": self.law.to_dict(),
            "excluded": [_plain(one) for one in self.excluded],
            "resting": [
                {"ranking": list(ranking), "minimum": place.to_dict()} for ranking, place in self.resting
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
            ["law", law_words(self.law)],
            [
                "rests at",
                " or ".join(ranking_word(ranking) for ranking, _ in self.resting) or "no best ranking",
            ],
            ["best", " or ".join(map(ranking_word, self.best_rankings))],
            ["cost", f"at least {fraction_text(self.cost, decimal=True)}"],
        ]
        return html_table(["", "rest points"], rows, left=range(2))

    @classmethod
    def from_json(cls, text: str) -> RestPoints:
        """The statement of the text that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "rest points"))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> RestPoints:
        """The statement that `to_dict` wrote."""
        check_format(plain, "statement on rest points", FORMAT, VERSION)
        try:
            return cls(
                law=Law.from_dict(plain["law"]),
                excluded=tuple(_no_rest(one) for one in plain["excluded"]),
                resting=tuple(
                    (_items(one["ranking"]), Minimum.from_dict(one["minimum"])) for one in plain["resting"]
                ),
                best_rankings=tuple(_items(ranking) for ranking in plain["best_rankings"]),
                cost=Fraction(plain["cost"]),
                noise=plain["noise"],
            )
        except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
            raise DataError(
                f"The stored rest points are damaged: {type(error).__name__}: {error}."
            ) from error


def _plain(one: NoRest) -> dict[str, Any]:
    face = [list(group) for group in one.face]
    if one.elsewhere is not None:
        return {"face": face, "elsewhere": one.elsewhere.to_dict()}
    pushes = [
        {"low": str(push.low), "high": str(push.high), "direction": [str(x) for x in push.direction]}
        for push in one.pushes
    ]
    return {"face": face, "pushes": pushes}


def _no_rest(plain: Mapping[str, Any]) -> NoRest:
    face = tuple(_items(group) for group in plain["face"])
    if "elsewhere" in plain:
        return NoRest(face, elsewhere=Minimum.from_dict(plain["elsewhere"]))
    return NoRest(
        face,
        tuple(
            Push(Fraction(push["low"]), Fraction(push["high"]), tuple(Fraction(x) for x in push["direction"]))
            for push in plain["pushes"]
        ),
    )


def _items(plain: Any) -> tuple[int, ...]:
    return tuple(int(item) for item in plain)
