"""Does a metric have a target? Decided on a finite feedback space, with a proof either way.

>>> from rankproof.feedback.spaces import graded_space
>>> print(target_exists("nDCG@2", graded_space(3, 2)))
nDCG@2 has a target on 3 items with grades 0, 1: normalised-gain@2.
>>> found = target_exists("RR", graded_space(3, 2))
>>> found.outcome
'none'
>>> print(found.clash)
item 0 directly above item 1, against the two exchanged: in the ranking 0-1-2 it gains 1/2 for 100 and 1/2
for 101, in the ranking 2-0-1 it gains 1/6 for 100 and 0 for 101. With a target both would be positive
multiples of one u_0 - u_1

The decision is that of `rankproof.theory.existence.exchanges`; a target is read off the exchanges, and where
they clash laws are looked for that show it (`rankproof.theory.existence.contradiction`,
`rankproof.theory.existence.witness`). By Calauzènes & Usunier (NeurIPS 2020) a metric without a target has no
convex consistent loss on scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankproof.errors import DataError, PrecisionError
from rankproof.feedback import Graded
from rankproof.feedback.spaces import Space
from rankproof.plain import html_text, json_text
from rankproof.theory.base.proofs import AssumptionA, Clash, Contradiction, SplitLaw, TargetTable
from rankproof.theory.base.question import Question
from rankproof.theory.base.rounding import ROUNDED, spread_of, too_coarse
from rankproof.theory.base.stored_text import plain_from_json
from rankproof.theory.base.values import ValueTable, value_table
from rankproof.theory.existence.checks import assumption_of, check_clash, check_target
from rankproof.theory.existence.closed_form import closed_form
from rankproof.theory.existence.contradiction import find_contradiction
from rankproof.theory.existence.exchanges import exchange_target
from rankproof.theory.existence.symmetry import rounded
from rankproof.theory.existence.witness import find_split

__all__ = ["OUTCOMES", "Existence", "assumption_a", "existence_of", "existence_on", "target_exists"]

OUTCOMES = ("target", "none", "trivial", "undecided")
FORMAT, VERSION = "rankproof.existence", 1


@dataclass(frozen=True)
class Existence:
    """Whether a metric has a target on a feedback space.

    Attributes
    ----------
    outcome : "target", "none", "trivial" (every ranking always has the same value) or "undecided"
    metric : the metric's string, or the function's name
    space : the feedback space
    target : the target as a table, when there is one
    closed_form : the string of the target of the registry that it is, or None
    clash : the exchanges that contradict each other, when there is no target
    contradiction : laws that no target can serve together, when there is no target; None if none were found
    split : a law that refutes all convex losses by C12 Theorem 3, when there is no target; None if none was
        found, or if different rankings always have the same value
    """

    outcome: str
    metric: str
    space: Space
    target: TargetTable | None = None
    closed_form: str | None = None
    clash: Clash | None = None
    contradiction: Contradiction | None = None
    split: SplitLaw | None = None

    @property
    def here(self) -> str:
        """The space in words."""
        many = f"{self.space.items} items"
        grades = sorted({grade for y in self.space.feedback if isinstance(y, Graded) for grade in y})
        if grades:
            full = len(self.space) == len(grades) ** self.space.items
            return f"{many} with {'' if full else 'some labels of '}grades {', '.join(map(str, grades))}"
        kinds = {"permutation": "permutations", "preferences": "preference graphs"}
        return f"{many} with {len(self.space)} {kinds[self.space.kind]}"

    @property
    def reason(self) -> str:
        """Why, in a sentence."""
        if self.outcome == "target":
            named = f": {self.closed_form}" if self.closed_form else ""
            return f"{self.metric} has a target on {self.here}{named}."
        if self.outcome == "trivial":
            return (
                f"{self.metric} gives all rankings the same value on {self.here}: there is nothing to rank."
            )
        if self.outcome == "none":
            return f"{self.metric} has no target on {self.here}: {self.clash}."
        return (
            f"Whether {self.metric} has a target on {self.here} is not decided: {self.clash}; but no laws "
            "were found that prove it. Rounding, or a target that treats items differently, is not excluded."
        )

    def __str__(self) -> str:
        return self.reason

    def to_dict(self) -> dict[str, Any]:
        """A dict for ``json.dump``, from which `rankproof.theory.existence.checks` can check again."""
        proofs = {name: getattr(self, name) for name in _PROOFS}
        return {
            "format": FORMAT,
            "version": VERSION,
            "outcome": self.outcome,
            "metric": self.metric,
            "space": TargetTable(self.space, ()).to_dict(),
            "closed_form": self.closed_form,
            **{name: None if proof is None else proof.to_dict() for name, proof in proofs.items()},
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Existence:
        """What `to_dict` wrote."""
        if plain.get("format") != FORMAT or plain.get("version") != VERSION:
            raise DataError(
                f"Stored answers on targets have format {FORMAT!r} and version {VERSION}, got "
                f"{plain.get('format')!r} and {plain.get('version')!r}."
            )
        missing = [
            name for name in ("outcome", "metric", "space", "closed_form", *_PROOFS) if name not in plain
        ]
        if missing or plain["outcome"] not in OUTCOMES:
            raise DataError(f"The stored answer on a target is damaged: it lacks {missing or 'an outcome'}.")
        proofs = {
            name: kind.from_dict(plain[name]) for name, kind in _PROOFS.items() if plain[name] is not None
        }
        space = TargetTable.from_dict(plain["space"]).space
        return cls(plain["outcome"], plain["metric"], space, closed_form=plain["closed_form"], **proofs)

    @classmethod
    def from_json(cls, text: str) -> Existence:
        """The existence of a target of the text that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "existence of a target"))


