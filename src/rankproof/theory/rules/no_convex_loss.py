"""A metric without a target has no convex loss that is consistent with it under every law."""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.question import Question
from rankproof.theory.base.verdict import Inconsistent, Verdict
from rankproof.theory.existence.decide import existence_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import known_absence, none_evidence
from rankproof.theory.rules.ways_out import ways_out

__all__ = ["no_convex_loss"]

REFERENCE = "C12 Th. 3 and Corollary 4; C20"
SPLIT, CONTRADICTION = "C12 Th. 3", "C20: no target, so no convex loss is consistent"


@rule(
    "no-convex-loss",
    needs="a convex loss (or the question whether there is any), no condition on the noise, and a metric "
    "with laws that no target can serve together, or with a law whose best rankings no convex loss can give",
    concludes="no convex loss is consistent with the metric",
    reference=REFERENCE,
)
def no_convex_loss(question: Question) -> Verdict | None:
    if question.noise is not None or not _convex(question):
        return None
    evidence = _evidence(question)
    if not evidence:
        return None
    by_split = any(piece.kind == "split" for piece in evidence)
    why = (
        "a law has best rankings that order two items both ways and can never tie them, and the near-optimal "
        "scores of a convex loss would have to (C12 Th. 3)"
        if by_split
        else "the laws below ask for an order that no target can give (so C20 excludes every convex loss)"
    )
    subject = "No convex loss" if question.loss is None else f"{question.loss} is convex, and no convex loss"
    return Inconsistent(
        **question.says(
            reason=f"{subject} is consistent with {question.metric} under every law: {why}.",
            short="no convex loss is",
            rule="no-convex-loss",
            reference=SPLIT if by_split else CONTRADICTION,
            way_out=ways_out(question),
            evidence=tuple(evidence),
        )
    )


def _convex(question: Question) -> bool:
    loss = question.loss
    if loss is None:
        return True
    return loss.claims.value("convex") is True if isinstance(loss, Loss) else loss.convex is True


def _evidence(question: Question) -> list[Evidence]:
    existence = existence_of(question)
    if existence.outcome == "none":
        return none_evidence(question.table, existence)
    absence = known_absence(question.metric) if question.space.kind == "graded" else []
    if absence or question.larger is None:
        return absence
    # What has a target on few items need not have one on more.
    existence = existence_of(question.larger)
    return none_evidence(question.larger.table, existence) if existence.outcome == "none" else []
