"""A metric that gives every ranking the same value is optimised by every loss."""

from __future__ import annotations

from rankproof.metrics.judged import Judged
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, constant_conditions, constant_words
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import theorem

__all__ = ["constant"]


@rule(
    "constant",
    needs="a metric that gives every ranking of judged items the same value",
    concludes="every loss is consistent with it, for there is nothing to optimise",
    reference=REFERENCES["constant"],
)
def constant(question: Question) -> Verdict | None:
    metric = question.known_metric
    if question.loss is None and not isinstance(metric, Judged):
        return None
    words = None if metric is None else constant_words(metric)
    if metric is None or words is None:
        return None
    reason, short = words
    claims = [{"of": str(metric), "claim": "constant", "value": True, "reference": constant.reference}]
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="constant",
            reference=constant.reference,
            conditions=constant_conditions(metric),
            evidence=(theorem("constant", constant.reference, claims),),
        )
    )
