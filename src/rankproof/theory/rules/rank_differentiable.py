"""Under rank-differentiable noise the pairwise losses are consistent with every monotone metric.

L12 Theorem 5 states it for the weighted pairwise disagreement: the minimiser sorts the items by the rating
vector of the law. That order is best for every other monotone metric too. Say item i is preferred to item j,
so P(y) >= P(y') for all y with y_i > y_j, where y' is y with the labels of i and j exchanged. Putting i above
a neighbour j instead of below changes the metric by d(y), with d(y') = -d(y) since all items are treated
alike and d(y) >= 0 if y_i > y_j since the metric is monotone. On average that is the sum over y with y_i >
y_j of (P(y) - P(y')) d(y) >= 0. So bubble sort never loses on the way to the order of the rating vector.
"""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.targets.base import CONDITIONS
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, rank_differentiable_words
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.formulas.table import loss_margin, theory_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import theorem, values_evidence

__all__ = ["rank_differentiable"]

REFERENCE = REFERENCES["rank-differentiable"]
NEEDED = ("convex", "nonnegative", "non_increasing", "differentiable", "falls_at_zero")


@rule(
    "rank-differentiable",
    needs="a preorder loss on the labels whose margin is convex, nonnegative, non-increasing and "
    "differentiable with phi'(0) < 0, a monotone metric, and rank-differentiable noise",
    concludes="the loss is consistent with the metric",
    reference=REFERENCE,
)
def rank_differentiable(question: Question) -> Verdict | None:
    loss = question.loss
    if (
        question.noise != "rank-differentiable"
        or not isinstance(loss, Loss)
        or not theory_of(loss).sorts_ratings
        or loss.target is not None
        or question.space.kind == "preferences"
    ):
        return None
    margin = loss_margin(loss)
    why = question.monotone
    if why is None or not all(margin.claims.value(fact) for fact in NEEDED):
        return None
    reason, short = rank_differentiable_words(str(loss), str(question.metric), why)
    claims = [
        {
            "of": f"margin {margin.name}",
            "claim": fact,
            "value": True,
            "reference": margin.claims[fact].reference,
        }
        for fact in NEEDED
    ]
    claims.append({"of": str(question.metric), "claim": "monotone", "value": True, "reference": why})
    own = question.known_metric is None
    shown, values = (question.shown_here, values_evidence(question.table)) if own else ((), {})
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="rank-differentiable",
            reference=REFERENCE,
            conditions=(CONDITIONS["rank-differentiable"], *shown),
            evidence=(theorem("rank-differentiable", REFERENCE, claims, **values),),
        )
    )
