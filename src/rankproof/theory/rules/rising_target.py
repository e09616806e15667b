"""Under rank-differentiable noise every loss that sorts by the mean of a rising v serves monotone metrics.

Say item i is preferred to item j: P(y) >= P(y') for all y with y_i > y_j, where y' has the two labels
exchanged. Then E[v_i - v_j] is the sum over these y of (P(y) - P(y')) (v_i(y) - v_j(y)), which is positive
unless the two are alike in all respects; so the loss sorts by the rating vector of the law, which is best for
every monotone metric (see the rule rank-differentiable).
"""

from __future__ import annotations

from typing import Any

from rankproof.targets.base import CONDITIONS
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import NOT_NEGATIVE, REFERENCES, rising_target_words
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.formulas.sorting import sorting_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import theorem, values_evidence

__all__ = ["rising_target"]

REFERENCE = REFERENCES["rising-target"]


@rule(
    "rising-target",
    needs="a loss whose minimiser sorts as E[v] does with v larger for items of higher grades, a monotone "
    "metric, and rank-differentiable noise",
    concludes="the loss is consistent with the metric",
    reference=REFERENCE,
)
def rising_target(question: Question) -> Verdict | None:
    sorting = sorting_of(question.loss)
    if question.noise != "rank-differentiable" or sorting is None or not sorting.increasing:
        return None
    why = question.monotone
    if why is None or question.space.kind == "preferences":
        return None
    reason, short = rising_target_words(
        *(str(question.loss), str(sorting), sorting.reference, sorting.text, str(question.metric), why)
    )
    claims: list[dict[str, Any]] = [
        {
            "of": str(question.loss),
            "claim": "sorts as",
            "value": str(sorting),
            "reference": sorting.reference,
        },
        {"of": str(question.metric), "claim": "monotone", "value": True, "reference": why},
    ]
    own = question.known_metric is None
    shown, values = (question.shown_here, values_evidence(question.table)) if own else ((), {})
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="rising-target",
            reference=REFERENCE,
            conditions=(CONDITIONS["rank-differentiable"], NOT_NEGATIVE, *shown),
            evidence=(theorem("rising-target", REFERENCE, claims, **values),),
        )
    )
