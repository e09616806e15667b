"""The answer to "does this law meet that condition?": yes or no, the numbers that decide it, the violation.

>>> from fractions import Fraction
>>> from rankproof.feedback import Graded
>>> wrong = Violation((0, 1), ((Graded((1, 2)), Fraction(2, 3)), (Graded((2, 1)), Fraction(1, 3))))
>>> print(Answer("binary", holds=False, why="item 1 has the label 2.", violation=wrong))
binary: no, item 1 has the label 2.
  probability  y(0)  y(1)
          2/3     1     2
          1/3     2     1
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Law
from rankproof.feedback.law_text import law_table, law_to_plain
from rankproof.plain import html_table, html_text, json_text

__all__ = ["Answer", "Answers", "Violation", "check_kind"]


class Violation(NamedTuple):
    """Where a condition fails: the items concerned, and the feedback whose probabilities show it.

    The feedback need not be in the support of the law: a probability of 0 may be what breaks the condition.
    """

    items: tuple[int, ...]
    labels: tuple[tuple[Feedback, Fraction], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data; the feedback is stored as the support of a law is."""
        observed, probabilities = [y for y, _ in self.labels], [p for _, p in self.labels]
        return {
            "items": list(self.items),
            "labels": law_to_plain(observed, probabilities) if observed else None,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(self.table() or f"items {', '.join(map(str, self.items))}")

    def table(self, indent: str = "") -> str:
        """The feedback with its probabilities, one line each."""
        if not self.labels:
            return ""
        shown = law_table([y for y, _ in self.labels], [p for _, p in self.labels])
        return "\n".join(indent + line for line in shown.splitlines())


@dataclass(frozen=True)
class Answer:
    """Whether a law meets a condition on the noise; true in ``if`` when it does.

    Attributes
    ----------
    condition : str
        The name of the condition, a key of `rankproof.targets.base.CONDITIONS` where it has one.
    holds : bool
        Whether the law meets the condition; ``bool(answer)`` is the same.
    why : str
        A sentence with the numbers that decide it.
    violation : Violation, optional
        The pair or triple of items and the labels with their probabilities; None when the law meets it.
    p_value : float, optional
        Of a sample: the p-value of the test; the condition holds here when it is not refuted at 5 %.
    draws : int, optional
        Of a sample: how many draws it has.
    """

    condition: str
    holds: bool
    why: str
    violation: Violation | None = None
    p_value: float | None = None
    draws: int | None = None

    @property
    def word(self) -> str:
        """``yes`` or ``no``; of a sample, whether the condition is refuted."""
        if self.p_value is None:
            return "yes" if self.holds else "no"
        word = "not refuted" if self.holds else "refuted"
        return f"{word} (p = {self.p_value:.3g}, {self.draws} draws)"

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        violation = None if self.violation is None else self.violation.to_dict()
        plain = {"condition": self.condition, "holds": self.holds, "why": self.why, "violation": violation}
        return plain if self.p_value is None else {**plain, "p_value": self.p_value, "draws": self.draws}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        line = f"{self.condition}: {self.word}, {self.why}"
        table = "" if self.violation is None else self.violation.table("  ")
        return f"{line}\n{table}" if table else line


class Answers(dict[str, Answer]):
    """Answers by the name of the condition; printed one to a line, without the labels of the violations."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, by the name of the condition."""
        return {name: answer.to_dict() for name, answer in self.items()}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per condition."""
        from rankproof.data.frames import frame_of_rows

        rows = [
            {"condition": name, "holds": answer.holds, "why": answer.why} for name, answer in self.items()
        ]
        return frame_of_rows(rows, backend)

    def _repr_html_(self) -> str:
        rows = [[name, answer.word, answer.why] for name, answer in self.items()]
        return html_table(["condition", "holds", "why"], rows, left=range(3))

    def __str__(self) -> str:
        wide = max(map(len, self), default=0)
        words = max([3, *(len(answer.word) for answer in self.values())])
        return "\n".join(
            f"{name:<{wide}}  {answer.word:<{words}}  {answer.why}" for name, answer in self.items()
        )


def check_kind(condition: str, law: Law, kinds: tuple[str, ...]) -> None:
    """Raise `ArgumentError` when the condition makes no sense for the law's kind of feedback."""
    if not isinstance(law, Law):
        raise ArgumentError(f"Argument law must be a Law, got {law!r:.80}. Write rankproof.Law(...).")
    if law.kind not in kinds:
        raise ArgumentError(
            f"The condition {condition!r} is about feedback of kind {' or '.join(kinds)}, "
            f"but this law is on {law.kind} feedback. rankproof.noise.check(law) lists what can be asked."
        )
