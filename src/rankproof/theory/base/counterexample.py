"""Counterexamples: a law under which a loss is proven to converge to a ranking that is not best.

The proof has two halves. Where the minimiser of the expected loss lies is proven by
`rankproof.theory.minima.enclosure`; which rankings are best is computed in fractions by
`rankproof.theory.base.risk`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankproof.errors import DataError
from rankproof.feedback import Law
from rankproof.feedback.numbers import fraction_text
from rankproof.plain import html_table, json_text
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.base.stored_text import check_format, plain_from_json
from rankproof.theory.base.values import Ranking
from rankproof.theory.base.wording import law_words, ranking_word

__all__ = ["Counterexample"]

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

    def to_dict(self) -> dict[str, Any]:
        """A dict of strings, numbers and lists, for ``json.dump``; `from_dict` reads it back."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "law": self.law.to_dict(),
            "minimum": self.minimum.to_dict(),
            "scores": list(self.scores),
            "minimiser_rankings": [list(ranking) for ranking in self.minimiser_rankings],
            "best_rankings": [list(ranking) for ranking in self.best_rankings],
            "cost": str(self.cost),
            "cost_value": self.cost_value,
            "noise": self.noise,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        rows = [
            ["law", law_words(self.law)],
            ["minimiser", str(self.minimum)],
            ["it ranks", _shown(self.minimiser_rankings)],
            ["best", _shown(self.best_rankings)],
            ["cost", fraction_text(self.cost, decimal=True)],
        ]
        return html_table(["", "counterexample"], rows, left=range(2))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Counterexample:
        """The counterexample that `to_dict` wrote."""
        check_format(plain, "counterexample", FORMAT, VERSION)
        try:
            return cls(
                law=Law.from_dict(plain["law"]),
                minimum=Minimum.from_dict(plain["minimum"]),
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

    @classmethod
    def from_json(cls, text: str) -> Counterexample:
        """The counterexample of the text that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "counterexample"))


def _shown(rankings: Sequence[Ranking]) -> str:
    return " or ".join(map(ranking_word, rankings))


def _rankings(plain: Any) -> tuple[Ranking, ...]:
    return tuple(tuple(int(item) for item in ranking) for ranking in plain)
