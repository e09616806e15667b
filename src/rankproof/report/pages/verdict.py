"""Verdicts as blocks of a report."""

from __future__ import annotations

from rankproof.report.content import VerdictBox
from rankproof.report.sources import sources_in
from rankproof.standardize.base import CONDITIONS
from rankproof.theory.verdict import Verdict
from rankproof.theory.verdict_text import evidence_lines

__all__ = ["verdict_box", "verdict_on"]

# One piece of evidence convinces a reader; this is the order in which they do.
_CONVINCING = ("counterexample", "split", "contradiction", "target")


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
        # Nobody shall take the head for more than it says; it names the noise that was asked for.
        if any(condition != CONDITIONS.get(verdict.noise or "") for condition in verdict.conditions):
            head = f"{head.removesuffix('.')}, under conditions."
        rows.insert(0, ("holds if", list(verdict.conditions)))
    elif verdict.outcome == "consistent":
        laws = "every law of the labels" if verdict.noise is None else f"every law of {verdict.noise} labels"
        rows.append(("holds for", [f"{laws}, every number of items and of grades"]))
    if verdict.way_out:
        rows.append(("way out", list(verdict.way_out)))
    if verdict.reference:
        rows.append(("source", [verdict.reference]))
    told = " ".join(sentence for _, sentences in rows for sentence in sentences)
    papers = [f"{short}: {paper}" for short, paper in sources_in(told).items()]
    if papers:
        rows.append(("papers", papers))
    return VerdictBox(verdict.outcome, head, rows, _details(verdict))


def _details(verdict: Verdict) -> list[str]:
    for kind in _CONVINCING:
        found = verdict.find(kind)
        if found is not None:
            # A target that has a name is named by the reason.
            named = kind == "target" and found.data.get("closed_form")
            return [] if named else evidence_lines(kind, found.data)
    return []


def verdict_on(loss: str, metric: str, noise: str | None, grades: int) -> VerdictBox:
    """The verdict on a loss and a metric for labels 0, ..., grades - 1.

    An undecided one that says why when it cannot be asked for.
    A report is never lost for it, so whatever goes wrong is told instead.
    """
    from rankproof.theory.certify import certify

    try:
        return verdict_box(certify(loss, metric, noise, grades=grades))
    except Exception as problem:  # whatever it is, the rest of the report stands
        why = f"The question could not be asked: {type(problem).__name__}: {problem}"
        return VerdictBox("undecided", f"Nothing is said of {loss} and {metric}.", [("why", [why])])
