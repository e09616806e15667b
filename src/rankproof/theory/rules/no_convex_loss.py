"""A metric without a target has no convex loss that is consistent with it under every law."""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import CONTRADICTION, SPLIT, no_convex_loss_words
from rankproof.theory.base.verdict import Inconsistent, Verdict
from rankproof.theory.existence.decide import existence_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import known_absence, none_evidence
from rankproof.theory.rules.ways_out import ways_out

__all__ = ["no_convex_loss"]

REFERENCE = "C12 Th. 3 and Corollary 4; C20"


@rule(
    "no-convex-loss",
    needs="a convex loss (or the question whether there is any), no condition but binary labels, and a "
    "metric with laws that no target can serve together, with a law whose best rankings no convex loss can "
    "give, or with exchanges of neighbours that fit no target where no other can exist",
    concludes="no convex loss is consistent with the metric",
    reference=REFERENCE,
)
def no_convex_loss(question: Question) -> Verdict | None:
    if question.noise not in (None, "binary") or not _convex(question):
        return None
    evidence = _evidence(question if question.noise is None else question.binary)
    if not evidence:
        return None
    kinds = [piece.kind for piece in evidence]
    loss = None if question.loss is None else str(question.loss)
    reason, short = no_convex_loss_words(loss, str(question.metric), kinds, question.noise)
    return Inconsistent(
        **question.says(
            reason=reason,
            short=short,
            rule="no-convex-loss",
            reference=SPLIT if "split" in kinds else CONTRADICTION,
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
    if question.space.kind == "graded" and question.noise is None:
        absence = known_absence(question.metric)
        if absence:
            return absence
    # What has a target on few items and grades need not have one on more.
    for more in question.beyond:
        existence = existence_of(more)
        if existence.outcome == "none":
            return none_evidence(more.table, existence)
    return []
