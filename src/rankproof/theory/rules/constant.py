"""A metric that gives every ranking the same value is optimised by every loss."""

from __future__ import annotations

from rankproof.metrics.judged import Judged
from rankproof.targets.binary import same_for_all
from rankproof.theory.base.question import Question
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import theorem

__all__ = ["constant"]


@rule(
    "constant",
    needs="a metric that gives every ranking of judged items the same value",
    concludes="every loss is consistent with it, for there is nothing to optimise",
    reference="by definition",
)
def constant(question: Question) -> Verdict | None:
    metric = question.known_metric
    if question.loss is None and not isinstance(metric, Judged):
        return None
    why = None if metric is None else same_for_all(metric)
    if isinstance(metric, Judged):
        trait = "measures the judgments, not the ranking: when all items are judged"
    elif why is not None:
        trait = "looks at all items of the ranking: without a cutoff"
    else:
        return None
    claims = [{"of": str(metric), "claim": "constant", "value": True, "reference": constant.reference}]
    return Consistent(
        **question.says(
            reason=f"{metric} {trait} it gives every ranking the same value, so every ranking is best.",
            short="every ranking is best",
            rule="constant",
            reference=constant.reference,
            evidence=(theorem("constant", constant.reference, claims),),
        )
    )
