"""Verdicts: what `certify` says, why, under which conditions, and the evidence that can be replayed.

A verdict is `Consistent`, `Inconsistent` or `Undecided`. It is a value: it prints as text for people, and
`to_dict` writes what `rankproof.theory.replay.replay` re-checks on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rankproof.errors import DataError
from rankproof.plain import html_text, json_text
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.stored_text import check_format, plain_from_json

__all__ = ["FORMAT", "FUNCTION", "OUTCOMES", "Consistent", "Inconsistent", "Undecided", "Verdict"]

FORMAT, VERSION = "rankproof.verdict", 1
# Before the name of a function that was given in Python, so that it is not taken for a metric or a loss.
FUNCTION = "function "
# How the condition starts that a verdict was shown on few items (`rankproof.feedback.spaces.Space.shown`).
SHOWN = "shown on "
RESTRICTED = 4


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the three verdicts share.

    Attributes
    ----------
    loss : str or None
        The loss asked about; None when the question was whether any convex loss is consistent.
    metric : str
        The metric asked about; for a function given in Python, ``function`` followed by its name.
    noise : str or None
        The condition on the law of the labels under which the question was asked.
    scope : dict
        ``items``, ``grades`` and ``feedback``: where facts were decided by trying everything.
    reason : str
        Why, in a sentence or two.
    short : str
        The reason in a few words.
    rule : str or None
        The rule that decided, a key of `rankproof.theory.rules.RULES`.
    reference : str
        Where to find the proof, such as ``"B11 Th. 2"``; empty when the verdict is `Undecided`.
    conditions : tuple of str
        What the verdict holds under; empty when it holds for all laws, items and grades.
    way_out : tuple of str
        What to do instead.
    evidence : tuple of Evidence
        What `rankproof.replay` checks again; empty when the verdict is `Undecided`.
    """

    outcome: ClassVar[str] = ""
    _status: ClassVar[int] = 2

    loss: str | None
    metric: str
    noise: str | None
    scope: Mapping[str, Any] = field(hash=False)
    reason: str
    short: str
    rule: str | None
    reference: str
    conditions: tuple[str, ...] = ()
    way_out: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    def __bool__(self) -> bool:
        return self.outcome == "consistent"

    @property
    def restriction(self) -> str | None:
        """Where the verdict was shown by trying all cases, when no theorem covers other lists and grades."""
        return next((text for text in self.conditions if text.startswith(SHOWN)), None)

    @property
    def exit_status(self) -> int:
        """Of the command: 0, 1 or 2 by the outcome, 4 when it holds only where it was tried."""
        return self._status if self.restriction is None else RESTRICTED

    def find(self, kind: str) -> Evidence | None:
        """The first evidence of a kind."""
        return next((piece for piece in self.evidence if piece.kind == kind), None)

    def to_dict(self) -> dict[str, Any]:
        """A dict of strings, numbers and lists, from which `replay` checks the evidence again."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "outcome": self.outcome,
            "loss": self.loss,
            "metric": self.metric,
            "noise": self.noise,
            "scope": dict(self.scope),
            "reason": self.reason,
            "short": self.short,
            "rule": self.rule,
            "reference": self.reference,
            "conditions": list(self.conditions),
            "way_out": list(self.way_out),
            "evidence": [{"kind": piece.kind, **piece.data} for piece in self.evidence],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Verdict:
        """The verdict of what `to_dict` wrote."""
        check_format(plain, "verdict", FORMAT, VERSION)
        if plain.get("outcome") not in tuple(OUTCOMES):
            raise DataError(
                f"The outcome of a verdict is one of {', '.join(OUTCOMES)}, got {plain.get('outcome')!r}."
            )
        _check_texts(plain)
        try:
            return OUTCOMES[plain["outcome"]](
                loss=plain["loss"],
                metric=plain["metric"],
                noise=plain["noise"],
                scope=dict(plain["scope"]),
                reason=plain["reason"],
                short=plain["short"],
                rule=plain["rule"],
                reference=plain["reference"],
                conditions=tuple(plain["conditions"]),
                way_out=tuple(plain["way_out"]),
                evidence=tuple(
                    Evidence(piece["kind"], {k: v for k, v in piece.items() if k != "kind"})
                    for piece in plain["evidence"]
                ),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"The stored verdict is damaged: {type(error).__name__}: {error}.") from error

    @staticmethod
    def from_json(text: str) -> Verdict:
        """The verdict of the text that `to_json` wrote."""
        return Verdict.from_dict(plain_from_json(text, "verdict"))

    def __str__(self) -> str:
        from rankproof.theory.base.verdict_text import verdict_text

        return verdict_text(self)

    def _repr_html_(self) -> str:
        return html_text(str(self))


@dataclass(frozen=True, kw_only=True)
class Consistent(Verdict):
    """Minimising the loss optimises the metric (without a loss: some convex loss does)."""

    outcome: ClassVar[str] = "consistent"
    _status: ClassVar[int] = 0

    __str__ = Verdict.__str__


@dataclass(frozen=True, kw_only=True)
class Inconsistent(Verdict):
    """Minimising the loss ends at worse rankings under some law (without a loss: no convex loss does)."""

    outcome: ClassVar[str] = "inconsistent"
    _status: ClassVar[int] = 1

    __str__ = Verdict.__str__


@dataclass(frozen=True, kw_only=True)
class Undecided(Verdict):
    """No rule applies and no counterexample was found."""

    outcome: ClassVar[str] = "undecided"
    _status: ClassVar[int] = 2

    __str__ = Verdict.__str__


def _check_texts(plain: Mapping[str, Any]) -> None:
    """What is asked about and answered are texts."""
    optional = [plain.get(name) for name in ("loss", "noise", "rule")]
    needed = [plain.get(name) for name in ("metric", "reason", "short", "reference")]
    for name in ("conditions", "way_out", "evidence"):
        listed = plain.get(name)
        if not isinstance(listed, list):
            raise DataError(f"The stored verdict is damaged: {name} must be a list, got {listed!r:.60}.")
        needed += [item.get("kind") if isinstance(item, Mapping) else item for item in listed]
    wrong = [text for text in optional if text is not None] + needed
    for text in wrong:
        if not isinstance(text, str):
            raise DataError(f"The stored verdict is damaged: {text!r:.60} is found where a text should be.")


OUTCOMES: dict[str, type[Verdict]] = {kind.outcome: kind for kind in (Consistent, Inconsistent, Undecided)}
