"""Verdicts as blocks of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.losses.choose import PROOF, LossChoice
from rankproof.papers import sources_in
from rankproof.report.content import VerdictBox
from rankproof.targets.base import CONDITIONS

if TYPE_CHECKING:
    from rankproof.theory.base.verdict import Verdict

__all__ = ["proven_box", "unasked_box", "verdict_box"]

# One piece of evidence convinces a reader; this is the order in which they do.
_CONVINCING = ("counterexample", "rest-points", "shipped-rest-points", "split", "contradiction", "target")
EVERY_SIZE = "every number of items and grades"
# What a newcomer has to know to read a verdict.
_MEANING = (
    "A loss is consistent with a metric if minimising it gives the best ranking by the metric, with "
    "unlimited data and a model that can represent any scores."
)
MEANING = (
    "meaning",
    [_MEANING, "A law is the probability of each set of labels that the items of a query can have."],
)


def verdict_box(verdict: Verdict) -> VerdictBox:
    """The verdict with its reason, conditions, evidence and sources.

    >>> from rankproof.theory.certify import certify
    >>> box = verdict_box(certify("softmax", "nDCG@10"))
    >>> box.outcome, box.head
    ('consistent', 'softmax:normalised-gain@10 is consistent with nDCG@10.')
    """
    # The first line of its text is "Outcome: sentence."
    head = str(verdict).splitlines()[0].split(": ", 1)[1]
    rows: list[tuple[str, list[str]]] = [("why", [verdict.reason])]
    if verdict.conditions:
        # The head must not be read as more than it says; it names only the noise that was asked for.
        if any(condition != CONDITIONS.get(verdict.noise or "") for condition in verdict.conditions):
            head = f"{head.removesuffix('.')}, under conditions."
        rows.insert(0, ("holds if", list(verdict.conditions)))
    elif verdict.outcome == "consistent":
        laws = "every law of the labels" if verdict.noise is None else f"every law of {verdict.noise} labels"
        rows.append(("holds for", [f"{laws}, {EVERY_SIZE}"]))
    if verdict.way_out:
        rows.append(("way out", list(verdict.way_out)))
    if verdict.reference:
        rows.append(("source", [verdict.reference]))
    return VerdictBox(verdict.outcome, head, [*rows, MEANING, *_papers(rows)], _details(verdict))


def proven_box(choice: LossChoice) -> VerdictBox:
    """The box of a loss that the claims settle: what `verdict_box` makes of the verdict of `certify`.

    >>> from rankproof.losses.choose import choose_loss
    >>> proven_box(choose_loss("nDCG@10")).head
    'softmax:normalised-gain@10 is consistent with nDCG@10.'
    """
    rows = [
        ("why", [choice.proof or ""]),
        ("holds for", [f"every law of the labels, {EVERY_SIZE}"]),
        ("source", [PROOF]),
    ]
    head = f"{choice.loss} is consistent with {choice.metric}."
    return VerdictBox("consistent", head, [*rows, MEANING, *_papers(rows)], [])


def _papers(rows: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """The papers that the rows refer to by their short names."""
    text = " ".join(sentence for _, sentences in rows for sentence in sentences)
    papers = [f"{short}: {paper}" for short, paper in sources_in(text).items()]
    return [("papers", papers)] if papers else []


def _details(verdict: Verdict) -> list[str]:
    from rankproof.theory.base.verdict_text import evidence_lines

    for kind in _CONVINCING:
        evidence = verdict.find(kind)
        if evidence is not None:
            # A target that has a name is named by the reason.
            named = kind == "target" and evidence.data.get("closed_form")
            return [] if named else evidence_lines(kind, evidence.data)
    return []


def unasked_box(loss: str, metric: str, why: str) -> VerdictBox:
    """In place of a verdict: why the question could not be asked."""
    return VerdictBox("undecided", f"No verdict on {loss} and {metric}.", [("why", [why])])