_PROOFS: dict[str, Any] = {
    "target": TargetTable,
    "clash": Clash,
    "contradiction": Contradiction,
    "split": SplitLaw,
}


def target_exists(metric: Any, space: Space) -> Existence:
    """Whether the metric (its string, or a function ``(ranking, feedback) -> number``) has a target.

    Raises
    ------
    PrecisionError
        When the answer depends on digits that the values do not have.
    """
    return existence_on(value_table(metric, space))


def existence_on(values: ValueTable) -> Existence:
    """Whether the metric whose values these are has a target on their space; see `target_exists`."""
    table, space = rounded(values), values.space
    name = str(table.metric)
    exchange = exchange_target(table)
    if exchange is None and table.slack and spread_of(table):
        raise PrecisionError(f"All rankings seem to have the same value, but {too_coarse(table)}.")
    if exchange is None:
        return Existence("trivial", name, space)
    if isinstance(exchange, Clash):
        return _without(table, name, exchange)
    second = None if table.shadow is None else exchange_target(table.shadow)
    target = TargetTable(space, exchange, second if isinstance(second, tuple) else None)
    wrong = check_target(table, target)
    if wrong is not None:
        raise PrecisionError(
            f"Whether the values of {name} fit a target cannot be told from their rounding: {wrong}."
        )
    return Existence("target", name, space, target, closed_form(table.metric, target, _tolerance(table)))


def _without(table: ValueTable, name: str, clash: Clash) -> Existence:
    laws = find_contradiction(table)
    # A clash of rounded values may be the rounding; laws have a margin that is not.
    if laws is None and not (table.exact and check_clash(table, clash) is None):
        return Existence("undecided", name, table.space, clash=clash)
    return Existence("none", name, table.space, clash=clash, contradiction=laws, split=find_split(table))


def existence_of(question: Question) -> Existence:
    """Whether the metric of a question has a target on its space, decided once."""
    return question.once(_existence)


def _existence(question: Question) -> Existence:
    return target_exists(question.metric, question.space)


def _tolerance(table: ValueTable) -> Fraction:
    """Rounding relative to the largest gain of an exchange."""
    return ROUNDED * table.slack / spread_of(table)


def assumption_a(metric: Any, space: Space) -> AssumptionA:
    """Assumption (A) of C12: for every item there is a feedback for which its rank alone counts, strictly.

    >>> from rankproof.feedback.spaces import graded_space
    >>> print(assumption_a("AP", graded_space(3, 2)))
    assumption (A) of C12 holds: for 100 the value is 1, 1/2, 1/3 with item 0 at rank 1, 2, ...
    """
    return assumption_of(value_table(metric, space))
