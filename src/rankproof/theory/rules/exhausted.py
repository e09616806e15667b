"""A loss that sorts as E[v] does is consistent on a feedback space where v is a target: all cases tried."""

from __future__ import annotations

from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, exhausted_words
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.existence.agreement import agreeing_target
from rankproof.theory.formulas.sorting import sorting_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.cutoffs import past_cutoffs
from rankproof.theory.rules.evidence import known_absence, table_evidence, theorem

__all__ = ["exhausted"]

REFERENCE = REFERENCES["exhausted"]


@rule(
    "exhausted",
    needs="a loss whose minimiser sorts as E[u] does, and a target u that standardises the metric on the "
    "feedback space that is asked about, found by trying all cases",
    concludes="the loss is consistent with the metric on that space; longer lists are not covered",
    reference=REFERENCE,
)
def exhausted(question: Question) -> Verdict | None:
    sorting = sorting_of(question.loss)
    if sorting is None or sorting.target is None or question.constant or not past_cutoffs(question):
        return None
    target = agreeing_target(question)
    if target is None or known_absence(question.metric):
        return None
    if any(agreeing_target(more) is None for more in question.beyond):
        # They agree on few items or grades by chance.
        return None
    claims = [
        {"of": str(question.loss), "claim": "sorts as", "value": str(sorting), "reference": sorting.reference}
    ]
    size = (question.space.items, question.grades)
    reason, short = exhausted_words(
        *(str(question.loss), str(sorting), sorting.reference, str(question.metric), question.here, size)
    )
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="exhausted",
            reference=REFERENCE,
            conditions=question.shown_here,
            evidence=(
                theorem("exhausted", REFERENCE, claims),
                table_evidence(question, target, str(sorting.target)),
            ),
        )
    )
