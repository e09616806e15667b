"""A loss that sorts as E[u] does is consistent with every metric that u standardises."""

from __future__ import annotations

from rankproof.claims import Claim
from rankproof.losses.base import Loss
from rankproof.losses.choose import PROOF
from rankproof.targets.user import UserTarget
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import NOT_CONVEX, standardised_words, stated_conditions
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.existence.agreement import agreeing_target
from rankproof.theory.formulas.sorting import sorting_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import target_evidence, theorem

__all__ = ["standardised"]


@rule(
    "standardised",
    needs="a loss whose minimiser sorts as E[u] does, and a target u that standardises the metric: always, "
    "or under the condition that is asked for",
    concludes="the loss is consistent with the metric",
    reference=PROOF,
)
def standardised(question: Question) -> Verdict | None:
    loss, sorting, metric = question.loss, sorting_of(question.loss), question.known_metric
    if not isinstance(loss, Loss) or sorting is None or sorting.target is None or metric is None:
        return None
    claim = _claim(question)
    if claim is None:
        return None
    own = isinstance(sorting.target, UserTarget)
    if own and claim.value is True and agreeing_target(question) is None:
        # What a user says of a target is believed where it cannot be tried.
        return None
    condition = None if claim.value is True else str(claim.value)
    reason, short = standardised_words(str(loss), str(sorting), sorting.reference, metric, claim)
    claims = [
        {"of": str(loss), "claim": "sorts as", "value": str(sorting), "reference": sorting.reference},
        {
            "of": str(sorting.target),
            "claim": f"standardizes {metric}",
            "value": claim.value,
            "note": claim.note,
            "reference": claim.reference,
        },
    ]
    evidence = [theorem("standardised", PROOF, claims)]
    if condition is None or condition == "binary":
        evidence += target_evidence(question)
    conditions = stated_conditions(claim)
    if own:
        conditions = (
            *conditions,
            f"{sorting.target} standardises {metric}, as its user says: {claim.reference}",
        )
    if loss.claims.value("convex") is False:
        conditions = (*conditions, NOT_CONVEX)
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="standardised",
            reference=PROOF,
            conditions=conditions,
            evidence=tuple(evidence),
        )
    )


def _claim(question: Question) -> Claim | None:
    """The claim that the target standardises the metric without a condition, else under a granted one."""
    metric, sorting = question.known_metric, sorting_of(question.loss)
    if metric is None or sorting is None or sorting.target is None:
        return None
    claims = sorting.target.claims_for(metric)
    for claim in claims:
        if claim.value is True:
            return claim
    return next((c for c in claims if question.noise is not None and c.value == question.noise), None)
